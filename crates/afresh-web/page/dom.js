// @ts-check
// Making elements. Every text becomes a text node, so nothing that a worker printed can become markup.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Makes an element: `element("a.button", {href: "#/"}, "Runs")`. Names that begin with "on" are listeners.
 * @param {string} name the tag, then classes after dots
 * @param {Record<string, unknown>} [attributes] those that are null or false are left out
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function element(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length > 0) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  append(made, children);
  return made;
}

/**
 * @param {Element} parent
 * @param {(Child | Child[])[]} children
 */
export function append(parent, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
}

/**
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

/**
 * Fills an element again only if what it shows has changed, so that focus and selection stay where they are.
 * @param {HTMLElement} parent
 * @param {unknown} shown what decides how it looks
 * @param {() => Child | Child[]} make
 */
export function fillIfChanged(parent, shown, make) {
  const key = JSON.stringify(shown);
  if (fingerprints.get(parent) === key) return;
  fingerprints.set(parent, key);
  fill(parent, make());
}

/** @type {WeakMap<Element, string>} */
const fingerprints = new WeakMap();

/**
 * Keeps one element per item, in the order of the items; those that are the same as before are left alone.
 * @template T
 * @param {HTMLElement} parent
 * @param {T[]} items
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => HTMLElement} make
 */
export function keepList(parent, items, keyOf, make) {
  /** @type {Map<string, HTMLElement>} */
  const known = new Map();
  for (const child of parent.children) {
    if (child instanceof HTMLElement && child.dataset.key) known.set(child.dataset.key, child);
  }
  /** @type {Element | null} */
  let next = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    const shown = JSON.stringify(item);
    let kept = known.get(key);
    known.delete(key);
    if (kept && fingerprints.get(kept) !== shown) {
      const fresh = make(item);
      kept.replaceWith(fresh);
      if (next === kept) next = fresh;
      kept = fresh;
    }
    kept ??= make(item);
    kept.dataset.key = key;
    fingerprints.set(kept, shown);
    if (kept === next) next = next.nextElementSibling;
    else parent.insertBefore(kept, next);
  }
  for (const left of known.values()) left.remove();
}

/**
 * @param {string} text read out by screen readers
 */
export function announce(text) {
  const place = document.getElementById("announcements");
  if (place) place.textContent = text;
}
