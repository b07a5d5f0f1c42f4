// @ts-check
// One run: what needs a person, progress, workers, the graph, the timeline, every task, what happened.

import { post, runPath } from "../api.js";
import { element, fill, fillIfChanged, keepList } from "../dom.js";
import { cost, countOf, duration, tokens } from "../format.js";
import { activityItem } from "../parts/activity.js";
import { askThenAct } from "../parts/confirmation.js";
import { LivePicture } from "../parts/picture.js";
import { keyOfNeed, questionCard } from "../parts/question_card.js";
import { contextMeter, figureBox, stateLabel, tableHead, taskAddress } from "../parts/states.js";

/** @typedef {import("../schemas.d.ts").components["schemas"]} Schemas */

/** @param {import("../app.js").RunPageContext} context */
export function runPage({ content, signal, setTitle, run, live }) {
  const places = {
    heading: element("div"), needs: element("section", { "aria-label": "Needs you" }),
    figures: element("div.figures"), workers: element("div"), merging: element("div"),
    tasks: element("tbody"), activity: element("ol.activity"),
  };
  const graph = new LivePicture(run, "graph.svg", signal);
  const timeline = new LivePicture(run, "timeline.svg", signal);
  const filter = taskFilter(() => drawTasks());
  const head = tableHead(["Task", "State", "-Wave#", "-Attempts#", "-Tokens#", "-Time#", "Cost#"]);
  fill(content, places.heading, places.needs, places.figures, places.workers, places.merging,
    element("h2", {}, "Tasks and dependencies"), graph.place, element("h2", {}, "Timeline"), timeline.place,
    element("h2", {}, "Tasks"), filter.place,
    element("div.wide", { tabindex: 0, role: "group", "aria-label": "Tasks" }, element("table.tasks", {},
      head, places.tasks)),
    element("h2", {}, "Activity"), places.activity);
  const drawTasks = () => {
    const shown = live.tasks().filter(filter.matches);
    keepList(places.tasks, shown, (row) => row.id, (row) => taskRow(run, row));
    filter.count(shown.length, live.order.length);
  };
  live.listen(() => {
    const latest = /** @type {Schemas["ViewUpdate"]} */ (live.latest);
    setTitle(latest.needs_you.length > 0 ? `(${latest.needs_you.length}) ${run}` : run);
    fillIfChanged(places.heading, [latest.state, latest.is_driven, latest.error], () => heading(run, latest));
    keepList(places.needs, latest.needs_you, keyOfNeed, (item) => questionCard(run, item));
    fillIfChanged(places.figures, latest.progress, () => figures(latest.progress));
    fillIfChanged(places.workers, latest.workers, () => workerCards(run, latest.workers));
    fillIfChanged(places.merging, latest.merge_line, () => mergeLine(run, latest.merge_line));
    drawTasks();
    graph.refresh(latest.seq);
    timeline.refresh(latest.seq);
    keepList(places.activity, [...live.activity].reverse(), (item) => String(item.seq), activityItem);
  }, signal);
}

/**
 * @param {string} run
 * @param {Schemas["ViewUpdate"]} latest
 */
function heading(run, latest) {
  const isOpen = ["running", "waiting", "halted"].includes(latest.state);
  const halt = () => askThenAct({
    title: "Halt the run", verb: "Halt", input: "Reason", done: "the run is halted",
    explanation: "Running workers finish, and no new ones start. `afresh resume` continues it.",
    act: (reason) => post(`${runPath(run)}/halt`, { reason, now: false }),
  });
  const haltNow = () => askThenAct({
    title: "Stop the workers now", verb: "Stop now", input: "Reason", done: "the workers are stopped",
    explanation: "Running workers are ended; their finished steps are kept. `afresh resume` continues it.",
    act: (reason) => post(`${runPath(run)}/halt`, { reason, now: true }),
  });
  return [
    element("h1", {}, run, " ", stateLabel(latest.state)),
    isOpen && !latest.is_driven && element("p.warn", {}, "No process drives it; ",
      element("code", {}, `afresh resume ${run}`), " continues it."),
    latest.error && element("p.bad", { role: "alert" }, `✗ ${latest.error}`),
    isOpen && latest.is_driven && element("p.buttons", {},
      latest.state !== "halted" && element("button", { type: "button", onclick: halt }, "Halt…"), " ",
      element("button", { type: "button", onclick: haltNow }, "Stop now…")),
  ];
}

/** @param {Schemas["RunProgress"]} progress */
function figures(progress) {
  const counts = Object.entries(progress.counts).filter(([state]) => state !== "done")
    .map(([state, count]) => `${count} ${state}`).join(", ");
  const left = progress.eta ? `about ${duration(progress.eta.left_ms)} of work left (${progress.eta.basis})` : "";
  const stage = progress.stage ? progress.stage.what.replace("-", " ") : "";
  const budget = progress.budget_cost_micros ? `of ${cost(progress.budget_cost_micros)}` : "";
  const unpriced = progress.without_price ? `${countOf(progress.without_price, "attempt")} without a price` : "";
  const tokenBudget = progress.budget_tokens ? `of ${tokens(progress.budget_tokens)}` : "";
  return [
    figureBox(`${progress.done} / ${progress.total}`, "tasks done", counts || stage),
    figureBox(duration(progress.driven_ms), "elapsed", [left, stage].filter(Boolean).join("; ")),
    figureBox(cost(progress.cost_micros), "cost", [budget, unpriced].filter(Boolean).join("; ")),
    figureBox(tokens(progress.tokens), "tokens", tokenBudget),
    element("progress", { max: progress.total, value: progress.done,
      "aria-label": `${progress.done} of ${countOf(progress.total, "task")} done` }),
  ];
}

/**
 * @param {string} run
 * @param {Schemas["WorkerRow"][]} workers
 */
function workerCards(run, workers) {
  if (workers.length === 0) return [];
  return [element("h2", {}, "Workers"), element("div.workers", {}, workers.map((worker) => workerCard(run, worker)))];
}

/**
 * @param {string} run
 * @param {Schemas["WorkerRow"]} worker
 */
function workerCard(run, worker) {
  const { action, steps } = worker;
  const doing = action ? [action.verb, " ", element("span.mono", {}, action.object)] : worker.activity;
  return element(`article.worker.activity-${worker.activity}`, {},
    element("h3", {}, element("a", { href: taskAddress(run, worker.task) }, worker.attempt), " ", worker.title),
    element("p.doing", {}, element("span.segment", { "aria-hidden": "true" }), doing),
    element("p.muted", {}, [worker.by_hand && `by hand of ${worker.by_hand}`, worker.agent, worker.model].filter(Boolean).join(" · "),
      steps && ` · step ${Math.min(steps.done + 1, steps.of)} of ${steps.of}`),
    element("p.muted", {}, contextMeter(worker.context), ` · ${duration(worker.elapsed_ms)}`,
      worker.tokens > 0 && ` · ${tokens(worker.tokens)} tokens`,
      worker.cost_micros !== null && worker.cost_micros !== undefined && ` · ${cost(worker.cost_micros)}`));
}

/**
 * @param {string} run
 * @param {Schemas["MergeLine"]} line
 */
function mergeLine(run, line) {
  if (line.candidates.length === 0) return [];
  return [element("h2", {}, "Merge queue"), element("ol.merge-line", {}, line.candidates.map((candidate, at) =>
    element("li", {}, element("a", { href: taskAddress(run, candidate.task) }, candidate.attempt),
      ` ${candidate.title}, ${at < line.merging ? "merging" : "waiting"} for ${duration(candidate.lasting_ms)}`)))];
}

/**
 * @param {string} run
 * @param {Schemas["TaskRow"]} row
 */
function taskRow(run, row) {
  return element("tr", {},
    element("td", {}, element("a", { href: taskAddress(run, row.id) }, element("b", {}, row.id), ` ${row.title}`),
      row.is_critical && element("small.muted", { title: "on the critical path" }, " ◆ critical"),
      row.error && element("p.reason", {}, row.error)),
    element("td", {}, stateLabel(row.state)), element("td.right.minor", {}, row.wave),
    element("td.right.minor", {}, row.attempts),
    element("td.right.minor", {}, row.tokens ? tokens(row.tokens) : ""),
    // A worker's time goes on without a new row; its card shows it.
    element("td.right.minor", {}, row.worked_ms && row.state !== "running" ? duration(row.worked_ms) : ""),
    element("td.right", {}, row.usage.cost_usd === null || row.usage.cost_usd === undefined ? "" :
      cost(Math.round(row.usage.cost_usd * 1e6))));
}

/**
 * A text and a state that rows must match.
 * @param {() => void} changed
 */
function taskFilter(changed) {
  const text = /** @type {HTMLInputElement} */ (element("input", {
    type: "search", placeholder: "Filter by id or title  ( / )", "aria-label": "Filter tasks", oninput: changed,
  }));
  const states = ["every state", "ready", "running", "checking", "merging", "waiting", "failed", "blocked", "done",
    "pending", "skipped"];
  const state = /** @type {HTMLSelectElement} */ (element("select", { "aria-label": "State", onchange: changed },
    states.map((name) => element("option", { value: name === "every state" ? "" : name }, name))));
  const counted = element("span.muted", { role: "status" });
  const matches = (/** @type {Schemas["TaskRow"]} */ row) => {
    const wanted = text.value.trim().toLowerCase();
    return (!state.value || row.state === state.value)
      && (!wanted || `${row.id} ${row.title}`.toLowerCase().includes(wanted));
  };
  const count = (/** @type {number} */ shown, /** @type {number} */ all) => {
    fill(counted, shown === all ? countOf(all, "task") : `${shown} of ${countOf(all, "task")}`);
  };
  const place = element("p.filter", { role: "search" }, text, " ", state, " ", counted);
  return { place, matches, count };
}
