// @ts-check
// What a worker did: its texts, and each tool call folded with what it returned.

import { getJson, runPath } from "../api.js";
import { element, fill } from "../dom.js";
import { emptyNotice, noticeOf } from "./notices.js";

/** @typedef {import("../schemas.d.ts").components["schemas"]} Schemas */

const POLL_INTERVAL_MS = 1000;

/** Reads on as long as the page is open and the attempt runs. */
export class TranscriptView {
  /**
   * @param {string} run
   * @param {string} attempt
   * @param {AbortSignal} signal
   */
  constructor(run, attempt, signal) {
    this.path = `${runPath(run)}/attempts/${encodeURIComponent(attempt)}/transcript`;
    this.signal = signal;
    this.list = element("ol.transcript");
    this.rest = element("div");
    this.place = element("div", {}, this.list, this.rest);
    this.next = 0;
    this.isFirst = true;
  }

  /** @param {() => boolean} isRunning whether more may come */
  async follow(isRunning) {
    while (!this.signal.aborted) {
      const mayGrow = isRunning();
      try {
        /** @type {Schemas["FoldedTranscript"]} */
        const piece = await getJson(`${this.path}?from=${this.next}`, this.signal);
        this.add(piece, mayGrow);
        if (piece.next < piece.size && piece.entries.length > 0) continue;
        if (!mayGrow) return;
      } catch (failure) {
        if (this.signal.aborted) return;
        if (this.isFirst) fill(this.rest, noticeOf(failure));
        if (!mayGrow) return;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  }

  /**
   * @param {Schemas["FoldedTranscript"]} piece
   * @param {boolean} mayGrow
   */
  add(piece, mayGrow) {
    this.next = piece.next;
    for (const entry of piece.entries) this.list.append(entryItem(entry));
    fill(this.rest, this.list.children.length === 0 && emptyNotice(
      mayGrow ? "The worker has printed nothing yet." : "The worker printed nothing."));
    this.isFirst = false;
  }
}

/** @param {Schemas["TranscriptEntry"]} entry */
function entryItem(entry) {
  if (entry.kind !== "tool") return element(`li.entry-${entry.kind}`, {}, entry.text);
  const state = entry.failed ? "✗ " : entry.output === undefined || entry.output === null ? "… " : "";
  const line = [element(entry.failed ? "b.bad" : "b", {}, `${state}${entry.tool}`), " ",
    element("span.mono", {}, entry.about)];
  if (!entry.output) return element("li.entry-tool", {}, line);
  return element("li.entry-tool", {},
    element("details", {}, element("summary", {}, line), element("pre", { tabindex: 0 }, entry.output)));
}
