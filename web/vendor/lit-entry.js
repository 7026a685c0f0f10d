export { html, nothing, render } from "lit-html";
export { repeat } from "lit-html/directives/repeat.js";
