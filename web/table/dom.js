//! Short ways to elements of the page.

/** All elements that match. @param {string} selector @param {ParentNode} [root] @returns {HTMLElement[]} */
export const all = (selector, root = document) => /** @type {HTMLElement[]} */ ([...root.querySelectorAll(selector)]);

/** The first element that matches. @param {string} selector @param {ParentNode} [root] @returns {HTMLElement | null} */
export const one = (selector, root = document) => root.querySelector(selector);

/** The nearest element from a target upwards that matches. @param {EventTarget | null | undefined} target @param {string} selector @returns {HTMLElement | null} */
export const up = (target, selector) => (target instanceof Element ? target.closest(selector) : null);
