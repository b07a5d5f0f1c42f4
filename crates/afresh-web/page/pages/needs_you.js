// @ts-check
// What waits for a person, of every run.

import { getJson } from "../api.js";
import { element, fill, keepList } from "../dom.js";
import { emptyNotice, noticeOf } from "../parts/notices.js";
import { keyOfNeed, questionCard } from "../parts/question_card.js";

/** @typedef {import("../schemas.d.ts").components["schemas"]} Schemas */

const POLL_INTERVAL_MS = 2000;

/** @param {import("../app.js").PageContext} context */
export async function needsYouPage({ content, signal, setTitle }) {
  setTitle("Needs you");
  const list = element("div");
  const rest = element("div");
  const undriven = element("div");
  fill(content, element("h1", {}, "Needs you"), list, rest, undriven);
  const noteUndriven = (/** @type {Schemas["AcceptedCommand"]} */ { run, driven }) => {
    if (driven) return;
    fill(undriven, element("div.notice", { role: "status" }, "The answer is kept, and no process drives the run: ",
      element("code", {}, `afresh resume ${run}`), " continues it."));
  };
  while (!signal.aborted) {
    try {
      /** @type {Schemas["RunNeeds"][]} */
      const needs = await getJson("/api/needs-you", signal);
      const key = (/** @type {Schemas["RunNeeds"]} */ need) => `${need.run} ${keyOfNeed(need.item)}`;
      keepList(list, needs, key, (need) => element("div", {},
        element("p.of-run", {}, element("a", { href: `#/run/${encodeURIComponent(need.run)}` }, need.run)),
        questionCard(need.run, need.item, noteUndriven)));
      setTitle(needs.length > 0 ? `(${needs.length}) Needs you` : "Needs you");
      fill(rest, needs.length === 0 && [emptyNotice("✓ Nothing waits for you."),
        element("p", {}, element("a", { href: "#/runs" }, "All runs"))]);
    } catch (failure) {
      if (signal.aborted) return;
      fill(rest, noticeOf(failure));
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}
