// @ts-check
// Requests to the server, and the stream of a run's updates.

/** @typedef {import("./schemas.d.ts").components["schemas"]} Schemas */

const TOKEN_KEY = "afresh-token";
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4000;

/** An answer of the server that is not the one that was asked for. */
export class RequestFailure extends Error {
  /**
   * @param {number} status 0 if the server cannot be reached
   * @param {string} message
   * @param {string | null} hint
   */
  constructor(status, message, hint = null) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

/** Takes the token out of the address, so that it is neither copied nor kept in the browser's history. */
export function takeToken() {
  const found = /(?:^#|&)token=([0-9a-f]+)/.exec(location.hash);
  if (!found) return;
  sessionStorage.setItem(TOKEN_KEY, found[1]);
  history.replaceState(null, "", `${location.pathname}#/`);
}

export function hasToken() {
  return sessionStorage.getItem(TOKEN_KEY) !== null;
}

function authorization() {
  return { Authorization: `Bearer ${sessionStorage.getItem(TOKEN_KEY) ?? ""}` };
}

/**
 * @param {string} path
 * @param {RequestInit} options
 * @returns {Promise<Response>}
 */
async function request(path, options) {
  const headers = { ...authorization(), ...options.headers };
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new RequestFailure(0, "the server does not answer");
  }
  if (response.ok) return response;
  throw await failureOf(response);
}

/** @param {Response} response */
async function failureOf(response) {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text);
    return new RequestFailure(response.status, String(error.message), error.help);
  } catch {
    return new RequestFailure(response.status, text || response.statusText);
  }
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function getJson(path, signal) {
  return (await request(path, { signal })).json();
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 */
export async function getText(path, signal) {
  return (await request(path, { signal })).text();
}

/**
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>}
 */
export async function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  return (await request(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

/** @param {string} run */
export function runPath(run) {
  return `/api/runs/${encodeURIComponent(run)}`;
}

/**
 * Calls back with every update of a run, reconnects after breaks, and continues after the last update that it has.
 * @param {string} run
 * @param {{
 *   update: (update: Schemas["ViewUpdate"]) => void,
 *   connection: (state: "open" | "lost" | "refused", failure?: RequestFailure) => void,
 * }} listener
 * @param {AbortSignal} signal ends it
 */
export async function followRun(run, listener, signal) {
  let last = "";
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      /** @type {Record<string, string>} */
      const headers = last ? { "Last-Event-ID": last } : {};
      const response = await request(`${runPath(run)}/updates`, { headers, signal });
      listener.connection("open");
      pause = FIRST_PAUSE_MS;
      for await (const event of readEvents(response)) {
        if (event.name !== "update") continue;
        last = event.id;
        listener.update(JSON.parse(event.data));
      }
      listener.connection("lost");
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof RequestFailure && error.status >= 400 && error.status < 500) {
        listener.connection("refused", error);
        return;
      }
      listener.connection("lost");
    }
    await sleep(pause, signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/**
 * Server-sent events; `EventSource` cannot send the token in a header.
 * @param {Response} response
 */
async function* readEvents(response) {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    let end;
    while ((end = text.indexOf("\n\n")) >= 0) {
      const event = parseEvent(text.slice(0, end));
      text = text.slice(end + 2);
      if (event.data) yield event;
    }
  }
}

/** @param {string} text */
function parseEvent(text) {
  const event = { name: "message", id: "", data: "" };
  for (const line of text.split("\n")) {
    const at = line.indexOf(":");
    const value = line.slice(at + 1).replace(/^ /, "");
    const field = line.slice(0, at);
    if (field === "event") event.name = value;
    else if (field === "id") event.id = value;
    else if (field === "data") event.data += event.data ? `\n${value}` : value;
  }
  return event;
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function sleep(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}
