// @ts-check
// The present state of a run, kept up to date by its stream. Every page of a run reads the same one.

import { followRun } from "./api.js";

/** @typedef {import("./schemas.d.ts").components["schemas"]} Schemas */

const MAX_ACTIVITY = 200;

export class LiveRun {
  /** @param {string} run */
  constructor(run) {
    this.run = run;
    /** @type {Schemas["ViewUpdate"] | null} what was last sent */
    this.latest = null;
    /** @type {Map<string, Schemas["TaskRow"]>} */
    this.rows = new Map();
    /** @type {string[]} */
    this.order = [];
    /** @type {Schemas["ActivityItem"][]} */
    this.activity = [];
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    this.ending = new AbortController();
  }

  /** @param {(state: "open" | "lost" | "refused", failure?: import("./api.js").RequestFailure) => void} connection */
  start(connection) {
    const update = (/** @type {Schemas["ViewUpdate"]} */ fresh) => this.apply(fresh);
    followRun(this.run, { update, connection }, this.ending.signal);
  }

  stop() {
    this.ending.abort();
  }

  /** @param {Schemas["ViewUpdate"]} fresh */
  apply(fresh) {
    this.latest = fresh;
    for (const row of fresh.tasks) this.rows.set(row.id, row);
    if (fresh.task_order) this.order = fresh.task_order;
    this.addActivity(fresh.activity);
    for (const listener of this.listeners) listener();
  }

  /** @param {Schemas["ActivityItem"][]} items */
  addActivity(items) {
    const last = this.activity.at(-1)?.seq ?? 0;
    this.activity.push(...items.filter((item) => item.seq > last));
    this.activity.splice(0, this.activity.length - MAX_ACTIVITY);
  }

  /** The rows in the plan's order. */
  tasks() {
    return this.order.flatMap((id) => this.rows.get(id) ?? []);
  }

  /**
   * Calls back now, if something is known, and after each update.
   * @param {() => void} listener
   * @param {AbortSignal} signal ends it
   */
  listen(listener, signal) {
    this.listeners.add(listener);
    signal.addEventListener("abort", () => this.listeners.delete(listener), { once: true });
    if (this.latest) listener();
  }
}
