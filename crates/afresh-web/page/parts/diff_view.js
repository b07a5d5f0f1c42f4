// @ts-check
// A patch as lines, each of which can be commented on.

import { post, runPath } from "../api.js";
import { element, fill } from "../dom.js";
import { countOf } from "../format.js";
import { askThenAct } from "./confirmation.js";
import { emptyNotice } from "./notices.js";

/** @typedef {import("../schemas.d.ts").components["schemas"]} Schemas */

/** Files with more lines are folded at first. */
const MAX_OPEN_LINES = 400;

/**
 * @typedef {object} PatchFile
 * @property {string} path
 * @property {PatchLine[]} lines
 */

/**
 * @typedef {object} PatchLine
 * @property {"context" | "added" | "removed" | "place"} kind
 * @property {number | null} number in the new file
 * @property {string} text
 */

/**
 * @param {string} run
 * @param {string} task
 * @param {Schemas["AttemptDiff"]} diff
 */
export function diffView(run, task, diff) {
  if (diff.files.length === 0) return emptyNotice("nothing changed");
  const files = parsePatch(diff.patch);
  const changed = new Map(diff.files.map((file) => [file.path, file]));
  return element("div.diff", {},
    element("p.muted", {}, `${countOf(diff.files.length, "file")}, `, element("span.good", {}, `+${diff.added}`), " ",
      element("span.bad", {}, `−${diff.removed}`), "; click a line number to comment on it, a second one for a range"),
    files.map((file) => fileView(run, task, diff, file, changed.get(file.path))),
    diff.is_cut && element("p.warn", {}, "the end is missing here; `afresh diff` shows all of it"));
}

/**
 * @param {string} run
 * @param {string} task
 * @param {Schemas["AttemptDiff"]} diff
 * @param {PatchFile} file
 * @param {Schemas["ChangedFileOutput"] | undefined} changed
 */
function fileView(run, task, diff, file, changed) {
  const rows = element("tbody");
  const selection = { from: 0, to: 0 };
  const comment = element("div.comment-bar");
  const select = (/** @type {number} */ number) => {
    const isSecond = selection.from > 0 && selection.from === selection.to && number !== selection.from;
    selection.from = isSecond ? Math.min(selection.from, number) : number;
    selection.to = isSecond ? Math.max(selection.to, number) : number;
    for (const row of rows.children) {
      const own = Number(row.getAttribute("data-line"));
      row.classList.toggle("selected", own >= selection.from && own <= selection.to && own > 0);
    }
    const lines = selection.from === selection.to ? `${selection.from}` : `${selection.from}-${selection.to}`;
    const place = `${file.path}:${lines}`;
    fill(comment, element("button", { type: "button", onclick: () => commentOn(run, task, diff, place) },
      `Comment on ${place}`));
  };
  for (const line of file.lines) rows.append(lineRow(line, select));
  const counts = changed ? ` +${changed.added} −${changed.removed}` : "";
  return element("details.file", { open: file.lines.length <= MAX_OPEN_LINES },
    element("summary", {}, element("span.mono", {}, file.path), element("span.muted", {}, counts)),
    comment, element("div.wide", { tabindex: 0, role: "group", "aria-label": file.path },
      element("table.patch", {}, rows)));
}

/**
 * @param {PatchLine} line
 * @param {(number: number) => void} select
 */
function lineRow(line, select) {
  const { number } = line;
  const mark = { added: "+", removed: "−", context: " ", place: " " }[line.kind];
  return element(`tr.${line.kind}`, { "data-line": number },
    element("td.number", {}, number !== null && element("button", {
      type: "button", onclick: () => select(number), "aria-label": `line ${number}`,
    }, number)),
    element("td.sign", {}, mark), element("td.code", {}, line.text));
}

/**
 * @param {string} run
 * @param {string} task
 * @param {Schemas["AttemptDiff"]} diff
 * @param {string} place
 */
function commentOn(run, task, diff, place) {
  askThenAct({
    title: `Comment on ${place}`,
    explanation: `The running worker of ${task} gets it if its program can take it, else the next one.`,
    verb: "Send", input: "Comment", isRequired: true, done: "the comment is sent",
    act: (text) => post(`${runPath(run)}/tell`, { task: diff.attempt ?? task, text, on: place }),
  });
}

/**
 * @param {string} patch
 * @returns {PatchFile[]}
 */
export function parsePatch(patch) {
  /** @type {PatchFile[]} */
  const files = [];
  let number = 0;
  let isInHunk = false;
  for (const line of patch.split("\n")) {
    const file = files.at(-1);
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)/.exec(line);
    if (line.startsWith("diff --git ")) {
      files.push({ path: pathOf(line), lines: [] });
      isInHunk = false;
    } else if (file && hunk) {
      number = Number(hunk[1]);
      isInHunk = true;
      file.lines.push({ kind: "place", number: null, text: `⋯ ${hunk[2].trim()}` });
    } else if (file && isInHunk && line.startsWith("+")) {
      file.lines.push({ kind: "added", number: number++, text: line.slice(1) });
    } else if (file && isInHunk && line.startsWith("-")) {
      file.lines.push({ kind: "removed", number: null, text: line.slice(1) });
    } else if (file && isInHunk && line.startsWith(" ")) {
      file.lines.push({ kind: "context", number: number++, text: line.slice(1) });
    } else if (file && !isInHunk && line.startsWith("+++ b/")) {
      file.path = line.slice("+++ b/".length);
    } else if (file && /^(Binary files|rename|deleted|new file|\\)/.test(line)) {
      file.lines.push({ kind: "place", number: null, text: line.replace(/ mode \d+$/, "") });
    }
  }
  return files;
}

/** @param {string} header `diff --git a/PATH b/PATH` */
function pathOf(header) {
  const paths = header.slice("diff --git a/".length);
  return paths.slice(Math.ceil((paths.length + 3) / 2));
}
