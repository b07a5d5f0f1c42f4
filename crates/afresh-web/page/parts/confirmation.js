// @ts-check
// Actions that change a run ask first, in a dialog that the keyboard can use.

import { announce, element, fill } from "../dom.js";
import { noticeOf } from "./notices.js";

/**
 * @typedef {object} ActionDialog
 * @property {string} title
 * @property {string} explanation
 * @property {string} verb on the button
 * @property {string} [input] the label of a text that belongs to it
 * @property {boolean} [isRequired] whether the text may be empty
 * @property {(text: string) => Promise<unknown>} act
 * @property {string} done what is announced afterwards
 */

/** @param {ActionDialog} action */
export function askThenAct(action) {
  const problem = element("div");
  const text = action.input
    ? /** @type {HTMLTextAreaElement} */ (element("textarea", { rows: 3, required: action.isRequired ?? false }))
    : null;
  const confirm = /** @type {HTMLButtonElement} */ (element("button.primary", { type: "submit" }, action.verb));
  const dialog = /** @type {HTMLDialogElement} */ (element("dialog", { "aria-label": action.title }));
  const act = async (/** @type {Event} */ event) => {
    event.preventDefault();
    confirm.disabled = true;
    try {
      await action.act(text?.value.trim() ?? "");
      announce(action.done);
      dialog.close();
    } catch (failure) {
      fill(problem, noticeOf(failure));
      confirm.disabled = false;
    }
  };
  fill(dialog, element("form", { onsubmit: act },
    element("h2", {}, action.title), element("p", {}, action.explanation),
    text && element("label", {}, action.input ?? "", text), problem,
    element("p.buttons", {}, confirm, " ",
      element("button", { type: "button", onclick: () => dialog.close() }, "Cancel"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  (text ?? confirm).focus();
}
