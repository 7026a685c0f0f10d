//! The page: which part of it is shown, what is drawn after each change, and what clicks, pointers and long presses mean.
import { html, nothing, render } from "../vendor/lit-html.js";
import { askWhy, dragPair, tapObject, tapPlace, tapSeat, toggle } from "./ask.js";
import { download, request } from "./api.js";
import { all, dress, one, up } from "./dom.js";
import { bar, cardMenu, curtainName, plainList, question, tray } from "./bar.js";
import { board, isNarrow, waiting } from "./board.js";
import { bigCard, faceOf, hueVars } from "./card.js";
import { deriveNow, now } from "./derive.js";
import * as keys from "./keys.js";
import { drawLines } from "./lines.js";
import { hasName, keepName, langSwitch, lobbyPage, openLobby, openTable, refreshTables } from "./lobby.js";
import { talk, tip, whyPanel } from "./log.js";
import { connect, disconnect, isSeated, send } from "./socket.js";
import { leaveTable, me, onDraw, redraw, seatName, state, titled } from "./store.js";
import { readyPanel } from "./match.js";
import { lang, langOf, setLang, t } from "./words.js";

const app = document.getElementById("app");

/** The page of a recorded game, loaded when one is opened. @type {typeof import("./replay.js") | null} */
let replay = null;

/** Whether the bar is mirrored, for the left hand. */
const isLeft = () => document.body.hasAttribute("data-left");

/** @param {boolean} on */
function setLeft(on) {
  document.body.toggleAttribute("data-left", on);
  try {
    localStorage.setItem("fizzle.left", on ? "1" : "");
  } catch { /* the setting lasts as long as the page */ }
}

try {
  document.body.toggleAttribute("data-left", localStorage.getItem("fizzle.left") === "1");
} catch { /* nothing was kept */ }

/** Shows a recorded game. @param {string} id */
async function reading(id) {
  replay ??= await import("./replay.js");
  redraw();
  await replay.openReplay(id);
}

// ---------- the address ----------

function route() {
  const at = new URLSearchParams(location.hash.slice(1));
  if (at.get("host")) {
    state.at.host = at.get("host");
    try {
      sessionStorage.setItem("fizzle.host", state.at.host);
    } catch { /* a reload needs the link again */ }
    history.replaceState(null, "", "/");
  }
  try {
    state.at.host ||= sessionStorage.getItem("fizzle.host") ?? "";
  } catch { /* nothing was kept */ }
  disconnect();
  leaveTable();
  if (at.get("table")) {
    Object.assign(state.at, { table: at.get("table"), as: at.get("as") ?? "seat", key: at.get("key") ?? "", embed: at.get("embed") === "1" });
    document.body.toggleAttribute("data-embed", state.at.embed);
    // Who follows an invite gives a name first.
    state.page = state.at.as === "seat" && !state.at.host && !hasName() && !isSeated() ? "name" : "table";
    if (state.page === "table") connect();
  } else if (at.get("replay")) {
    state.page = "replay";
    reading(at.get("replay"));
  } else {
    state.page = "lobby";
    Object.assign(state.at, { table: "", key: "" });
    if (state.at.host) openLobby();
  }
  redraw();
}

// The workbench around this page, or another tab, has changed the language.
addEventListener("storage", (event) => {
  if (event.key !== "fizzle.lang" || !event.newValue || event.newValue === lang()) return;
  setLang(event.newValue);
  if (state.page === "table") send({ t: "lang", lang: event.newValue });
  redraw();
});

// ---------- drawing ----------

let modalBefore = "";
let listBefore = false;

function draw() {
  document.documentElement.lang = lang();
  const list = one("[data-list]", app);
  const inList = list?.contains(document.activeElement) ?? false;
  const tail = one("[data-tail]", app);
  const atTail = !tail || tail.scrollHeight - tail.scrollTop - tail.clientHeight < 40;
  if (state.page === "table") render(tablePage(), app);
  else if (state.page === "replay") render(html`${replay?.replayPage() ?? nothing}${state.ui.pile ? pileSheet() : nothing}${preview()}`, app);
  else render(state.page === "name" ? namePage() : lobbyPage(), app);
  document.title = state.page === "table" ? `${state.ask ? "● " : ""}${state.welcome?.table.title ?? state.at.table} · Fizzle` : "Fizzle";
  dress(app);
  keys.rove();
  const tailNow = one("[data-tail]", app);
  if (tailNow && atTail) tailNow.scrollTop = tailNow.scrollHeight;
  focusDialogs(inList);
  if (document.body.dataset.keys) keys.keepFocus();
  drawLines();
}

/** Puts the focus into what has just opened. */
function focusDialogs(inList) {
  const modal = one("[aria-modal=true]", app);
  const id = modal?.dataset.dialog ?? "";
  if (id !== modalBefore && modal) (one("[data-first]", modal) ?? one(".row-buttons button, .actions button, .cards button", modal) ?? one("button, input", modal))?.focus();
  modalBefore = id;
  const list = one("[data-list]", app);
  if (list && !modal && (!listBefore || (inList && !list.contains(document.activeElement)))) (one("ol button:not([disabled]), ol input, .stepper input", list) ?? list).focus({ preventScroll: true });
  listBefore = list !== null;
}

/** Asks who follows an invite for a name. */
function namePage() {
  const join = (event) => {
    event.preventDefault();
    keepName(new FormData(event.target).get("name")?.toString().trim() || "–");
    state.page = "table";
    connect();
    redraw();
  };
  return html`<div class="page"><header class="top"><span class="brand">fizz<i>le</i></span><span class="sp"></span>${langSwitch(() => {})}</header>
    <main class="lobby"><form class="panel" @submit=${join}><h1>${t("table")} ${state.at.table}</h1>
      <label class="name"><span>${t("your_name")}</span><input type="text" name="name" maxlength="40" autocomplete="nickname"></label>
      <button class="btn main go">${t("go_seat")}</button></form></main></div>`;
}

const people = () => state.seats.filter((s) => s.here || s.bot !== undefined).length;

function top() {
  const { table } = state.welcome ?? { table: { title: "", name: state.at.table } };
  const live = state.link === "open";
  return html`<header class="top">
    <a class="brand" href="#" aria-label=${`Fizzle, ${t("leave")}`}>fizz<i>le</i></a>
    <span class="where"><b>${table.title}</b> <span class="wide">· ${t("table")} ${table.name}</span></span>
    ${state.match && state.match.best_of > 1 ? html`<span class="pill score-pill">${state.match.wins.join(" : ")}<span class="wide"> · ${t("match", state.match.best_of, state.match.game)}</span></span>` : nothing}
    <span class="sp"></span>
    <span class=${`pill wide ${live ? "live" : "dead"}`}>${live ? t("at_table", people(), state.watchers) : t("lost")}</span>
    ${state.welcome?.table.sandbox && !state.over ? html`<button class="pill" @click=${() => send({ t: "undo" })}>↶ <span class="wide">${t("undo")}</span><span class="sr">${isNarrow() ? t("undo") : ""}</span></button>` : nothing}
    ${langSwitch((to) => send({ t: "lang", lang: to }))}
    <button class="pill" aria-haspopup="dialog" aria-label=${t("menu")} @click=${() => show("menu")}>⋯</button>
  </header>`;
}

/** Opens a dialog. @param {string|null} what */
function show(what) {
  state.ui.dialog = what;
  redraw();
}

/** Lines about the connection, other players, errors. */
function notices() {
  const out = [];
  if (state.link === "lost") out.push(html`<p class="notice bad" role="alert">${t("lost")}</p>`);
  if (state.link === "closed") out.push(html`<p class="notice bad" role="alert">${state.error ? t("errors")[state.error.code] ?? state.error.words : t("lost")} <button class="btn small" @click=${() => {
    state.error = null;
    state.link = "connecting";
    connect();
    redraw();
  }}>${t("taken_back")}</button></p>`);
  else if (state.error) out.push(html`<p class="notice bad" role="alert">${state.error.words || t("errors")[state.error.code]} <button class="x" aria-label=${t("close")} @click=${() => { state.error = null; redraw(); }}>×</button></p>`);
  if (state.notice) out.push(html`<p class="notice" role="status">${state.notice === "undone" ? t("undone") : state.notice} <button class="x" aria-label=${t("close")} @click=${() => { state.notice = ""; redraw(); }}>×</button></p>`);
  if (state.undoBy !== null && state.undoBy !== state.welcome?.seat && state.welcome?.seat !== null) {
    const vote = (agree) => () => {
      state.undoBy = null;
      send({ t: "undo_vote", agree });
      redraw();
    };
    out.push(html`<p class="notice" role="alert">${t("undo_by", seatName(state.undoBy))} <button class="btn small" @click=${vote(true)}>${t("agree")}</button><button class="btn small" @click=${vote(false)}>${t("refuse")}</button></p>`);
  }
  if (state.absent !== null && state.welcome?.seat !== null) {
    const choose = (choice) => () => {
      state.absent = null;
      send({ t: "absent", choice });
      redraw();
    };
    out.push(html`<p class="notice" role="alert">${t("absent", seatName(state.absent))} ${["wait", "bot", "end"].map((c) => html`<button class="btn small" @click=${choose(c)}>${t(`absent_${c}`)}</button>`)}</p>`);
  }
  if (state.ui.whyMode) out.push(html`<p class="notice" role="status">${t("why_on")} <button class="btn small" @click=${() => askWhy(null, null)}>${t("why_title_all")}</button></p>`);
  return out.length ? html`<div class="notices">${out}</div>` : nothing;
}

/** A dialog over the table. */
function sheet(id, title, inside, close = true) {
  return html`<div class=${`veil ${id}`} data-veil=${close ? "1" : "0"}><section class="sheet" role="dialog" aria-modal="true" aria-label=${title} data-dialog=${id}>
    ${close ? html`<button class="x" aria-label=${t("close")} @click=${() => { keys.escape(); if (state.ui.dialog === id) show(null); }}>×</button>` : nothing}
    <h2>${title}</h2>${inside}</section></div>`;
}

function pileSheet() {
  const { pile } = state.ui;
  if (!pile || !now) return nothing;
  let title, handles, hidden = 0;
  if (pile.of !== undefined) {
    title = titled(now.objects[pile.of]?.card ?? "");
    handles = (now.attached.get(pile.of) ?? []).map((a) => a.handle);
  } else {
    const all = [...now.middle, ...now.seats.flatMap((s) => [...s.rows, ...s.left, ...s.right])];
    const f = all.find((x) => x.keys.join(" ") === pile.zones);
    if (!f) return nothing;
    title = f.seat === null || f.seat === me() ? f.row.label : t("of", seatName(f.seat), f.row.label);
    handles = [...f.handles].reverse();
    hidden = f.hidden;
  }
  return sheet("pile", `${title} (${handles.length + hidden})`, html`<div class="cards" role="group" aria-label=${title} data-zone>${handles.map((h) => {
    const o = now.objects[h] ?? lowerOf(h);
    const face = faceOf(o);
    return html`<button class="tile wide-tile" data-item data-look=${h} data-card=${o.card} data-vars=${hueVars(o.look?.hue ?? face?.hue)} tabindex="-1" aria-description=${[face?.line || face?.kind, (face?.text ?? []).join(" ")].filter(Boolean).join(", ") || nothing}><span class="name" lang=${langOf(titled(o.card))}>${titled(o.card) || t("facing_down")}</span></button>`;
  })}</div>${hidden ? html`<p class="dim">${t("facing_down")}: ${t("cards_n", hidden)}</p>` : nothing}`);
}

function lowerOf(handle) {
  for (const list of now.attached.values()) for (const a of list) if (a.handle === handle) return { card: a.card, owner: 0 };
  return { card: "", owner: 0 };
}

function menuSheet() {
  const seated = state.welcome?.seat !== null && state.welcome !== undefined;
  const item = (label, run) => html`<li><button class="btn" @click=${run}>${label}</button></li>`;
  return sheet("menu", t("menu"), html`<ul class="actions">
    ${isNarrow() ? html`<li>${langSwitch((to) => send({ t: "lang", lang: to }))}</li>` : nothing}
    ${item(t("plain_key"), () => { state.ui.list = true; show(null); })}
    ${seated && !state.over ? item(state.welcome?.table.sandbox ? t("undo") : t("undo_ask"), () => { send({ t: "undo" }); show(null); }) : nothing}
    ${isNarrow() ? item(`${t("log")}, ${t("chat")}`, () => show("log")) : nothing}
    <li><button class="btn" aria-pressed=${isLeft() ? "true" : "false"} @click=${() => { setLeft(!isLeft()); redraw(); }}>${t("left_hand")}${isLeft() ? " ✓" : ""}</button></li>
    ${seated && !state.over ? item(t("concede"), () => show("concede")) : nothing}
    <li><a class="btn" href="#">${t("leave")}</a></li></ul>
    <details><summary>${t("keys")}</summary><dl class="keys">${t("keys_list").map(([k, what]) => html`<dt><kbd>${k}</kbd></dt><dd>${what}</dd>`)}</dl></details>`);
}

const tracePath = () => state.over?.trace || `/api/trace/${encodeURIComponent(state.at.table)}`;

/** Reads the game that has ended from its beginning. */
async function readAgain() {
  try {
    const trace = await request(tracePath(), { raw: true });
    replay ??= await import("./replay.js");
    await replay.openTrace(await trace.arrayBuffer());
  } catch (error) {
    state.error = { code: "unknown", words: error.message };
    redraw();
  }
}

async function saveTrace() {
  try {
    await download(tracePath(), `${state.at.table}.fzt`);
  } catch (error) {
    state.error = { code: "unknown", words: error.message };
    redraw();
  }
}

function setupOf() {
  try {
    return JSON.parse(sessionStorage.getItem(`fizzle.setup.${state.at.table}`) ?? "null");
  } catch {
    return null;
  }
}

function overSheet() {
  const { over, match } = state;
  const setup = setupOf();
  return sheet("over", t("game_over"), html`<p class="outcome">${over.words}</p>
    ${match && match.best_of > 1 ? html`<ul class="score-list">${match.wins.map((n, seat) => html`<li><b>${seatName(seat)}</b> ${t("wins", n)}</li>`)}</ul>` : nothing}
    <div class="row-buttons">
      ${setup && state.at.host && (!match || match.phase === "over" || match.best_of === 1) ? html`<button class="btn main" data-first @click=${() => openTable(setup)}>${t("again")}</button>` : nothing}
      <button class="btn" @click=${() => show(null)}>${t("look")}</button>
      ${over.trace ? html`<button class="btn" @click=${saveTrace}>${t("trace")}</button>` : nothing}
      ${over.trace && state.at.host ? html`<button class="btn" @click=${readAgain}>${t("read_again")}</button>` : nothing}
      <a class="btn" href="#">${t("leave")}</a></div>`);
}

function dialogs() {
  const { ui } = state;
  if (ui.curtain && state.ask) return sheet("curtain", t("hand_over", curtainName()), html`<p>${t("hand_over_hint")}</p><button class="btn main" data-first @click=${() => { ui.curtain = false; redraw(); }}>${t("go_on")}</button>`, false);
  if (ui.pile) return pileSheet();
  if (ui.dialog === "menu") return menuSheet();
  if (ui.dialog === "log") return sheet("log", t("log"), talk());
  if (ui.dialog === "why") return sheet("why", t("why"), whyPanel());
  if (ui.dialog === "concede") return sheet("concede", t("concede_sure"), html`<div class="row-buttons"><button class="btn main" @click=${() => { send({ t: "concede" }); show(null); }}>${t("concede_yes")}</button><button class="btn" data-first @click=${() => show(null)}>${t("cancel")}</button></div>`);
  if (state.over && state.match?.phase === "exchanging" && state.welcome?.seat !== null && !ui.dismissed) return sheet("ready", t("exchange"), html`<p class="outcome">${state.over.words}</p>${readyPanel()}`, false);
  if (state.over && !ui.overSeen) {
    ui.overSeen = true;
    ui.dialog = "over";
  }
  if (state.over && ui.dialog === "over") return overSheet();
  return nothing;
}

/** The large card, opposite of what is pointed at. */
function preview() {
  const { big } = state.ui;
  if (!big) return nothing;
  const inside = bigCard(big);
  return inside === nothing ? nothing : html`<aside class=${`preview ${big.left ? "left" : ""} ${big.top ? "up" : ""}`} aria-hidden="true">${inside}</aside>`;
}

function tablePage() {
  if (!state.view || !state.welcome) {
    return html`<div class="page">${top()}<main class="lobby"><h1>${state.at.table}</h1><p role="status">${state.link === "closed" && state.error ? t("errors")[state.error.code] ?? state.error.words : state.link === "lost" ? t("lost") : t("connecting")}</p><p><a class="btn" href="#">${t("leave")}</a></p></main></div>`;
  }
  deriveNow();
  const over = dialogs();
  const busy = over !== nothing;
  const { view: options, covers } = tray();
  return html`<div class=${`table ${state.ui.whyMode ? "asking" : ""} ${now.list ? "" : "no-list"}`} ?inert=${busy}>
    ${top()}
    <main class=${`stage ${covers ? "covered" : ""}`}><h1 class="sr">${state.welcome.table.title}, ${t("table")} ${state.welcome.table.name}</h1>
      ${board()}
      <aside class="side" aria-label=${t("list")}>${waiting()}${isNarrow() ? nothing : html`${whyPanel()}${talk()}`}</aside>
      <div class="lower">${notices()}${options}${bar()}</div>
      ${plainList()}
    </main>
  </div>
  ${tip()}${cardMenu()}${over}${preview()}
  <div class="sr" role="status" aria-live="assertive">${question()}</div>`;
}

// ---------- pointers ----------

let hoverTimer = 0, pressTimer = 0, pressed = null, longPress = false, drag = null;

function setBig(element) {
  const handle = element?.dataset.obj ?? element?.dataset.hand ?? element?.dataset.look;
  const card = element?.dataset.card;
  if (!element || (handle === undefined && !card)) {
    if (state.ui.big) {
      state.ui.big = null;
      redraw();
    }
    return;
  }
  const r = element.getBoundingClientRect();
  const h = handle === undefined ? undefined : Number(handle);
  const known = h !== undefined && now?.objects[h];
  if (!known && !state.cards.has(card)) return;
  state.ui.big = { handle: known ? h : undefined, card: card ?? "", left: r.left + r.width / 2 > innerWidth * 0.42, top: r.top > innerHeight * 0.5 };
  redraw();
}

/** Whether a board is shown. */
const hasBoard = () => state.page === "table" || state.page === "replay";

const cardOf = (target) => up(target, "[data-obj], [data-card], [data-look]");

addEventListener("pointerover", (event) => {
  if (event.pointerType === "touch" || !hasBoard()) return;
  const found = cardOf(event.target);
  const handle = found?.dataset.obj !== undefined && found.closest(".board, .waits") ? Number(found.dataset.obj) : null;
  if (handle !== state.ui.hover) {
    state.ui.hover = handle;
    drawLines();
  }
  clearTimeout(hoverTimer);
  hoverTimer = setTimeout(() => setBig(found), found ? (state.ui.big ? 80 : 320) : 160);
});
document.addEventListener("pointerleave", () => {
  clearTimeout(hoverTimer);
  if (state.ui.big) setBig(null);
});
addEventListener("focusin", (event) => {
  if (!hasBoard() || !document.body.dataset.keys) return;
  setBig(cardOf(event.target));
});
addEventListener("keydown", (event) => {
  if (["Tab", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(event.key)) document.body.dataset.keys = "1";
}, true);
// Keys of the page around it, such as saving.
addEventListener("keydown", (event) => {
  if (!state.at.embed || window.parent === window || event.defaultPrevented || !(event.ctrlKey || event.metaKey) || !["s", "Enter"].includes(event.key)) return;
  event.preventDefault();
  window.parent.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, ctrlKey: true, cancelable: true }));
});
addEventListener("pointerdown", (event) => {
  delete document.body.dataset.keys;
  clearTimeout(pressTimer);
  clearTimeout(hoverTimer);
  longPress = false;
  pressed = cardOf(event.target);
  if (event.pointerType === "touch") {
    if (state.ui.big) setBig(null);
    if (pressed) {
      pressTimer = setTimeout(() => {
        longPress = true;
        setBig(pressed);
      }, 420);
    }
  }
  drag = null;
  const from = up(event.target, ".board [data-obj]");
  if (from && state.ask?.kind === "assign" && event.button === 0) drag = { from: Number(from.dataset.obj), x: event.clientX, y: event.clientY, on: false };
});
addEventListener("pointermove", (event) => {
  if (drag && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 12) drag.on = true;
  if (event.pointerType === "touch" && pressed && Math.abs(event.movementX) + Math.abs(event.movementY) > 6) clearTimeout(pressTimer);
});
for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) {
  addEventListener(end, (event) => {
    clearTimeout(pressTimer);
    if (end === "pointerup" && drag?.on) {
      const to = document.elementFromPoint(event.clientX, event.clientY);
      const object = up(to, ".board [data-obj]"), seat = up(to, "[data-seat]");
      const done = object && Number(object.dataset.obj) !== drag.from ? dragPair(drag.from, { handle: Number(object.dataset.obj) }) : seat ? dragPair(drag.from, { seat: Number(seat.dataset.seat) }) : false;
      if (done) longPress = true;
    }
    drag = null;
  });
}
addEventListener("contextmenu", (event) => {
  if (longPress && cardOf(event.target)) event.preventDefault();
});

addEventListener("click", (event) => {
  if (!hasBoard() || !(event.target instanceof Element)) return;
  if (longPress) {
    longPress = false;
    event.preventDefault();
    event.stopPropagation();
    return;
  }
  const { ui } = state;
  const target = event.target;
  if (!target.closest("[data-menu]") && (ui.menu || ui.until)) {
    ui.menu = null;
    ui.until = false;
    redraw();
  }
  if (target.matches("[data-veil='1']")) {
    ui.pile = null;
    ui.dialog = null;
    redraw();
    return;
  }
  const act = up(target, "[data-act]");
  if (act) {
    const what = act.dataset.act;
    if (what === "pile") ui.pile = { zones: act.dataset.ofZones ?? act.dataset.zones };
    else if (what === "pile-of") ui.pile = { of: Number(act.dataset.of) };
    else if (what === "why-mode") ui.whyMode = !ui.whyMode;
    else if (what === "why-close") {
      state.why = null;
      state.refused = null;
      if (ui.dialog === "why") ui.dialog = null;
    } else if (what === "rule") {
      if (isNarrow()) ui.dialog = "why";
      else document.querySelector(".side .why")?.scrollIntoView({ block: "nearest" });
    } else if (what === "list-close") ui.list = false;
    else if (what === "over-show") ui.dialog = "over";
    redraw();
    return;
  }
  const option = up(target, "[data-option]");
  if (option?.closest(".tray")) {
    toggle(Number(option.dataset.option));
    return;
  }
  const object = up(target, "[data-obj]");
  if (object && !object.closest(".sheet")) {
    const handle = Number(object.dataset.obj);
    if (ui.whyMode) return askWhy(handle, object);
    if (tapObject(handle, object)) {
      state.why = null;
      return;
    }
    if (state.ask && !state.sent && state.ask.kind !== "number" && state.ask.kind !== "yes_no") askWhy(handle, object);
    else setBig(object);
    return;
  }
  const seat = up(target, "[data-seat]");
  if (seat && tapSeat(Number(seat.dataset.seat), seat)) return;
  const place = up(target, "[data-place]");
  if (place && tapPlace(place.dataset.place, place)) return;
  if (!target.closest(".why, .tip, .side, .ask, .tray, .list, .menu, .sheet") && state.why) {
    state.why = null;
    redraw();
  }
});

// ---------- begin ----------

setLang(lang());
onDraw(draw);
keys.listen();
addEventListener("hashchange", route);
addEventListener("resize", redraw);
document.addEventListener("scroll", () => drawLines(), true);
setInterval(() => {
  if (state.page === "table" && state.link === "open") send({ t: "ping", at: Math.round(performance.now()) });
}, 20000);
setInterval(() => {
  if (state.page === "lobby" && state.at.host && !document.hidden) refreshTables();
}, 5000);
route();
