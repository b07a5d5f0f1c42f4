// @ts-check
// A recorded run again: any moment of it, or all of them at any speed.

import { getJson, runPath } from "../api.js";
import { element, fill, keepList } from "../dom.js";
import { cost, duration, timeOfDay, tokens } from "../format.js";
import { activityItem } from "../parts/activity.js";
import { emptyNotice, noticeOf, showWhenLoaded } from "../parts/notices.js";
import { LivePicture } from "../parts/picture.js";
import { figureBox, stateLabel, taskAddress } from "../parts/states.js";

/** @typedef {import("../schemas.d.ts").components["schemas"]} Schemas */

const TICK_MS = 250;
/** While a run waits for a person, nothing happens for hours. */
const LONGEST_GAP_MS = 60_000;
const SPEEDS = [1, 5, 20, 60, 300];
const USUAL_SPEED = 20;

/** @param {import("../app.js").RunPageContext} context */
export function replayPage({ content, signal, setTitle, run, at }) {
  setTitle(`Replay · ${run}`);
  const place = element("div");
  fill(content, element("h1", {}, "Replay"), place);
  showWhenLoaded(place, getJson(`${runPath(run)}/moments`, signal), (/** @type {Schemas["RunMoments"]} */ moments) => {
    if (moments.seqs.length === 0) fill(place, emptyNotice("nothing is recorded yet"));
    else new ReplayView(run, moments, place, signal).start(at);
  }, signal);
}

class ReplayView {
  /**
   * @param {string} run
   * @param {Schemas["RunMoments"]} moments
   * @param {HTMLElement} place
   * @param {AbortSignal} signal
   */
  constructor(run, moments, place, signal) {
    this.run = run;
    this.seqs = moments.seqs;
    this.times = withoutLongGaps(moments.at_ms);
    this.signal = signal;
    this.now = this.times[0];
    this.isPlaying = false;
    this.wanted = -1;
    this.shown = -1;
    this.isLoading = false;
    this.graph = new LivePicture(run, "graph.svg", signal);
    this.timeline = new LivePicture(run, "timeline.svg", signal);
    this.slider = /** @type {HTMLInputElement} */ (element("input", {
      type: "range", min: 0, max: this.seqs.length - 1, step: 1, value: 0, "aria-label": "Record",
      oninput: () => this.goTo(Number(this.slider.value)),
    }));
    this.button = element("button", { type: "button", onclick: () => this.togglePlaying() }, "▶ Play");
    this.speed = /** @type {HTMLSelectElement} */ (element("select", { "aria-label": "Speed" },
      SPEEDS.map((speed) => element("option", { value: speed, selected: speed === USUAL_SPEED }, `${speed}×`))));
    this.moment = element("span.mono.muted", { role: "status" });
    this.figures = element("div.figures");
    this.workers = element("div");
    this.needs = element("div");
    this.activity = element("ol.activity");
    const step = (/** @type {string} */ text, /** @type {string} */ label, /** @type {number} */ by) => element("button", {
      type: "button", "aria-label": label, onclick: () => this.goTo(this.wanted + by) }, text);
    fill(place, element("p.replay-controls", {}, this.button, step("◀", "one record back", -1),
      step("▶", "one record on", 1), this.speed, this.slider, this.moment),
      this.figures, this.needs, this.workers, element("h2", {}, "Tasks and dependencies"), this.graph.place,
      element("h2", {}, "Timeline"), this.timeline.place, element("h2", {}, "Activity"), this.activity);
  }

  /** @param {string} at the record that the address names */
  start(at) {
    const named = at ? this.seqs.findLastIndex((seq) => seq <= Number(at)) : this.seqs.length - 1;
    this.goTo(Math.max(named, 0));
    const timer = setInterval(() => this.tick(), TICK_MS);
    this.signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  }

  togglePlaying() {
    this.isPlaying = !this.isPlaying;
    if (this.isPlaying && this.wanted === this.seqs.length - 1) this.goTo(0);
    this.button.textContent = this.isPlaying ? "‖ Pause" : "▶ Play";
  }

  tick() {
    if (!this.isPlaying) return;
    this.now += TICK_MS * Number(this.speed.value);
    let next = this.wanted;
    while (next + 1 < this.times.length && this.times[next + 1] <= this.now) next += 1;
    if (next !== this.wanted) this.show(next);
    if (next === this.times.length - 1) this.togglePlaying();
  }

  /** @param {number} index */
  goTo(index) {
    const bounded = Math.min(Math.max(index, 0), this.seqs.length - 1);
    this.now = this.times[bounded];
    this.show(bounded);
  }

  /** @param {number} index */
  async show(index) {
    this.wanted = index;
    this.slider.value = String(index);
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      // What was asked for meanwhile comes next; what lies between is left out.
      while (this.shown !== this.wanted && !this.signal.aborted) {
        const asked = this.wanted;
        this.draw(await getJson(`${runPath(this.run)}/moments/${this.seqs[asked]}`, this.signal));
        this.shown = asked;
      }
    } catch (failure) {
      if (!this.signal.aborted) fill(this.needs, noticeOf(failure));
    } finally {
      this.isLoading = false;
    }
  }

  /** @param {Schemas["RunMoment"]} moment */
  draw(moment) {
    const { dashboard } = moment;
    const { progress } = dashboard;
    fill(this.moment, `record ${moment.position} of ${moment.of}, ${timeOfDay(moment.at_ms)} `, stateLabel(dashboard.state));
    fill(this.figures, figureBox(`${progress.done} / ${progress.total}`, "tasks done"),
      figureBox(duration(progress.driven_ms), "elapsed"), figureBox(cost(progress.cost_micros), "cost"),
      figureBox(tokens(progress.tokens), "tokens"),
      element("progress", { max: progress.total, value: progress.done, "aria-label": "tasks done" }));
    fill(this.needs, dashboard.needs_you.map((item) =>
      element("section.need", {}, element("b", {}, item.question ?? item.kind), " ", item.title,
        element("p.question-text", {}, item.text))));
    fill(this.workers, dashboard.workers.length > 0 && element("h2", {}, "Workers"),
      element("div.workers", {}, dashboard.workers.map((worker) => element(`article.worker.activity-${worker.activity}`, {},
        element("h3", {}, element("a", { href: taskAddress(this.run, worker.task) }, worker.attempt), " ", worker.title),
        element("p.doing", {}, element("span.segment", { "aria-hidden": "true" }), worker.activity,
          ` for ${duration(worker.elapsed_ms)}`)))));
    this.graph.refresh(moment.seq, moment.seq);
    this.timeline.refresh(moment.seq, moment.seq);
    keepList(this.activity, [...moment.activity].reverse(), (item) => String(item.seq), activityItem);
  }
}

/**
 * The times of a clock that skips what is longer than a minute.
 * @param {number[]} times
 */
function withoutLongGaps(times) {
  let skipped = 0;
  return times.map((time, at) => {
    const gap = at > 0 ? time - times[at - 1] : 0;
    skipped += Math.max(0, gap - LONGEST_GAP_MS);
    return time - skipped;
  });
}
