// @ts-check
// Chooses the page by the address, and keeps the connection of the run that is looked at.

import { hasToken, takeToken } from "./api.js";
import { announce, element, fill } from "./dom.js";
import { LiveRun } from "./live_run.js";
import { costPage } from "./pages/cost.js";
import { findingsPage } from "./pages/findings.js";
import { needsYouPage } from "./pages/needs_you.js";
import { replayPage } from "./pages/replay.js";
import { runPage } from "./pages/run.js";
import { runsPage } from "./pages/runs.js";
import { taskPage } from "./pages/task.js";
import { tracePage } from "./pages/trace.js";
import { failureNotice } from "./parts/notices.js";

/**
 * What every page is given.
 * @typedef {object} PageContext
 * @property {HTMLElement} content where it draws
 * @property {AbortSignal} signal the page is left
 * @property {(title: string) => void} setTitle
 */

/**
 * A page of a run is given more.
 * @typedef {PageContext & {run: string, live: LiveRun, task: string, at: string}} RunPageContext
 */

/** @type {Record<string, (context: RunPageContext) => void>} */
const RUN_PAGES = {
  "": runPage, task: taskPage, trace: tracePage, cost: costPage, findings: findingsPage, replay: replayPage,
};
const RUN_LINKS = [["", "Run"], ["trace", "Trace"], ["cost", "Cost"], ["findings", "Plan findings"], ["replay", "Replay"]];

const content = /** @type {HTMLElement} */ (document.getElementById("content"));
const navigation = /** @type {HTMLElement} */ (document.getElementById("navigation"));
const connection = /** @type {HTMLElement} */ (document.getElementById("connection"));

/** @type {LiveRun | null} */
let live = null;
let leaving = new AbortController();

function showPage() {
  leaving.abort();
  leaving = new AbortController();
  fill(content);
  const parts = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const [section, run, page = "", task = ""] = parts;
  const isRun = section === "run" && Boolean(run);
  drawNavigation(isRun ? run : null, isRun ? page : section);
  /** @type {PageContext} */
  const context = { content, signal: leaving.signal, setTitle };
  if (!hasToken()) {
    setTitle("No access");
    fill(content, failureNotice(401, "the token is missing", null));
    return;
  }
  if (isRun) {
    const show = RUN_PAGES[page] ?? runPage;
    show({ ...context, run, task, at: task, live: followed(run) });
  } else {
    live?.stop();
    live = null;
    fill(connection);
    (section === "runs" ? runsPage : needsYouPage)(context);
  }
}

/** @param {string} run */
function followed(run) {
  if (live?.run === run) return live;
  live?.stop();
  live = new LiveRun(run);
  live.start((state, failure) => {
    connection.className = state;
    if (state === "open") {
      if (connection.textContent) announce("connected again");
      fill(connection);
    } else if (state === "lost") {
      fill(connection, "Connection lost; trying again");
    } else {
      fill(connection, "No connection");
      fill(content, failureNotice(failure?.status ?? 0, failure?.message ?? "", failure?.hint ?? null));
    }
  });
  return live;
}

/**
 * @param {string | null} run
 * @param {string} current
 */
function drawNavigation(run, current) {
  const link = (/** @type {string} */ to, /** @type {string} */ text, /** @type {boolean} */ isCurrent) =>
    element("a", { href: `#/${to}`, "aria-current": isCurrent ? "page" : null }, text);
  const links = [link("", "Needs you", !run && current !== "runs"), link("runs", "Runs", !run && current === "runs")];
  if (run) {
    links.push(element("span.run-name", {}, run));
    const base = `run/${encodeURIComponent(run)}`;
    for (const [page, text] of RUN_LINKS) links.push(link(page ? `${base}/${page}` : base, text, page === current));
  }
  fill(navigation, element("strong", {}, "afresh"), links);
}

/** @param {string} title */
function setTitle(title) {
  document.title = `${title} · afresh`;
}

/** "/" goes to the filter of a page that has one. @param {KeyboardEvent} event */
function focusFilter(event) {
  const target = event.target instanceof Element ? event.target.closest("input, textarea, select") : null;
  const filter = content.querySelector("input[type=search]");
  if (event.key !== "/" || target || !(filter instanceof HTMLElement)) return;
  event.preventDefault();
  filter.focus();
}

takeToken();
addEventListener("keydown", focusFilter);
addEventListener("hashchange", () => {
  showPage();
  content.focus({ preventScroll: true });
  scrollTo(0, 0);
});
showPage();
