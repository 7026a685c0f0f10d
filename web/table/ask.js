//! Decisions: what a click on an object, a player or a place means for the pending one, and the answer that results.
import { me, nameOf, redraw, seatName, state } from "./store.js";
import { now } from "./derive.js";
import { send } from "./socket.js";
import { t } from "./words.js";

const ONE = new Set(["act", "pay", "order", "replacement", "yes_no"]);

/** Whether one click answers. */
export function isSingle(ask) {
  return ONE.has(ask.kind) || ((ask.kind === "choose" || ask.kind === "modes") && ask.max === 1);
}

/** Whether picks are collected, and then confirmed. */
export const isMany = (ask) => (ask.kind === "choose" || ask.kind === "modes") && ask.max !== 1;

/** @param {any} answer */
export function answer(answer) {
  if (!state.ask || state.sent) return;
  state.sent = true;
  state.refused = null;
  state.ui.menu = null;
  send({ t: "answer", ask: state.ask.id, ...answer });
  redraw();
}

/** What the main button does now: its label, whether it can be pressed, and what it runs. */
export function mainButton() {
  const { ask, pick } = state;
  if (!ask || !pick) return null;
  if (isSingle(ask)) {
    if (!ask.main) return null;
    const picks = ask.main;
    const option = ask.options[picks[0]];
    return { label: picks.length ? option?.word || option?.label || t("confirm") : t("none"), on: !state.sent, run: () => answer({ picks }) };
  }
  if (ask.kind === "number") {
    const fits = Number.isInteger(pick.number) && pick.number >= ask.min && pick.number <= ask.max;
    return { label: t("confirm"), on: fits && !state.sent, run: () => answer({ number: pick.number }) };
  }
  if (ask.kind === "divide") {
    const left = shareLeft();
    return { label: t("confirm"), on: left === 0 && !state.sent, run: () => answer({ shares: pick.shares }) };
  }
  if (ask.kind === "assign") return { label: pick.picks.length ? t("confirm_n", pick.picks.length) : t("none"), on: !state.sent, run: () => answer({ picks: pick.picks }) };
  const count = pick.picks.length;
  if (count === 0 && ask.main && ask.main.length > 0) return { label: t("confirm"), on: !state.sent, run: () => answer({ picks: ask.main }) };
  const fits = count >= ask.min && count <= ask.max;
  return { label: count ? t("confirm_n", count) : fits ? t("none") : t("confirm"), on: fits && !state.sent, run: () => answer({ picks: pick.picks }) };
}

/** What of the sum of a division is left. */
export function shareLeft() {
  return state.ask.max - state.pick.shares.reduce((a, b) => a + b, 0);
}

/** Changes a share, within its bounds. */
export function share(index, by) {
  const { ask, pick } = state;
  const value = pick.shares[index] + by;
  if (value < ask.min || (by > 0 && shareLeft() < by)) return;
  pick.shares = pick.shares.with ? pick.shares.with(index, value) : pick.shares.map((v, k) => (k === index ? value : v));
  redraw();
}

/** Sets the number. */
export function setNumber(value) {
  state.pick.number = value;
  redraw();
}

/** Picks an option, or takes it back. */
export function toggle(index) {
  const { ask, pick } = state;
  if (!ask || !pick || state.sent) return;
  if (isSingle(ask)) return void answer({ picks: [index] });
  if (ask.kind === "divide") return void share(index, 1);
  if (ask.repeats) {
    if (pick.picks.length < ask.max) pick.picks = [...pick.picks, index];
  } else if (pick.picks.includes(index)) pick.picks = pick.picks.filter((k) => k !== index);
  else if (ask.kind === "assign" || pick.picks.length < ask.max) pick.picks = [...pick.picks, index];
  state.refused = null;
  redraw();
}

/** Takes the last pick of an option back. */
export function unpick(index) {
  const { pick } = state;
  const at = pick.picks.lastIndexOf(index);
  if (at >= 0) pick.picks = pick.picks.filter((_, k) => k !== at);
  redraw();
}

/** In a declaration: makes this pair the only one of its object, or takes it back. */
function pair(index) {
  const { ask, pick } = state;
  const option = ask.options[index];
  const had = pick.picks.includes(index);
  pick.picks = pick.picks.filter((k) => k !== index && ask.options[k].on !== option.on);
  if (!had) pick.picks = [...pick.picks, index];
  pick.first = null;
  state.refused = null;
  redraw();
}

/**
 * What an object shows about the decision.
 * @param {number} handle
 */
export function mark(handle) {
  const { ask, pick } = state;
  if (!ask || !pick || now?.ask !== ask) return null;
  const partners = now.partner.objects.get(handle);
  if (partners) return { aim: true, picked: partners.some((k) => pick.picks.includes(k)), options: partners };
  const options = now.at.get(handle);
  if (!options) return null;
  return describe(options, pick.first === handle);
}

/** What a seat shows about it. */
export function seatMark(seat) {
  const { ask, pick } = state;
  if (!ask || !pick || now?.ask !== ask) return null;
  const partners = now.partner.seats.get(seat);
  if (partners) return { aim: true, picked: false, options: partners };
  const options = now.atSeat.get(seat);
  return options ? describe(options, false) : null;
}

/** What a place shows about it. */
export function placeMark(key) {
  if (!state.ask || !state.pick || now?.ask !== state.ask) return null;
  const options = now.partner.places.get(key) ?? now.atPlace.get(key);
  return options ? describe(options, false) : null;
}

function describe(options, first) {
  const { ask, pick } = state;
  const acts = ask.kind === "act" || ask.kind === "pay";
  const picked = options.filter((k) => pick.picks.includes(k));
  return {
    can: acts,
    aim: !acts,
    first,
    picked: picked.length > 0 || first,
    count: ask.repeats ? pick.picks.filter((k) => options.includes(k)).length : 0,
    order: ask.kind === "choose" && ask.max > 1 && !ask.repeats && picked.length ? pick.picks.indexOf(picked[0]) + 1 : 0,
    share: ask.kind === "divide" ? pick.shares[options[0]] : null,
    word: acts ? (options.length === 1 ? ask.options[options[0]].word || ask.options[options[0]].do : "…") : "",
    options,
  };
}

/**
 * A click on something that has options.
 * @param {number[]} options @param {Element} element @param {number|null} handle
 */
function use(options, element, handle) {
  const { ask, pick } = state;
  if (ask.kind === "assign") {
    if (handle !== null && now.partner.objects.has(handle)) return pair(pickOne(now.partner.objects.get(handle)));
    const picked = options.filter((k) => pick.picks.includes(k));
    if (picked.length) {
      pick.picks = pick.picks.filter((k) => !options.includes(k));
      pick.first = null;
      state.refused = null;
    } else if (options.length === 1) return pair(options[0]);
    else pick.first = pick.first === handle ? null : handle;
    redraw();
    return;
  }
  if (options.length === 1) return toggle(options[0]);
  if (isSingle(ask)) {
    const r = element.getBoundingClientRect();
    state.ui.menu = { options, x: r.left + r.width / 2, y: r.top, below: r.bottom, back: handle };
    redraw();
    return;
  }
  const free = options.find((k) => !pick.picks.includes(k));
  if (free !== undefined) toggle(free);
  else unpick(options[options.length - 1]);
}
const pickOne = (options) => options[0];

/** A click on an object. Returns whether it meant something for the decision. */
export function tapObject(handle, element) {
  const found = mark(handle);
  if (!found || state.sent) return false;
  use(found.options, element, handle);
  return true;
}

/** A click on a player. */
export function tapSeat(seat, element) {
  const found = seatMark(seat);
  if (!found || state.sent) return false;
  if (state.ask.kind === "assign") pair(found.options[0]);
  else use(found.options, element, null);
  return true;
}

/** A click on a place of a hidden zone. */
export function tapPlace(key, element) {
  const found = placeMark(key);
  if (!found || state.sent) return false;
  if (state.ask.kind === "assign") pair(found.options[0]);
  else use(found.options, element, null);
  return true;
}

/** A drag from one object to another object or player: the pair, if there is one. */
export function dragPair(from, to) {
  const { ask } = state;
  if (ask?.kind !== "assign" || state.sent) return false;
  const index = ask.options.findIndex((o) => o.on === from && (to.handle !== undefined ? o.with === to.handle : o.with === undefined && o.seat === to.seat));
  if (index < 0) return false;
  state.pick.picks = state.pick.picks.filter((k) => ask.options[k].on !== from);
  pair(index);
  return true;
}

/** Every object with a pair of it, once. */
export function pickAll() {
  const { ask, pick } = state;
  if (ask.kind === "assign") {
    const have = new Set(pick.picks.map((k) => ask.options[k].on));
    const picks = [...pick.picks];
    ask.options.forEach((o, k) => {
      if (!have.has(o.on)) {
        have.add(o.on);
        picks.push(k);
      }
    });
    pick.picks = picks;
  } else pick.picks = ask.options.map((_, k) => k).slice(0, ask.max);
  pick.first = null;
  redraw();
}

/** No picks. */
export function pickNone() {
  state.pick.picks = [];
  state.pick.first = null;
  state.refused = null;
  redraw();
}

/** Takes over the legal declaration that came with a refusal. */
export function takeInstead() {
  if (!state.refused?.instead || !state.pick) return;
  state.pick.picks = [...state.refused.instead];
  state.refused = null;
  redraw();
}

/** Takes the last thing back: a menu, a first object, a pick. Returns whether there was one. */
export function back() {
  const { pick, ui } = state;
  if (ui.menu) ui.menu = null;
  else if (pick?.first !== null && pick?.first !== undefined) pick.first = null;
  else if (pick && state.ask && isMany(state.ask) && pick.picks.length) pick.picks = pick.picks.slice(0, -1);
  else return false;
  redraw();
  return true;
}

/** A line under the prompt: how far the picks are. */
export function progress() {
  const { ask, pick } = state;
  if (!ask || !pick) return "";
  if (ask.kind === "divide") return t("left_to_share", shareLeft());
  if (ask.kind === "number") return t("number_between", ask.min, ask.max);
  if (ask.kind === "assign" && pick.first !== null) return t("first_then", nameOf(pick.first));
  if (isMany(ask)) return t("chosen_of", pick.picks.length, ask.min, Math.min(ask.max, ask.repeats ? ask.max : ask.options.length));
  return "";
}

/** Asks why an object cannot be used. */
export function askWhy(handle, element) {
  const r = element?.getBoundingClientRect();
  state.why = { on: handle, reasons: null, waiting: true, open: 0, at: r ? { x: r.left + r.width / 2, y: r.top, below: r.bottom } : null };
  state.ui.whyMode = false;
  send(handle === null ? { t: "why" } : { t: "why", on: handle });
  redraw();
}

/** Whom the table waits for, in words. */
export function waitingWords() {
  if (state.waits === null || state.waits === undefined) return t("waiting_any");
  const seat = state.seats[state.waits];
  if (state.waits === me()) return t("waiting_any");
  return seat?.bot ? t("thinking", seatName(state.waits)) : t("waiting", seatName(state.waits));
}
