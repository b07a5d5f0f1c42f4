// @ts-check
// What is wrong with the plan's files as they are now.

import { getJson, runPath } from "../api.js";
import { element, fill } from "../dom.js";
import { emptyNotice, showWhenLoaded } from "../parts/notices.js";

/** @param {import("../app.js").RunPageContext} context */
export function findingsPage({ content, signal, setTitle, run }) {
  setTitle(`Plan findings · ${run}`);
  const place = element("div");
  fill(content, element("h1", {}, "Plan findings"), place);
  showWhenLoaded(place, getJson(`${runPath(run)}/findings`, signal), ({ plan, findings }) => {
    fill(place, element("p.muted", {}, "of ", element("code", {}, plan), " as it is now"),
      findings.length === 0 ? emptyNotice("✓ Nothing was found.") : findings.map(findingView));
  }, signal);
}

/** @param {any} finding */
function findingView(finding) {
  const isError = finding.severity === "error";
  const place = [finding.file, finding.line].filter(Boolean).join(":");
  return element(isError ? "div.notice.bad" : "div.notice", {},
    element("p", {}, element("b", {}, `${isError ? "✗" : "!"} ${finding.severity} ${finding.code ?? ""} `), finding.message),
    place && element("p.mono.muted", {}, place), finding.help && element("p.muted", {}, `hint: ${finding.help}`));
}
