//! Motion: objects go from where they were to where they are, in beats. Nothing depends on it.
import { all } from "./dom.js";

const BEAT = 250;
const ALL = 1200;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether anything is to move. */
export const wanted = () => !still.matches && !document.hidden;

/** Where everything is now: objects by handle, zones by key. */
export function places() {
  const objects = new Map(), zones = new Map();
  for (const e of all("[data-obj]")) {
    if (e.closest(".side .log, .big, .tray, .list")) continue;
    if (!objects.has(e.dataset.obj)) objects.set(e.dataset.obj, e.getBoundingClientRect());
  }
  for (const e of all("[data-zones]")) {
    for (const key of e.dataset.zones.split(" ")) zones.set(key, e.getBoundingClientRect());
  }
  return { objects, zones };
}

const middle = (r) => [r.left + r.width / 2, r.top + r.height / 2];

/**
 * Plays the moves of events. Returns for how many milliseconds.
 * @param {any[]} events @param {{objects: Map<string, DOMRect>, zones: Map<string, DOMRect>}} before
 */
export function play(events, before) {
  const beats = [...new Set(events.filter((e) => e.moves?.length).map((e) => e.beat))];
  if (!beats.length) return 0;
  const step = Math.min(BEAT, ALL / beats.length);
  const after = places();
  const elements = new Map();
  for (const e of all("[data-obj]")) if (!e.closest(".log, .big, .tray, .list") && !elements.has(e.dataset.obj)) elements.set(e.dataset.obj, e);
  let moved = false;
  for (const event of events) {
    const delay = beats.indexOf(event.beat) * step;
    for (const move of event.moves ?? []) {
      const from = (move.was !== undefined && before.objects.get(String(move.was))) || before.zones.get(move.from);
      const target = move.is !== undefined ? elements.get(String(move.is)) : null;
      const to = target ? target.getBoundingClientRect() : after.zones.get(move.to);
      if (!from || !to || !from.width || !to.width) continue;
      const [x1, y1] = middle(from), [x2, y2] = middle(to);
      if (Math.hypot(x1 - x2, y1 - y2) < 6) continue;
      moved = true;
      if (target) {
        target.animate([{ transform: `translate(${x1 - x2}px, ${y1 - y2}px) scale(.82)`, zIndex: 30, opacity: 0.85 }, { transform: "none", zIndex: 30, opacity: 1 }],
          { duration: step, delay, easing: "cubic-bezier(.2,.7,.3,1)", fill: "backwards" });
      } else {
        for (let k = 0; k < Math.min(move.count ?? 1, 5); k++) ghost(x1, y1, x2, y2, step, delay + k * 30);
      }
    }
  }
  return moved ? beats.length * step : 0;
}

/** A back that goes from one place to another. */
function ghost(x1, y1, x2, y2, duration, delay) {
  const e = document.createElement("i");
  e.className = "flying";
  e.setAttribute("aria-hidden", "true");
  document.body.append(e);
  const run = e.animate([{ transform: `translate(${x1}px, ${y1}px)`, opacity: 1 }, { transform: `translate(${x2}px, ${y2}px)`, opacity: 0.2 }], { duration, delay, easing: "ease-in-out", fill: "backwards" });
  run.onfinish = run.oncancel = () => e.remove();
}
