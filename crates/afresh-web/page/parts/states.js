// @ts-check
// States as a glyph and a word.

import { element } from "../dom.js";
import { STATE_GLYPHS } from "../format.js";

/** @param {string} state */
export function stateLabel(state) {
  return element(`span.state.state-${state}`, {},
    element("span.glyph", { "aria-hidden": "true" }, STATE_GLYPHS[state] ?? "·"), ` ${state}`);
}

/**
 * @param {string} run
 * @param {string} task
 */
export function taskAddress(run, task) {
  return `#/run/${encodeURIComponent(run)}/task/${encodeURIComponent(task)}`;
}

/**
 * The head of a table. Columns of numbers end with "#"; those that a phone has no room for begin with "-".
 * @param {string[]} columns
 */
export function tableHead(columns) {
  return element("thead", {}, element("tr", {}, columns.map((column) => {
    const classes = (column.endsWith("#") ? ".right" : "") + (column.startsWith("-") ? ".minor" : "");
    return element(`th${classes}`, { scope: "col" }, column.replace(/^-|#$/g, ""));
  })));
}

/**
 * A box with a figure and what it means.
 * @param {string} figure
 * @param {string} meaning
 * @param {string} [detail]
 */
export function figureBox(figure, meaning, detail) {
  return element("div.figure", {}, element("b", {}, figure), element("span", {}, meaning),
    detail && element("small", {}, detail));
}

/**
 * How full a context is, with marks at the limits.
 * @param {import("../schemas.d.ts").components["schemas"]["ContextBar"]} bar
 */
export function contextMeter(bar) {
  const percent = bar.used ?? bar.prompt;
  if (percent === null || percent === undefined) return element("span.muted", {}, "context unknown");
  const estimate = bar.estimate === null || bar.estimate === undefined ? "" : `, expected ${bar.estimate} %`;
  const label = `context ${percent} %, warned at ${bar.soft} %, stopped at ${bar.hard} %${estimate}`;
  const meter = element("meter", {
    min: 0, max: 100, low: bar.soft, high: bar.hard, optimum: 0, value: Math.min(percent, 100), title: label,
    "aria-label": label,
  });
  const what = bar.used === null || bar.used === undefined ? "prompt " : "";
  return element("span.context", {}, meter, ` ${what}${percent} %`);
}
