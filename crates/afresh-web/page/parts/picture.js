// @ts-check
// Pictures that the server draws. They become part of the page, so that its style and its links work in them.

import { getText, runPath } from "../api.js";
import { element, fill } from "../dom.js";
import { noticeOf } from "./notices.js";
import { taskAddress } from "./states.js";

const REDRAW_INTERVAL_MS = 1000;
/** Redrawing large pictures takes the browser some time. */
const LARGE_PICTURE_CHARS = 300_000;
const LARGE_REDRAW_INTERVAL_MS = 5000;

const SMALLEST_SCALE = 0.8;

/** A picture of a run that is drawn again when the run has changed and it can be seen. */
export class LivePicture {
  /**
   * @param {string} run
   * @param {string} name
   * @param {AbortSignal} signal
   */
  constructor(run, name, signal) {
    this.run = run;
    this.name = name;
    this.signal = signal;
    this.place = element("div.wide", { tabindex: 0, role: "group", "aria-label": name.replace(".svg", "") });
    this.drawnSeq = -1;
    this.wantedSeq = -1;
    this.interval = REDRAW_INTERVAL_MS;
    this.isDrawing = false;
    /** @type {number | null} */
    this.at = null;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.place.addEventListener("click", (event) => this.openTask(event));
    signal.addEventListener("abort", () => clearTimeout(this.timer), { once: true });
  }

  /**
   * @param {number} seq the last record that there is
   * @param {number | null} at draws the run as it was after this record, instead of now
   */
  refresh(seq, at = null) {
    this.wantedSeq = seq;
    this.at = at;
    if (seq === this.drawnSeq || this.isDrawing || this.timer !== undefined || !this.place.isConnected) return;
    const draw = () => {
      this.timer = undefined;
      this.draw(this.wantedSeq);
    };
    if (this.drawnSeq < 0) draw();
    else this.timer = setTimeout(draw, this.interval);
  }

  /** @param {number} seq */
  async draw(seq) {
    this.isDrawing = true;
    try {
      const moment = this.at === null ? "" : `?at=${this.at}`;
      const text = await getText(`${runPath(this.run)}/pictures/${this.name}${moment}`, this.signal);
      this.interval = text.length > LARGE_PICTURE_CHARS ? LARGE_REDRAW_INTERVAL_MS : REDRAW_INTERVAL_MS;
      fill(this.place, parsePicture(text));
      this.drawnSeq = seq;
    } catch (failure) {
      // The next update draws it; a connection that is lost is shown elsewhere.
      if (!this.signal.aborted && this.drawnSeq < 0) fill(this.place, noticeOf(failure));
    } finally {
      this.isDrawing = false;
    }
    if (this.drawnSeq >= 0 && !this.signal.aborted) this.refresh(this.wantedSeq, this.at);
  }

  /** @param {Event} event */
  openTask(event) {
    const target = event.target instanceof Element ? event.target.closest("[data-task]") : null;
    const task = target?.getAttribute("data-task");
    if (task) location.hash = taskAddress(this.run, task);
  }
}

/** @param {string} text */
function parsePicture(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const root = parsed.documentElement;
  if (root.localName !== "svg") throw new Error("the picture cannot be read");
  const picture = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(root, true)));
  // A little too wide for the page, it becomes smaller; anything wider is scrolled, so that it can be read.
  const width = Number(root.getAttribute("width"));
  Object.assign(picture.style, { width: "100%", height: "auto", maxWidth: `${width}px`, minWidth: `${width * SMALLEST_SCALE}px` });
  return picture;
}
