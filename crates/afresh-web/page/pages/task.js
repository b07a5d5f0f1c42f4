// @ts-check
// One task: attempts with transcript, difference and prompt; checks, receipt, comments, and what can be done.

import { getJson, getText, post, runPath } from "../api.js";
import { element, fill, fillIfChanged } from "../dom.js";
import { costOf, dateAndTime, duration, tokens } from "../format.js";
import { askThenAct } from "../parts/confirmation.js";
import { diffView } from "../parts/diff_view.js";
import { emptyNotice, showWhenLoaded } from "../parts/notices.js";
import { keyOfNeed, questionCard } from "../parts/question_card.js";
import { stateLabel, taskAddress } from "../parts/states.js";
import { TranscriptView } from "../parts/transcript_view.js";

/** @typedef {import("../schemas.d.ts").components["schemas"]} Schemas */

/** @param {import("../app.js").RunPageContext} context */
export function taskPage({ content, signal, setTitle, run, task, live }) {
  setTitle(`${task} · ${run}`);
  const needs = element("div");
  const details = element("div");
  const attempts = element("div");
  fill(content, needs, details, attempts);
  const tabs = new AttemptTabs(run, task, attempts, signal);
  const load = () => {
    const path = `${runPath(run)}/tasks/${encodeURIComponent(task)}`;
    showWhenLoaded(details, getJson(path, signal), (/** @type {Schemas["TaskDetails"]} */ found) => {
      fillIfChanged(details, found, () => detailsView(run, found));
      tabs.update(found);
    }, signal);
  };
  let shown = "";
  live.listen(() => {
    const latest = /** @type {Schemas["ViewUpdate"]} */ (live.latest);
    const own = latest.needs_you.filter((item) => item.task === task);
    fillIfChanged(needs, own, () => own.map((item) => questionCard(run, item)));
    const workers = latest.workers.filter((worker) => worker.task === task).map((worker) => worker.activity);
    // A comment is recorded in the name of the person.
    const recorded = live.activity.findLast((item) =>
      item.event === "comment" || item.who === task || item.who.startsWith(`${task}.`))?.seq;
    const key = JSON.stringify([live.rows.get(task), own.map(keyOfNeed), workers, recorded]);
    if (key !== shown) load();
    shown = key;
  }, signal);
}

/**
 * @param {string} run
 * @param {Schemas["TaskDetails"]} found
 */
function detailsView(run, found) {
  return [
    element("h1", {}, element("b", {}, found.id), ` ${found.title} `, stateLabel(found.state)),
    found.why && element("p.warn", {}, found.why), actionButtons(run, found),
    relatedTasks(run, "Needs", found.needs), relatedTasks(run, "Needed by", found.needed_by),
    element("p.muted", {}, `wave ${found.wave} · ${tokens(found.accounts.tokens)} tokens · `,
      `${costOf(found.accounts.cost_usd)} · ${duration(found.accounts.worked_ms)} of work`),
    checksTable(found), receiptView(found), commentsView(found),
    found.notes && [element("h2", {}, "Notes of the worker"), element("p.text", {}, found.notes)],
    found.differences.length > 0 && [element("h2", {}, "Where report and facts differ"),
      element("ul", {}, found.differences.map((text) => element("li", {}, text)))],
  ].flat(2);
}

/**
 * @param {string} run
 * @param {Schemas["TaskDetails"]} found
 */
function actionButtons(run, found) {
  const { id, state } = found;
  const tell = () => askThenAct({
    title: `Comment on ${id}`, verb: "Send", input: "Comment", isRequired: true, done: "the comment is sent",
    explanation: "The running worker gets it if its program can take it, else the next fresh one.",
    act: (text) => post(`${runPath(run)}/tell`, { task: id, text }),
  });
  const retry = () => askThenAct({
    title: `Retry ${id}`, verb: "Retry", done: `${id} is retried`,
    explanation: "It gets fresh workers and a full set of attempts. Work of earlier attempts is kept.",
    act: () => post(`${runPath(run)}/retry`, { task: id }),
  });
  const skip = () => askThenAct({
    title: `Skip ${id}`, verb: "Skip", input: "Reason", done: `${id} is skipped`,
    explanation: "It counts as not done, and tasks that need it are blocked.",
    act: (reason) => post(`${runPath(run)}/skip`, { task: id, reason }),
  });
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) =>
    element("button", { type: "button", onclick }, text);
  return element("p.buttons", {}, state !== "done" && [button("Comment…", tell), " "],
    ["failed", "skipped", "blocked"].includes(state) && [button("Retry…", retry), " "],
    !["done", "skipped"].includes(state) && button("Skip…", skip));
}

/**
 * @param {string} run
 * @param {string} title
 * @param {Schemas["RelatedTask"][]} tasks
 */
function relatedTasks(run, title, tasks) {
  if (tasks.length === 0) return null;
  return element("p", {}, `${title}: `, tasks.flatMap((task, at) => [at > 0 && ", ",
    element("a", { href: taskAddress(run, task.id) }, task.id), " ", stateLabel(task.state)]));
}

/** @param {Schemas["TaskDetails"]} found */
function checksTable(found) {
  if (found.checks.length === 0) return null;
  return [element("h2", {}, "Checks"), element("table.checks", {}, element("tbody", {}, found.checks.map((check) => {
    const { last } = check;
    const mark = !last ? "·" : last.passed ? "✓" : "✗";
    const tail = last?.result.output_tail;
    return element("tr", {},
      element(last ? (last.passed ? "td.good" : "td.bad") : "td", {}, `${mark} ${!last ? "not run yet" : last.passed ? "passed" : "failed"}`),
      element("td", {}, element("code", {}, check.command),
        check.name !== check.command && element("p.muted", {}, check.name),
        tail && element("details", {}, element("summary", {}, "output"), element("pre", { tabindex: 0 }, tail))),
      element("td.muted", {}, last && `${last.attempt}, ${duration(last.result.duration_ms)}`));
  })))];
}

/** @param {Schemas["TaskDetails"]} found */
function receiptView(found) {
  const { receipt } = found;
  if (!receipt) return null;
  const files = [["created", receipt.created], ["modified", receipt.modified], ["deleted", receipt.deleted]];
  return [element("h2", {}, "Receipt"), element("dl", {},
    element("dt", {}, "Commits"), element("dd.mono", {}, found.commits.join(", ")),
    element("dt", {}, "Tree that the checks ran on"), element("dd.mono", {}, receipt.tree),
    receipt.covered_by && element("dt", {}, "Checked as part of a batch, up to commit"),
    receipt.covered_by && element("dd.mono", {}, receipt.covered_by),
    files.filter(([, paths]) => paths.length > 0).flatMap(([verb, paths]) => [
      element("dt", {}, `Files ${verb}`), element("dd.mono", {}, /** @type {string[]} */ (paths).join(", "))]))];
}

/** @param {Schemas["TaskDetails"]} found */
function commentsView(found) {
  if (found.comments.length === 0) return null;
  return [element("h2", {}, "Comments"), element("ul.comments", {}, found.comments.map((comment) =>
    element("li", {}, element("b", {}, comment.by), comment.on && partView(comment.on), ": ",
      element("span.text", {}, comment.text), " ", element("small.muted", {}, whoRead(found.id, comment)))))];
}

/**
 * @param {string} task
 * @param {Schemas["KeptComment"]} comment
 */
function whoRead(task, comment) {
  if (comment.read_by.length > 0) return `read by ${comment.read_by.map((attempt) => `${task}.${attempt}`).join(", ")}`;
  return comment.sent_to ? `sent to ${task}.${comment.sent_to}, not read yet` : "for the next worker";
}

/** @param {Schemas["CommentedPart"]} on */
function partView(on) {
  const { lines, quoted = [] } = on;
  const range = !lines ? "" : lines.first === lines.last ? `:${lines.first}` : `:${lines.first}-${lines.last}`;
  return element("span", {}, " on ", element("span.mono", {}, `${on.path}${range}`), ` of attempt ${on.attempt}`,
    quoted.length > 0 && element("pre", { tabindex: 0 }, quoted.join("\n")));
}

/** The attempts as tabs; the one that is looked at stays while the task changes. */
class AttemptTabs {
  /**
   * @param {string} run
   * @param {string} task
   * @param {HTMLElement} place
   * @param {AbortSignal} signal
   */
  constructor(run, task, place, signal) {
    this.run = run;
    this.task = task;
    this.place = place;
    this.signal = signal;
    /** @type {Schemas["AttemptReport"][]} */
    this.attempts = [];
    this.selected = "";
    this.tab = "transcript";
    this.bar = element("div");
    this.facts = element("div");
    this.panel = element("div");
    this.leaving = new AbortController();
  }

  /** @param {Schemas["TaskDetails"]} found */
  update(found) {
    const hadNew = found.attempts.length > this.attempts.length;
    const before = this.attempts.find((attempt) => attempt.attempt === this.selected)?.result;
    this.attempts = found.attempts;
    if (this.attempts.length === 0) {
      fill(this.place, element("h2", {}, "Attempts"), emptyNotice("no worker has started on it yet"));
      return;
    }
    if (!this.bar.isConnected) fill(this.place, element("h2", {}, "Attempts"), this.bar, this.facts, this.panel);
    if (hadNew) this.selected = this.attempts[this.attempts.length - 1].attempt;
    const now = this.attempts.find((attempt) => attempt.attempt === this.selected)?.result;
    this.draw();
    if (hadNew || (before !== now && this.tab !== "transcript")) this.open();
  }

  draw() {
    const choose = (/** @type {string} */ attempt) => () => { this.selected = attempt; this.draw(); this.open(); };
    const show = (/** @type {string} */ tab) => () => { this.tab = tab; this.draw(); this.open(); };
    fillIfChanged(this.bar, [this.attempts.map((it) => [it.attempt, it.result]), this.selected, this.tab], () => [
      element("p.tabs", { role: "group", "aria-label": "Attempts" }, this.attempts.map((attempt) =>
        element("button", { type: "button", "aria-pressed": String(attempt.attempt === this.selected),
          onclick: choose(attempt.attempt) }, `${attempt.attempt} ${attempt.result ?? "underway"}`))),
      element("p.tabs", { role: "group", "aria-label": "Parts of the attempt" },
        [["transcript", "Transcript"], ["diff", "Diff"], ["prompt", "Prompt"], ["result", "Result"],
          ["stderr", "Errors"]].map(([tab, text]) => element("button", {
          type: "button", "aria-pressed": String(tab === this.tab), onclick: show(tab) }, text))),
    ]);
    const attempt = this.attempts.find((it) => it.attempt === this.selected);
    if (attempt) fillIfChanged(this.facts, attempt, () => attemptFacts(attempt));
  }

  open() {
    this.leaving.abort();
    this.leaving = new AbortController();
    const signal = AbortSignal.any([this.signal, this.leaving.signal]);
    const attempt = this.selected;
    const base = `${runPath(this.run)}/attempts/${encodeURIComponent(attempt)}`;
    if (this.tab === "transcript") {
      const view = new TranscriptView(this.run, attempt, signal);
      fill(this.panel, view.place);
      view.follow(() => !this.attempts.find((it) => it.attempt === attempt)?.ended_at);
    } else if (this.tab === "diff") {
      const request = getJson(`${base}/diff`, signal);
      showWhenLoaded(this.panel, request, (/** @type {Schemas["AttemptDiff"] | null} */ diff) =>
        fill(this.panel, diff ? diffView(this.run, this.task, diff) : emptyNotice("its worker has saved nothing yet")),
      signal);
    } else {
      showWhenLoaded(this.panel, getText(`${base}/files/${this.tab}`, signal), (text) =>
        fill(this.panel, text ? element("pre.file", { tabindex: 0 }, text) : emptyNotice("it is empty")), signal);
    }
  }
}

/** @param {Schemas["AttemptReport"]} attempt */
function attemptFacts(attempt) {
  const byHand = attempt.by_hand && `by hand of ${attempt.by_hand}`;
  const facts = [byHand, attempt.agent, attempt.model, attempt.started_at && dateAndTime(attempt.started_at),
    attempt.duration_ms && duration(attempt.duration_ms), attempt.usage && costOf(attempt.usage.cost_usd)];
  return [attempt.reason && element("p.bad.text", {}, `✗ ${attempt.reason}`),
    element("p.muted", {}, facts.filter(Boolean).join(" · "))];
}
