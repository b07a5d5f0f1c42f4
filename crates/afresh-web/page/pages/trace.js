// @ts-check
// Which requirement is proved by what.

import { getJson, runPath } from "../api.js";
import { element, fill } from "../dom.js";
import { emptyNotice, showWhenLoaded } from "../parts/notices.js";
import { figureBox, stateLabel, taskAddress } from "../parts/states.js";

/** @typedef {import("../schemas.d.ts").components["schemas"]} Schemas */

/** @param {import("../app.js").RunPageContext} context */
export function tracePage({ content, signal, setTitle, run, live }) {
  setTitle(`Trace · ${run}`);
  const place = element("div");
  fill(content, element("h1", {}, "Requirements and their proofs"), place);
  let shown = "";
  live.listen(() => {
    // Only what is merged or lost changes a trace.
    const key = JSON.stringify(live.latest?.progress.counts);
    if (key === shown) return;
    shown = key;
    showWhenLoaded(place, getJson(`${runPath(run)}/trace`, signal), (trace) => fill(place, traceView(run, trace)), signal);
  }, signal);
}

/**
 * @param {string} run
 * @param {Schemas["RequirementTrace"]} trace
 */
function traceView(run, trace) {
  if (trace.requirements.length === 0) {
    return [emptyNotice("The plan cites no requirements. `afresh plan SPEC` makes one that does.")];
  }
  const head = ["Requirement", "State", "Tasks and checks"].map((text) => element("th", { scope: "col" }, text));
  return [
    element("div.figures", {}, Object.entries(trace.counts).map(([state, count]) => figureBox(String(count), state))),
    element("div.wide", { tabindex: 0, role: "group", "aria-label": "Requirements" }, element("table", {},
      element("thead", {}, element("tr", {}, head)),
      element("tbody", {}, trace.requirements.map((requirement) => requirementRow(run, requirement))))),
    trace.orphans.length > 0 && element("p.warn", {}, `Tasks that cite no requirement: ${trace.orphans.join(", ")}`),
  ];
}

/**
 * @param {string} run
 * @param {Schemas["TracedRequirement"]} requirement
 */
function requirementRow(run, requirement) {
  return element("tr", {},
    element("td", {}, element("b", {}, requirement.id), " ", requirement.text,
      element("p.muted.small", {}, `${requirement.file}:${requirement.line}`)),
    element("td", {}, stateLabel(requirement.state), element("p.muted.small", {}, requirement.reason)),
    element("td", {}, requirement.tasks.map((task) => element("p", {}, element("a", { href: taskAddress(run, task) }, task))),
      requirement.checks.map((check) => element(check.proves ? "p.good" : "p.muted", {},
        check.proves ? "✓ " : "· ", element("code", {}, check.command)))));
}
