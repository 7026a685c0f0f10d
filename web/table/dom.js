//! Short ways to elements of the page.

/** All elements that match. @param {string} selector @param {ParentNode} [root] @returns {HTMLElement[]} */
export const all = (selector, root = document) => /** @type {HTMLElement[]} */ ([...root.querySelectorAll(selector)]);

/** The first element that matches. @param {string} selector @param {ParentNode} [root] @returns {HTMLElement | null} */
export const one = (selector, root = document) => root.querySelector(selector);

/** The nearest element from a target upwards that matches. @param {EventTarget | null | undefined} target @param {string} selector @returns {HTMLElement | null} */
export const up = (target, selector) => (target instanceof Element ? target.closest(selector) : null);

const applied = new WeakMap();

/** Sets the custom properties that elements name in `data-vars`: numbers only. @param {ParentNode} root */
export function dress(root) {
  for (const e of all("[data-vars]", root)) {
    const text = e.dataset.vars;
    const before = applied.get(e);
    if (before?.text === text) continue;
    const names = new Set();
    for (const part of text.split(";")) {
      const [name, value] = part.split(":");
      if (!name || !Number.isFinite(Number(value))) continue;
      e.style.setProperty(`--${name}`, String(Number(value)));
      names.add(name);
    }
    for (const name of before?.names ?? []) if (!names.has(name)) e.style.removeProperty(`--${name}`);
    applied.set(e, { text, names });
  }
}
