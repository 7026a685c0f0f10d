//! Lines, drawn after layout: from the top of the list, from what is under the pointer, from what is being declared, and from a few that stand.
import { now } from "./derive.js";
import { controller } from "./derive.js";
import { me, state } from "./store.js";

const NS = "http://www.w3.org/2000/svg";
const MAX_STANDING = 4;
let svg = null;

/** What points to what: `[from handle, {handle | seat | place}, whether it stands at the list]`. */
function pairs() {
  const out = [];
  const push = (from, to, kind) => out.push({ from, to, kind });
  const ofObject = (handle, kind) => {
    const o = now.objects[handle];
    if (!o) return;
    for (const target of o.chosen ?? []) push(handle, { obj: target }, kind);
    for (const seat of o.chosen_seats ?? []) push(handle, { seat }, kind);
    for (const status of now.layout.arrow ?? []) {
      const to = o.to?.[status];
      if (to === undefined) continue;
      if (!String(to).startsWith("seat")) push(handle, { obj: Number(to) }, kind);
    }
  };
  if (now.list?.handles.length) ofObject(now.list.handles[now.list.handles.length - 1], "far");
  const standing = [];
  for (const [handle, o] of Object.entries(now.objects)) {
    for (const status of now.layout.arrow ?? []) if (o.to?.[status] !== undefined && !String(o.to[status]).startsWith("seat") && now.drawn.has(Number(handle))) standing.push([Number(handle), Number(o.to[status])]);
  }
  for (const [from, to] of state.view?.facts?.arrows ?? []) if (now.drawn.has(from) && now.drawn.has(to)) standing.push([from, to]);
  if (standing.length <= MAX_STANDING) for (const [a, b] of standing) push(a, { obj: b }, "");
  if (state.ui.hover !== null) {
    ofObject(state.ui.hover, "");
    for (const [a, b] of standing) if (a === state.ui.hover || b === state.ui.hover) push(a, { obj: b }, "");
  }
  const { ask, pick } = state;
  if (ask?.kind === "assign" && pick) {
    for (const k of pick.picks) {
      const option = ask.options[k];
      if (option.on !== undefined && option.with !== undefined) push(option.on, { obj: option.with }, "");
    }
  }
  return out;
}

const byKey = (to) => (to.obj !== undefined ? document.querySelector(`.board [data-obj="${Number(to.obj)}"], .waits [data-obj="${Number(to.obj)}"]`) : document.querySelector(`.board [data-seat="${Number(to.seat)}"]`));

/** Draws the lines. */
export function drawLines() {
  if (!now) {
    svg?.remove();
    svg = null;
    return;
  }
  if (!svg) {
    svg = document.createElementNS(NS, "svg");
    svg.setAttribute("class", "lines");
    svg.setAttribute("aria-hidden", "true");
  }
  if (svg.parentNode !== document.body) document.body.append(svg);
  const seen = new Set();
  const parts = [];
  for (const { from, to, kind } of pairs()) {
    const key = `${from}>${to.obj ?? `s${to.seat}`}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const a = document.querySelector(`.board [data-obj="${Number(from)}"], .waits [data-obj="${Number(from)}"]`), b = byKey(to);
    if (!a || !b) continue;
    parts.push(...line(a.getBoundingClientRect(), b.getBoundingClientRect(), a.closest(".waits") !== null, b.closest(".waits") !== null, controller(now.objects[from]) === me() ? "me" : "foe", kind));
  }
  svg.replaceChildren(...parts);
}

function line(a, b, listed, toList, side, kind) {
  if (!a.width || !b.width) return [];
  const far = listed && !toList;
  const x1 = far ? a.left + 2 : a.left + a.width / 2;
  const y1 = far ? a.top + a.height / 2 : toList && listed ? a.bottom : a.top < b.top ? a.bottom : a.top;
  let x2 = far ? b.right + 3 : b.left + b.width / 2;
  const y2 = far ? b.top + b.height / 2 : a.top < b.top ? b.top - 3 : b.bottom + 3;
  if (far && b.right > a.left) x2 = b.left + b.width / 2;
  const bend = far ? Math.min(150, Math.abs(x1 - x2) * 0.45) : 0;
  const c1 = far ? [x1 - bend, y1] : [x1, (y1 + y2) / 2];
  const c2 = far ? [x2 + bend * 0.9, y2] : [x2, (y1 + y2) / 2];
  const cls = `${side} ${far ? "far" : ""} ${kind}`;
  const path = document.createElementNS(NS, "path");
  path.setAttribute("d", `M${x1} ${y1} C${c1} ${c2} ${x2} ${y2}`);
  path.setAttribute("class", cls);
  const angle = Math.atan2(y2 - c2[1], x2 - c2[0]);
  const p = (r, turn) => `${x2 + r * Math.cos(angle + turn)},${y2 + r * Math.sin(angle + turn)}`;
  const head = document.createElementNS(NS, "polygon");
  head.setAttribute("points", `${p(1, 0)} ${p(-10, 0.42)} ${p(-10, -0.42)}`);
  head.setAttribute("class", cls);
  return [path, head];
}
