//! The bar of the pending decision, the tray for options that lie nowhere on the table, the plain list of all options, menus.
import { html, nothing, repeat } from "../vendor/lit-html.js";
import { answer, askWhy, isMany, isSingle, mainButton, pickAll, pickNone, progress, setNumber, share, shareLeft, toggle, unpick, waitingWords } from "./ask.js";
import { faceOf, hueVars } from "./card.js";
import { now } from "./derive.js";
import { nameOf, redraw, seatName, state, titled } from "./store.js";
import { send } from "./socket.js";
import { langOf, t } from "./words.js";

/** Names inside of a text of another language carry their own. */
const text = (s) => html`<span lang=${langOf(s)}>${s}</span>`;

/** A stepper for a number. */
function stepper(value, less, more, label, set) {
  return html`<span class="stepper" role="group" aria-label=${label}>
    <button class="btn" ?disabled=${!less} @click=${less || null} aria-label=${`${t("less")}: ${label}`}>−</button>
    ${set ? html`<input type="number" inputmode="numeric" aria-label=${label} .value=${String(value)} @input=${(e) => set(e.target.valueAsNumber)}>` : html`<output>${value}</output>`}
    <button class="btn" ?disabled=${!more} @click=${more || null} aria-label=${`${t("plus")}: ${label}`}>＋</button></span>`;
}

const shareSteps = (k) => {
  const { ask, pick } = state;
  return stepper(pick.shares[k], pick.shares[k] > ask.min && (() => share(k, -1)), shareLeft() > 0 && (() => share(k, 1)), ask.options[k].label);
};
const numberSteps = () => {
  const { ask, pick } = state;
  const n = Number.isInteger(pick.number) ? pick.number : ask.min;
  return stepper(Number.isInteger(pick.number) ? pick.number : "", n > ask.min && (() => setNumber(n - 1)), n < ask.max && (() => setNumber(n + 1)), ask.prompt, setNumber);
};

/** Opens the menu of times to pass until. */
export function openUntil() {
  state.ui.until = !state.ui.until;
  redraw();
}

/** Passes by itself until then. */
function passUntil(until, ability) {
  state.ui.until = false;
  send(ability ? { t: "yield", until, ability } : { t: "yield", until });
  redraw();
}

/** The list of times to pass until. */
function untilMenu() {
  if (!state.ui.until) return nothing;
  const top = now?.list?.handles.length ? now.objects[now.list.handles[now.list.handles.length - 1]] : null;
  return html`<div class="menu until" role="menu" aria-label=${t("pass_until")} data-menu>
    ${["added", "mine", "end", "could"].map((u) => html`<button role="menuitem" @click=${() => passUntil(u)}>${t(`until_${u}`)}</button>`)}
    ${top?.ability && top.card ? html`<button role="menuitem" @click=${() => passUntil("end", top.card)}>${t("until_ability", titled(top.card))}</button>` : nothing}
  </div>`;
}

/** The words of the decision, announced at once. */
export function question() {
  const { ask, over } = state;
  if (over) return over.words;
  if (!ask) return "";
  return [ask.prompt, ask.hint].filter(Boolean).join(". ");
}

/** The bar. */
export function bar() {
  const { ask, pick, over } = state;
  if (over) {
    return html`<footer class="ask" aria-label=${t("game_over")}><div class="q"><b>${over.words}</b></div><button class="btn main" data-main data-act="over-show">${t("game_over")}</button></footer>`;
  }
  const yielding = state.yielding.length
    ? html`<span class="yielding" role="status">${t("passing")}: ${state.yielding.map((y) => y.words).join(", ")} <button class="btn small" @click=${() => send({ t: "hold" })}>${t("stop")} <kbd>Esc</kbd></button></span>`
    : nothing;
  const main = mainButton();
  const buttons = [];
  if (ask && pick && !state.sent) {
    if (ask.kind === "number") buttons.push(numberSteps());
    if (ask.kind === "assign" || (isMany(ask) && !ask.repeats && ask.min === 0 && ask.options.length > 1)) {
      buttons.push(html`<button class="btn" @click=${pickAll}>${t("all")} <kbd>A</kbd></button><button class="btn" ?disabled=${!pick.picks.length} @click=${pickNone}>${t("none")} <kbd>N</kbd></button>`);
    }
    if (isSingle(ask) && ask.min === 0 && !ask.main && ask.kind !== "act" && ask.kind !== "pay") buttons.push(html`<button class="btn" @click=${() => answer({ picks: [] })}>${t("none")}</button>`);
    buttons.push(...barOptions().map((k) => optionButton(k)));
  }
  const canYield = state.welcome?.seat !== null && (!ask || ask.kind === "act");
  const why = ask && (ask.kind === "act" || ask.kind === "choose" || ask.kind === "assign");
  const hint = [ask?.hint, progress()].filter(Boolean);
  return html`<footer class=${`ask ${ask ? "" : "idle"}`} aria-label=${ask ? ask.prompt : waitingWords()}>
    <div class="q"><b>${ask ? text(ask.prompt) : waitingWords()}</b><small>${hint.map((h, k) => html`${k ? " · " : ""}${text(h)}`)}</small></div>
    ${yielding}
    <div class="buttons">
      ${state.at.embed && state.welcome?.table.sandbox ? html`<button class="btn ghost" @click=${() => send({ t: "undo" })}>↶ ${t("undo")}</button>` : nothing}
      ${why ? html`<button class=${`btn ghost ${state.ui.whyMode ? "on" : ""}`} aria-pressed=${state.ui.whyMode ? "true" : "false"} data-act="why-mode">${t("why")} <kbd>?</kbd></button>` : nothing}
      ${canYield ? html`<span class="with-menu"><button class="btn" aria-haspopup="menu" aria-expanded=${state.ui.until ? "true" : "false"} data-menu @click=${openUntil}>${t("pass_until")} <kbd>P</kbd></button>${untilMenu()}</span>` : nothing}
      ${buttons}
      ${main ? html`<button class="btn main" data-main ?disabled=${!main.on} @click=${main.run}><span>${main.label}</span> <kbd>␣</kbd></button>` : nothing}
    </div></footer>`;
}

/** Short options that belong into the bar: few words, nothing on the table. */
function barOptions() {
  const { ask } = state;
  if (!now || ask.kind === "divide" || ask.kind === "assign") return [];
  const main = ask.main?.length === 1 ? ask.main[0] : -1;
  const free = now.loose.filter((k) => k !== main && ask.options[k].on === undefined && !ask.options[k].place);
  if (ask.kind === "yes_no") return free;
  if (!isSingle(ask)) return [];
  return free.length <= 3 && free.every((k) => (ask.options[k].word || ask.options[k].label).length <= 18) ? free : [];
}

function optionButton(k) {
  const option = state.ask.options[k];
  return html`<button class="btn" data-option=${k} @click=${() => toggle(k)} title=${option.label}>${text(option.word || option.label)}${option.cost ? html` <small>${option.cost}</small>` : nothing}</button>`;
}

/** Options that are nowhere on the table, and whether their tray covers a part of the board. */
export function tray() {
  const { ask, pick } = state;
  const none = { view: nothing, covers: false };
  if (!ask || !pick || !now || state.sent) return none;
  const inBar = new Set(barOptions());
  const main = isSingle(ask) && ask.main?.length === 1 ? ask.main[0] : -1;
  let options = ask.kind === "divide" ? ask.options.map((_, k) => k) : now.loose.filter((k) => !inBar.has(k) && k !== main);
  if (ask.repeats && isMany(ask)) options = ask.options.map((_, k) => k);
  if (!options.length) return none;
  const from = ask.on !== undefined ? nameOf(ask.on) : "";
  // It covers the lower part of the board, except if something there can be chosen as well.
  const mine = now.seats.find((s) => s.seat === now.mine);
  const hand = mine?.rows.some((f) => f.row.style === "fan" && f.handles.some((h) => now.at.has(h)));
  const view = html`<section class=${`tray ${hand ? "" : "over"}`} aria-label=${t("plain")}>
    ${from ? html`<span class="from" lang=${langOf(from)}>${from}</span>` : nothing}
    <div class="in" role="group" aria-label=${ask.prompt} data-zone>${repeat(options, (k) => k, (k) => trayItem(k))}</div></section>`;
  return { view, covers: !hand };
}

function trayItem(k) {
  const { ask, pick } = state;
  const option = ask.options[k];
  if (ask.kind === "divide") return html`<div class="tray-line"><span>${text(option.label)}</span>${shareSteps(k)}</div>`;
  const times = pick.picks.filter((p) => p === k).length;
  const o = option.on !== undefined ? now.objects[option.on] : null;
  const face = o ? faceOf(o) : null;
  const name = o?.card;
  const label = [option.label, option.cost, times ? t("chosen") + (times > 1 ? ` ×${times}` : "") : ""].filter(Boolean).join(", ");
  const order = isMany(ask) && !ask.repeats && times ? pick.picks.indexOf(k) + 1 : 0;
  if (name && ask.kind !== "modes") {
    return html`<span class="slot"><button class=${`card tray-card ${times ? "picked" : "aimable"}`} data-item data-option=${k} data-obj=${option.on} data-card=${name} data-vars=${`${hueVars(o.look?.hue ?? face?.hue)}w:7;`} aria-pressed=${times ? "true" : "false"} tabindex="-1">
      <span class="name" lang=${langOf(titled(name))}>${titled(name)}</span> <span class="kind">${option.word || face?.line || face?.kind || ""}</span> <span class="foot">${o.look?.stat ? html`<b class="stat">${o.look.stat}</b>` : nothing}</span>${order ? html`<span class="mark gold">${order}</span>` : nothing}<span class="sr">, ${label}</span></button></span>`;
  }
  if (ask.repeats && isMany(ask)) {
    return html`<div class="tray-line"><span>${text(option.label)}</span>${stepper(times, times > 0 && (() => unpick(k)), pick.picks.length < ask.max && (() => toggle(k)), option.label)}</div>`;
  }
  return html`<button class=${`btn option ${times ? "picked" : ""}`} data-item data-option=${k} aria-pressed=${isSingle(ask) ? nothing : times ? "true" : "false"} tabindex="-1">${order ? html`<b class="no">${order}</b> ` : nothing}<span>${text(option.label)}</span>${option.cost ? html`<small>${option.cost}</small>` : nothing}</button>`;
}

/** The menu at a card with several options. */
export function cardMenu() {
  const { menu } = state.ui;
  if (!menu || !state.ask) return nothing;
  const below = menu.y < 220;
  return html`<aside aria-label=${t("plain")}><div class=${`menu at-card ${below ? "below" : ""}`} role="menu" aria-label=${t("plain")} data-menu data-vars=${`x:${Math.round(menu.x)};y:${Math.round(below ? menu.below : menu.y)};`}>
    ${menu.options.map((k) => {
      const option = state.ask.options[k];
      return html`<button role="menuitem" @click=${() => {
        state.ui.menu = null;
        toggle(k);
      }}><span>${text(option.label)}</span>${option.cost ? html`<small>${option.cost}</small>` : nothing}</button>`;
    })}
  </div></aside>`;
}

/** All options as a plain list. Every kind can be answered here. */
export function plainList() {
  if (!state.ui.list) return nothing;
  const { ask, pick } = state;
  const close = html`<button class="x" data-act="list-close" aria-label=${t("close")}>×</button>`;
  if (!ask || !pick) return html`<section class="list" aria-label=${t("plain")} tabindex="-1" data-list>${close}<h2>${t("plain")}</h2><p>${state.over ? state.over.words : `${t("plain_none")} ${waitingWords()}`}</p></section>`;
  const main = mainButton();
  const single = isSingle(ask);
  const item = (option, k) => {
    const label = [option.label, option.cost].filter(Boolean).join(" · ");
    if (ask.kind === "divide") return html`<li class="line"><span>${text(label)}</span>${shareSteps(k)}</li>`;
    if (ask.repeats && !single) {
      const n = pick.picks.filter((p) => p === k).length;
      return html`<li class="line"><span>${text(label)}</span>${stepper(n, n > 0 && (() => unpick(k)), pick.picks.length < ask.max && (() => toggle(k)), option.label)}</li>`;
    }
    const chosen = pick.picks.includes(k);
    return html`<li><button class=${`row-option ${chosen ? "on" : ""}`} ?disabled=${state.sent} aria-pressed=${single ? nothing : chosen ? "true" : "false"} data-list-option=${k} @click=${() => toggle(k)}>
      ${single ? nothing : html`<span class="box" aria-hidden="true">${chosen ? (isMany(ask) ? pick.picks.indexOf(k) + 1 : "✓") : ""}</span>`}<span>${text(label)}</span></button></li>`;
  };
  return html`<section class="list" aria-label=${t("plain")} tabindex="-1" data-list>${close}
    <h2>${text(ask.prompt)}</h2><p class="dim">${[ask.hint, progress()].filter(Boolean).map((h) => html`${text(h)} `)}</p>
    ${ask.kind === "number" ? html`<p class="line">${numberSteps()}</p>` : html`<ol>${repeat(ask.options, (_, k) => `${ask.id}.${k}`, item)}</ol>`}
    <p class="line">
      ${single && ask.min === 0 && !ask.main && ask.kind !== "act" && ask.kind !== "pay" ? html`<button class="btn" @click=${() => answer({ picks: [] })}>${t("none")}</button>` : nothing}
      ${main && !single ? html`<button class="btn main" ?disabled=${!main.on} data-list-main @click=${main.run}>${main.label}</button>` : nothing}
      ${ask.kind === "act" ? html`<button class="btn ghost" @click=${() => askWhy(null, null)}>${t("why")}</button>` : nothing}</p>
    ${state.refused ? html`<p role="alert">${t("not_possible")} ${text(state.refused.why.words)}</p>` : nothing}
  </section>`;
}

/** The name of who must answer, for a table with one screen. */
export const curtainName = () => (state.ask ? seatName(state.ask.seat) : "");
