// @ts-check
// One line of what happened.

import { element } from "../dom.js";
import { timeOfDay } from "../format.js";

/** @param {import("../schemas.d.ts").components["schemas"]["ActivityItem"]} item */
export function activityItem(item) {
  return element(`li.level-${item.level}`, {}, element("time.muted.mono", {}, timeOfDay(item.at_ms)), " ",
    element("b", {}, item.who), " ", element("span.muted", {}, item.event), " ", item.message);
}
