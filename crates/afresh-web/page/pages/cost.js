// @ts-check
// Tokens and cost: over time, by agent and model, by task; how full the contexts were; where attempts were lost.

import { getJson, runPath } from "../api.js";
import { element, fill } from "../dom.js";
import { countOf, dollars, duration, tokens } from "../format.js";
import { showWhenLoaded } from "../parts/notices.js";
import { LivePicture } from "../parts/picture.js";
import { figureBox, tableHead, taskAddress } from "../parts/states.js";

/** @typedef {import("../schemas.d.ts").components["schemas"]} Schemas */

const RELOAD_INTERVAL_MS = 5000;

/** @param {import("../app.js").RunPageContext} context */
export function costPage({ content, signal, setTitle, run, live }) {
  setTitle(`Cost · ${run}`);
  const tables = element("div");
  const burnUp = new LivePicture(run, "burn-up.svg", signal);
  const contexts = new LivePicture(run, "contexts.svg", signal);
  const retries = new LivePicture(run, "retries.svg", signal);
  const overTime = element("div", {}, element("h2", {}, "Over time"),
    element("p.muted", {}, "Cost where prices are known, else tokens; with the budget and the forecast, if there are any."),
    burnUp.place);
  fill(content, element("h1", {}, "Cost"), tables, overTime, element("h2", {}, "Contexts"), contexts.place,
    element("h2", {}, "Attempts that were lost"), retries.place);
  let loadedAt = -RELOAD_INTERVAL_MS;
  live.listen(() => {
    const latest = /** @type {Schemas["ViewUpdate"]} */ (live.latest);
    overTime.hidden = latest.progress.tokens === 0 && !latest.progress.cost_micros;
    for (const picture of [burnUp, contexts, retries]) picture.refresh(latest.seq);
    const isOver = !["running", "waiting"].includes(latest.state);
    if (performance.now() - loadedAt < RELOAD_INTERVAL_MS && !isOver) return;
    loadedAt = performance.now();
    showWhenLoaded(tables, getJson(`${runPath(run)}/report`, signal), (report) => fill(tables, accounts(run, report)), signal);
  }, signal);
}

/**
 * @param {string} run
 * @param {Schemas["RunReport"]} report
 */
function accounts(run, report) {
  const { accounts: total } = report;
  const used = report.tasks.filter((task) => task.accounts.tokens > 0 || task.accounts.cost_usd);
  const dearest = used.sort((one, other) => other.accounts.tokens - one.accounts.tokens);
  const unpriced = total.without_price > 0 ? `${countOf(total.without_price, "attempt")} without a price` : "";
  return [
    element("div.figures", {}, figureBox(dollars(total.cost_usd), "cost", unpriced),
      figureBox(tokens(total.tokens), "tokens"), figureBox(tokens(total.input), "input"),
      figureBox(tokens(total.output), "output"), figureBox(tokens(total.cache_read), "read from a cache"),
      figureBox(duration(total.worked_ms), "work of all workers")),
    element("h2", {}, "Agents"), accountsTable("Agent", report.agents.map((agent) => [agent.agent, agent.accounts])),
    report.models.length > 0 && [element("h2", {}, "Models"),
      accountsTable("Model", report.models.map((model) => [model.model, model]))],
    element("h2", {}, "Tasks"), accountsTable("Task", dearest.slice(0, 100).map((task) =>
      [element("a", { href: taskAddress(run, task.id) }, `${task.id} ${task.title}`), task.accounts])),
    dearest.length > 100 && element("p.muted", {}, `and ${dearest.length - 100} more`),
  ].flat();
}

/**
 * @param {string} title
 * @param {[string | HTMLElement, any][]} rows
 */
function accountsTable(title, rows) {
  const head = tableHead([title, "-Input#", "-Output#", "-From a cache#", "Cost#"]);
  return element("div.wide", { tabindex: 0, role: "group", "aria-label": title }, element("table", {},
    head,
    element("tbody", {}, rows.map(([name, used]) => element("tr", {}, element("td", {}, name),
      element("td.right.minor", {}, tokens(used.input)), element("td.right.minor", {}, tokens(used.output)),
      element("td.right.minor", {}, tokens(used.cache_read)), element("td.right", {}, dollars(used.cost_usd)))))));
}
