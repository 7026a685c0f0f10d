//! Reading a recorded game: the board at each decision, with what was possible and what was picked.
import { html, nothing, repeat } from "../vendor/lit-html.js";
import { request } from "./api.js";
import { board, isNarrow, waiting } from "./board.js";
import { deriveNow } from "./derive.js";
import { langSwitch } from "./lobby.js";
import { line } from "./log.js";
import { leaveTable, redraw, state } from "./store.js";
import { lang, langOf, t } from "./words.js";

const fresh = () => ({ id: "", info: null, n: 0, viewer: -1, shown: null, error: "", wanted: 0 });
let replay = fresh();

/** Opens a trace; then its page. @param {ArrayBuffer} bytes */
export async function openTrace(bytes) {
  const opened = await request(`/api/replay?lang=${lang()}`, { method: "POST", body: bytes });
  replay = { ...fresh(), id: opened.id, info: opened };
  location.hash = `replay=${opened.id}`;
}

/** Shows the recorded game of the address. @param {string} id */
export async function openReplay(id) {
  if (replay.id !== id) replay = { ...fresh(), id };
  await readInfo();
  await go(replay.n);
}

async function readInfo() {
  try {
    replay.info = await request(`/api/replay/${encodeURIComponent(replay.id)}?lang=${lang()}`);
  } catch (error) {
    replay.error = error.message || t("offline");
  }
  redraw();
}

/** Who looks: a seat, the players' number for what is public, or whoever decides. */
function viewerAt(n) {
  const { info, viewer } = replay;
  if (viewer >= 0) return viewer;
  return info.steps[Math.min(n, info.steps.length - 1)]?.seat ?? 0;
}

/** Goes to a step. @param {number} n */
async function go(n) {
  const { info } = replay;
  if (!info) return;
  replay.n = Math.max(0, Math.min(n, info.steps.length));
  const wanted = (replay.wanted += 1);
  const viewer = viewerAt(replay.n);
  try {
    const shown = await request(`/api/replay/${encodeURIComponent(replay.id)}/${replay.n}?viewer=${viewer}&lang=${lang()}`);
    if (wanted !== replay.wanted) return;
    const seat = viewer < info.players.length ? viewer : null;
    leaveTable();
    for (const [name, card] of Object.entries(shown.cards)) state.cards.set(name, card);
    state.welcome = { v: 1, seat, token: "", table: { name: "", format: info.format, title: info.title, seats: [], sandbox: false }, layout: info.layout, spans: info.spans };
    state.seats = info.players.map((name) => ({ name, deck: "", here: true }));
    state.view = shown.view;
    replay.shown = shown;
    replay.error = "";
  } catch (error) {
    replay.error = error.message || t("offline");
  }
  redraw();
  document.querySelector(".steps [aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** The step at which another turn begins. @param {number} by 1 or -1 */
function turn(by) {
  const { steps } = replay.info;
  const current = steps[Math.min(replay.n, steps.length - 1)]?.turn;
  let n = replay.n;
  if (by > 0) {
    while (n < steps.length && steps[n].turn === current) n += 1;
    return n;
  }
  // Back to the beginning of this turn, from there to that of the one before.
  const first = (at) => {
    while (at > 0 && steps[at - 1].turn === steps[at].turn) at -= 1;
    return at;
  };
  n = first(Math.min(n, steps.length - 1));
  return n < replay.n || n === 0 ? n : first(n - 1);
}

const keys = { ArrowLeft: () => replay.n - 1, ArrowRight: () => replay.n + 1, PageUp: () => turn(-1), PageDown: () => turn(1), Home: () => 0, End: () => replay.info.steps.length };

addEventListener("keydown", (event) => {
  if (state.page !== "replay" || !replay.info || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof Element && event.target.matches("select, input, textarea")) return;
  const to = keys[event.key];
  if (!to) return;
  event.preventDefault();
  go(to());
});

/** What was possible, and what was picked. */
function possible() {
  const { shown, info, n } = replay;
  const step = info.steps[n];
  if (!step) return html`<div class="q"><b>${info.outcome}</b></div>`;
  const who = info.players[step.seat] ?? "";
  const { ask, picks } = shown;
  const options = ask && ask.kind !== "number" && ask.kind !== "divide" ? ask.options : [];
  return html`<div class="q"><b>${who}: <span lang=${langOf(step.words)}>${step.words}</span></b><small>${ask ? ask.prompt : ""}</small></div>
    ${options.length ? html`<ul class="possible" aria-label=${t("possible")} tabindex="0">${options.map((o, k) => html`<li class=${picks.includes(k) ? "chosen-before" : ""} lang=${langOf(o.label)}>${picks.includes(k) ? html`<span aria-hidden="true">✓ </span><span class="sr">${t("picked")}: </span>` : nothing}${o.label}</li>`)}</ul>` : nothing}`;
}

function controls() {
  const { info, n } = replay;
  const last = info.steps.length;
  const button = (label, sign, to, off) => html`<button class="btn" aria-label=${label} title=${label} ?disabled=${off} @click=${() => go(to())}>${sign}</button>`;
  return html`<footer class="ask" aria-label=${t("replay")}>${possible()}
    <div class="buttons"><span class="pill" role="status">${t("step_n", n, last)}</span>
      ${button(t("turn_back"), "«", () => turn(-1), n === 0)}${button(t("step_back"), "◀", () => replay.n - 1, n === 0)}
      ${button(t("step_on"), "▶", () => replay.n + 1, n >= last)}${button(t("turn_on"), "»", () => turn(1), n >= last)}</div></footer>`;
}

/** The turns and decisions. */
function steps() {
  const { info, n } = replay;
  const items = [];
  info.steps.forEach((step, k) => {
    if (k === 0 || info.steps[k - 1].turn !== step.turn) items.push({ k: `t${k}`, turn: step.turn });
    items.push({ k, step });
  });
  return html`<section class="talk" aria-label=${t("steps")}><div class="log steps" tabindex="0">
    ${replay.shown?.events.length ? html`<div class="since">${replay.shown.events.filter((e) => e.words?.length).map(line)}</div>` : nothing}
    <ol>${repeat(items, (i) => i.k, (i) => (i.step
      ? html`<li><button aria-current=${i.k === n ? "step" : nothing} @click=${() => go(i.k)}><small>${i.step.label}</small> ${info.players[i.step.seat]}: <span lang=${langOf(i.step.words)}>${i.step.words}</span></button></li>`
      : html`<li><h3 class="step">${t("turn_n", i.turn)}</h3></li>`))}
      <li><button aria-current=${n === info.steps.length ? "step" : nothing} @click=${() => go(info.steps.length)}>${info.outcome}</button></li></ol></div></section>`;
}

/** The page. */
export function replayPage() {
  const { info, shown, error } = replay;
  const head = html`<header class="top"><a class="brand" href="#" aria-label=${`Fizzle, ${t("leave")}`}>fizz<i>le</i></a>
    <span class="where"><b>${info?.title ?? ""}</b> <span class="wide">· ${t("replay")}</span></span><span class="sp"></span>
    ${info ? html`<label class="viewer"><span class="sr">${t("viewer")}</span><select @change=${(e) => { replay.viewer = Number(e.target.value); go(replay.n); }}>
      <option value="-1" ?selected=${replay.viewer === -1}>${t("viewer_decides")}</option>${info.players.map((name, k) => html`<option value=${k} ?selected=${replay.viewer === k}>${t("viewer_of", name)}</option>`)}
      <option value=${info.players.length} ?selected=${replay.viewer === info.players.length}>${t("viewer_public")}</option></select></label>` : nothing}
    ${langSwitch(async () => { await readInfo(); await go(replay.n); })}</header>`;
  if (!info || !shown || !state.view) return html`<div class="page">${head}<main class="lobby"><h1>${t("replay")}</h1><p role="status">${error || t("loading")}</p><p><a class="btn" href="#">${t("leave")}</a></p></main></div>`;
  deriveNow();
  return html`<div class="table replay">${head}
    <main class="stage"><h1 class="sr">${info.title}, ${t("replay")}</h1>${board()}
      <aside class="side" aria-label=${t("steps")}>${waiting()}${isNarrow() ? nothing : steps()}</aside>
      <div class="lower">${error ? html`<p class="notice bad" role="alert">${error}</p>` : nothing}${controls()}</div></main></div>`;
}
