// @ts-check
// Every run of the repository, newest first.

import { getJson } from "../api.js";
import { element, fill, keepList } from "../dom.js";
import { dateAndTime, dollars } from "../format.js";
import { emptyNotice, noticeOf } from "../parts/notices.js";
import { stateLabel, tableHead } from "../parts/states.js";

/** @typedef {import("../schemas.d.ts").components["schemas"]} Schemas */

const POLL_INTERVAL_MS = 3000;

/** @param {import("../app.js").PageContext} context */
export async function runsPage({ content, signal, setTitle }) {
  setTitle("Runs");
  const body = element("tbody");
  const rest = element("div");
  const head = tableHead(["Run", "State", "Tasks#", "-Plan", "-Started", "Cost#"]);
  fill(content, element("h1", {}, "Runs"),
    element("div.wide", { tabindex: 0, role: "group", "aria-label": "Runs" },
      element("table", {}, head, body)), rest);
  while (!signal.aborted) {
    try {
      /** @type {Schemas["RunEntry"][]} */
      const runs = await getJson("/api/runs", signal);
      keepList(body, runs, (run) => run.run, runRow);
      fill(rest, runs.length === 0 && emptyNotice("There is no run yet: `afresh run PLAN` starts one."));
    } catch (failure) {
      if (signal.aborted) return;
      fill(rest, noticeOf(failure));
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

/** @param {Schemas["RunEntry"]} run */
function runRow(run) {
  const plan = run.plan.startsWith(`${run.repository}/`) ? run.plan.slice(run.repository.length + 1) : run.plan;
  return element("tr", {},
    element("td", {}, element("a", { href: `#/run/${encodeURIComponent(run.run)}` }, run.run)),
    element("td", {}, stateLabel(run.interrupted ? "interrupted" : run.state),
      run.landed_on && element("small.muted", {}, ` landed on ${run.landed_on}`)),
    element("td.right", {}, `${run.done} / ${run.tasks}`), element("td.mono.minor", {}, plan),
    element("td.minor", {}, dateAndTime(run.started_at)), element("td.right", {}, dollars(run.cost_usd)));
}
