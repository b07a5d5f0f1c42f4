// @ts-check
// What went wrong, and what to do about it.

import { RequestFailure } from "../api.js";
import { element } from "../dom.js";

/**
 * @param {number} status
 * @param {string} message
 * @param {string | null} hint
 */
export function failureNotice(status, message, hint) {
  const title = status === 401 || status === 403 ? "This page has no access" : "This does not work";
  const fallback = status === 401 ? "open the address that `afresh serve` printed, with everything after the #" : null;
  return element("div.notice.bad", { role: "alert" },
    element("strong", {}, `✗ ${title}`), element("p", {}, message),
    (hint ?? fallback) && element("p.muted", {}, `hint: ${hint ?? fallback}`));
}

/** @param {unknown} failure */
export function noticeOf(failure) {
  if (failure instanceof RequestFailure) return failureNotice(failure.status, failure.message, failure.hint);
  return failureNotice(0, String(failure), null);
}

/** @param {string} text */
export function emptyNotice(text) {
  return element("p.empty.muted", {}, text);
}

/**
 * Fills a place with what a request brings, or with why it failed.
 * @template T
 * @param {HTMLElement} place
 * @param {Promise<T>} request
 * @param {(found: T) => void} show
 * @param {AbortSignal} signal
 */
export async function showWhenLoaded(place, request, show, signal) {
  try {
    const found = await request;
    if (!signal.aborted) show(found);
  } catch (failure) {
    if (!signal.aborted) place.replaceChildren(noticeOf(failure));
  }
}
