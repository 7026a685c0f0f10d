//! Keys: Tab goes from zone to zone, arrows within, Enter uses, Space is the main button, `?` asks why not, `P`, `L`, Esc.
import { askWhy, back, isMany, mainButton, pickAll, pickNone } from "./ask.js";
import { all, one, up } from "./dom.js";
import { openUntil } from "./bar.js";
import { redraw, state } from "./store.js";
import { send } from "./socket.js";

const typing = (e) => e instanceof HTMLElement && (e.matches("input:not([type=radio]):not([type=checkbox]), textarea, select") || e.isContentEditable);

/** The items of a zone, in order. @param {Element} zone */
const items = (zone) => all("[data-item]", zone).filter((e) => e.closest("[data-zone]") === zone && !e.hasAttribute("disabled"));

/** Makes one item of each zone reachable by Tab. */
export function rove() {
  for (const zone of all("[data-zone]")) {
    const list = items(zone);
    if (!list.length) continue;
    const current = list.find((e) => e === document.activeElement) ?? list.find((e) => e.dataset.last === "1") ?? list.find((e) => e.matches(".can, .aimable, .picked")) ?? list[0];
    for (const e of list) {
      const want = e === current ? "0" : "-1";
      if (e.getAttribute("tabindex") !== want) e.setAttribute("tabindex", want);
    }
  }
}

let lastZone = null, lastIndex = 0;

/** Remembers where the focus is, so that it can stay near if the item disappears. */
export function noteFocus() {
  const e = /** @type {HTMLElement | null} */ (document.activeElement);
  const zone = up(e, "[data-zone]");
  if (!zone || !e.matches("[data-item]")) {
    if (e && e !== document.body) lastZone = null;
    return;
  }
  const list = items(zone);
  for (const x of list) delete x.dataset.last;
  e.dataset.last = "1";
  lastZone = zone;
  lastIndex = list.indexOf(e);
}

/** Puts the focus back near where it was, after a drawing that has removed the item. */
export function keepFocus() {
  if (document.activeElement && document.activeElement !== document.body) return;
  if (!lastZone) return;
  const list = lastZone.isConnected ? items(lastZone) : [];
  const next = list[Math.min(lastIndex, list.length - 1)] ?? one("[data-main]:not([disabled])");
  if (next) {
    lastZone = null;
    next.focus({ preventScroll: true });
  }
}

function step(event) {
  const e = event.target;
  const tab = e.closest("[role=tablist]");
  const menu = e.closest("[role=menu]");
  const forwards = event.key === "ArrowRight" || event.key === "ArrowDown";
  if (menu || tab || e.closest("[data-list]")) {
    const root = menu ?? tab ?? e.closest("[data-list]");
    const list = all("button:not([disabled])", root);
    const at = list.indexOf(e.closest("button"));
    list[(at + (forwards ? 1 : list.length - 1)) % list.length]?.focus();
    return true;
  }
  const zone = e.closest("[data-zone]");
  if (!zone || !e.matches("[data-item]")) return false;
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const list = items(zone);
    const at = list.indexOf(e);
    list[(at + (forwards ? 1 : list.length - 1)) % list.length]?.focus();
    rove();
    return true;
  }
  // Up and down: the nearest item there, of any zone.
  const r = e.getBoundingClientRect();
  const x = r.left + r.width / 2, y = r.top + r.height / 2;
  /** @type {HTMLElement | null} */
  let best = null;
  let least = Infinity;
  for (const other of all(".board [data-item], .tray [data-item]")) {
    if (other === e) continue;
    const o = other.getBoundingClientRect();
    const dy = (o.top + o.height / 2 - y) * (forwards ? 1 : -1), dx = Math.abs(o.left + o.width / 2 - x);
    if (!o.width || dy < Math.min(r.height, o.height) * 0.6) continue;
    const far = dy * 3 + dx;
    if (far < least) [least, best] = [far, other];
  }
  best?.focus();
  rove();
  return best !== null;
}

/** Closes what is open, or takes the last thing back. */
export function escape() {
  const { ui } = state;
  if (ui.dialog && ui.dialog !== "over") ui.dialog = null;
  else if (ui.pile) ui.pile = null;
  else if (ui.menu) ui.menu = null;
  else if (ui.until) ui.until = false;
  else if (ui.whyMode) ui.whyMode = false;
  else if (state.why || state.refused) {
    state.why = null;
    state.refused = null;
  } else if (ui.big) ui.big = null;
  else if (back()) return;
  else if (ui.list) ui.list = false;
  else if (state.yielding.length) send({ t: "hold" });
  else return;
  redraw();
}

/** @param {KeyboardEvent} event */
function down(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    if (typing(event.target)) /** @type {HTMLElement} */ (event.target).blur();
    escape();
    return;
  }
  if (state.page !== "table" || typing(event.target)) return;
  const modal = document.querySelector("[aria-modal=true]");
  if (event.key.startsWith("Arrow")) {
    if (step(event)) event.preventDefault();
    return;
  }
  if (modal) return;
  const handle = up(document.activeElement, "[data-obj]")?.dataset.obj ?? (state.ui.hover !== null ? String(state.ui.hover) : undefined);
  switch (event.key) {
    case " ": {
      const button = up(event.target, "button, a, summary");
      if (button && !button.matches("[data-item], [data-main]")) return;
      event.preventDefault();
      if (event.repeat) return;
      if (event.shiftKey) openUntil();
      else {
        const main = mainButton();
        if (main?.on) main.run();
        else if (state.over) state.ui.dialog = "over";
        redraw();
      }
      return;
    }
    case "?":
      if (!state.ask) return;
      if (handle !== undefined) askWhy(Number(handle), document.querySelector(`.board [data-obj="${Number(handle)}"]`));
      else if (state.ui.whyMode) askWhy(null, null);
      else {
        state.ui.whyMode = true;
        redraw();
      }
      break;
    case "p":
    case "P":
      if (state.welcome?.seat !== null) openUntil();
      break;
    case "l":
    case "L":
      state.ui.list = !state.ui.list;
      redraw();
      break;
    case "a":
    case "A":
      if (!state.ask || !(state.ask.kind === "assign" || (isMany(state.ask) && !state.ask.repeats))) return;
      pickAll();
      break;
    case "n":
    case "N":
      if (!state.ask || !(state.ask.kind === "assign" || isMany(state.ask))) return;
      pickNone();
      break;
    default:
      return;
  }
  event.preventDefault();
}

/** Listens for keys. */
export function listen() {
  addEventListener("keydown", down);
  addEventListener("keyup", (event) => {
    if (event.key === " " && event.target instanceof Element && event.target.matches("[data-item]")) event.preventDefault();
  });
  addEventListener("focusin", noteFocus);
}
