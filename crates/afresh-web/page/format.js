// @ts-check
// Figures as people read them; the same forms as in the terminal.

/** @param {number} milliseconds */
export function duration(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h ${String(minutes % 60).padStart(2, "0")}m`;
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** @param {number} count */
export function tokens(count) {
  if (count < 1000) return String(count);
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 100_000 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(2)}M`;
}

/** @param {number | null | undefined} micros millionths of a dollar */
export function cost(micros) {
  if (micros === null || micros === undefined) return "unknown";
  return `$${(micros / 1e6).toFixed(micros < 1_000_000 ? 3 : 2)}`;
}

/** @param {number | null | undefined} dollars */
export function dollars(dollars) {
  return dollars === null || dollars === undefined ? "unknown" : cost(Math.round(dollars * 1e6));
}

/** The same where nothing beside it says what it is. @param {number | null | undefined} amount in dollars */
export function costOf(amount) {
  return amount === null || amount === undefined ? "cost unknown" : dollars(amount);
}

/** @param {number} milliseconds */
export function timeOfDay(milliseconds) {
  return new Date(milliseconds).toLocaleTimeString([], { hour12: false });
}

/** @param {string} moment */
export function dateAndTime(moment) {
  return new Date(moment).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

/**
 * @param {number} count
 * @param {string} noun
 */
export function countOf(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** One character per state, so that colour is never the only difference. */
export const STATE_GLYPHS = /** @type {Record<string, string>} */ ({
  pending: "·", ready: "○", running: "▶", checking: "◎", merging: "⇥", done: "✓", failed: "✗", skipped: "⊘",
  waiting: "?", blocked: "⊟", outcompeted: "⊘", proved: "✓", halted: "‖", aborted: "✗", interrupted: "!",
});
