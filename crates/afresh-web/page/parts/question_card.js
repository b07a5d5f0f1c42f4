// @ts-check
// Something that waits for a person, answered in place.

import { post, runPath } from "../api.js";
import { announce, element, fill } from "../dom.js";
import { countOf } from "../format.js";
import { noticeOf } from "./notices.js";
import { taskAddress } from "./states.js";

/** @typedef {import("../schemas.d.ts").components["schemas"]} Schemas */

/** @param {Schemas["NeedsYou"]} item */
export function keyOfNeed(item) {
  return item.question ?? item.kind;
}

/**
 * @param {string} run
 * @param {Schemas["NeedsYou"]} item
 * @param {(accepted: Schemas["AcceptedCommand"]) => void} [answered] is told of the answer before the card goes
 */
export function questionCard(run, item, answered = () => {}) {
  const place = element("div");
  const answer = (/** @type {string} */ text) => sendAnswer(run, item, text, card, place, answered);
  const card = element("section.need", { "aria-label": `${keyOfNeed(item)}: ${item.title}` },
    element("h3", {}, element("span.glyph", { "aria-hidden": "true" }, item.question ? "?" : "‖"), " ",
      item.question && element("span.mono", {}, `${item.question} `),
      item.task ? element("a", { href: taskAddress(run, item.task) }, `${item.task} ${item.title}`) : item.title),
    element("p.muted", {}, `${item.kind}; ${countOf(item.blocks, "task")} ${item.blocks === 1 ? "waits" : "wait"} for it`),
    element("p.question-text", {}, item.text),
    item.question ? answerForm(item, answer) : actionForm(run, item, place),
    place,
    element("p.muted.small", {}, "or in a terminal: ", element("code", {}, item.command)));
  return card;
}

/**
 * @param {Schemas["NeedsYou"]} item
 * @param {(text: string) => void} answer
 */
function answerForm(item, answer) {
  const choose = (/** @type {string} */ key) => {
    // This answer is nothing without words.
    if (`${key}:` === item.words) text.focus();
    else answer(key);
  };
  const options = item.options.map((option) =>
    element("button.option", { type: "button", onclick: () => choose(option.key) },
      element("b", {}, option.key), " ", option.description));
  const text = /** @type {HTMLInputElement} */ (element("input", {
    type: "text", autocomplete: "off", "aria-label": `an answer to ${item.question} in your own words`,
    placeholder: item.words === "clarify:" ? "or a note for the next worker" : "or in your own words",
  }));
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const words = text.value.trim();
    const isListed = item.options.some((option) => option.key === words);
    if (words) answer(isListed || words.startsWith(item.words ?? "") ? words : `${item.words} ${words}`);
  };
  return element("div", {}, element("div.options", {}, options), item.words &&
    element("form.own-answer", { onsubmit: submit }, text, " ", element("button", { type: "submit" }, "Answer")));
}

/**
 * What stops a run as a whole: only a halt can be cleared from here.
 * @param {string} run
 * @param {Schemas["NeedsYou"]} item
 * @param {HTMLElement} place
 */
function actionForm(run, item, place) {
  if (item.kind !== "halted") return null;
  const clear = async () => {
    try {
      await post(`${runPath(run)}/clear-halt`, {});
      announce("the halt is cleared");
    } catch (failure) {
      fill(place, noticeOf(failure));
    }
  };
  return element("p", {}, element("button", { type: "button", onclick: clear }, "Clear the halt"));
}

/**
 * @param {string} run
 * @param {Schemas["NeedsYou"]} item
 * @param {string} answer
 * @param {HTMLElement} card
 * @param {HTMLElement} place
 * @param {(accepted: Schemas["AcceptedCommand"]) => void} answered
 */
async function sendAnswer(run, item, answer, card, place, answered) {
  const controls = /** @type {NodeListOf<HTMLButtonElement | HTMLInputElement>} */ (
    card.querySelectorAll("button, input"));
  controls.forEach((control) => { control.disabled = true; });
  try {
    answered(await post(`${runPath(run)}/answer`, { question: item.question, answer }));
    fill(place, element("p.good", {}, `✓ answered: ${answer}`));
    announce(`${item.question} is answered`);
  } catch (failure) {
    fill(place, noticeOf(failure));
    controls.forEach((control) => { control.disabled = false; });
  }
}
