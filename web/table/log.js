//! The side below the list: the reasons why not, log, chat, what was shown.
import { html, nothing, repeat } from "../vendor/lit-html.js";
import { takeInstead } from "./ask.js";
import { me, nameOf, redraw, seatName, state, titled } from "./store.js";
import { send } from "./socket.js";
import { langOf, t } from "./words.js";

/** The text of a rule, with the parts that fail marked. Ranges count characters, not units of UTF-16. */
function source(reason) {
  const chars = [...reason.source];
  const parts = [];
  let at = 0;
  for (const [from, to] of [...(reason.fails ?? [])].sort((a, b) => a[0] - b[0])) {
    if (from < at || to <= from) continue;
    parts.push(chars.slice(at, from).join(""), html`<mark>${chars.slice(from, to).join("")}</mark>`);
    at = to;
  }
  parts.push(chars.slice(at).join(""));
  return parts;
}

/** A reason: words, rule, place, text. */
export function reasonView(reason) {
  // About several objects, each reason says which.
  const name = state.why?.on === null && reason.on !== undefined ? nameOf(reason.on) : "";
  const about = [reason.play, name].filter(Boolean).join(" ");
  return html`<p class="reason"><b>${about ? `${about}: ` : ""}</b><span lang=${langOf(reason.words)}>${reason.words}</span></p>
    ${reason.source || reason.path || reason.place
      ? html`<div class="src"><div class="head"><span>${reason.path}</span><span class="at">${reason.place}</span></div>${reason.source ? html`<pre tabindex="0" aria-label=${t("rule")}>${source(reason)}</pre>` : nothing}</div>`
      : nothing}`;
}

/** Why something cannot be used or was refused, at the side. */
export function whyPanel() {
  const { why, refused } = state;
  if (refused) {
    return html`<section class="why" aria-label=${t("why")}>
      <button class="x" data-act="why-close" aria-label=${t("close")}>×</button>
      <h3>${t("not_possible")}</h3>${reasonView(refused.why)}
      ${refused.instead ? html`<button class="btn small" @click=${takeInstead}>${t("instead")}</button>` : nothing}
    </section>`;
  }
  if (!why || why.waiting) return nothing;
  const name = why.on !== null ? nameOf(why.on) : "";
  return html`<section class="why" aria-label=${t("why")}>
    <button class="x" data-act="why-close" aria-label=${t("close")}>×</button>
    <h3 lang=${langOf(name)}>${why.on === null ? t("why_title_all") : t("why_title", name || t("facing_down"))}</h3>
    ${why.reasons.length ? why.reasons.slice(0, 8).map(reasonView) : html`<p class="reason">${t("why_none")}</p>`}
  </section>`;
}

/** The first reason, at the card. */
export function tip() {
  const { why, refused } = state;
  if (refused) return html`<div class="tip at-bar" role="status"><b>${t("not_possible")}</b> <span lang=${langOf(refused.why.words)}>${refused.why.words}</span>${refused.instead ? html` <button class="go" @click=${takeInstead}>${t("instead")}</button>` : nothing}</div>`;
  if (!why || why.waiting || !why.at) return nothing;
  const first = why.reasons[0];
  const more = why.reasons.length - 1;
  return html`<div class=${`tip ${why.at.y < 240 ? "below" : ""}`} role="status" data-vars=${`x:${Math.round(why.at.x)};y:${Math.round(why.at.y < 240 ? why.at.below : why.at.y)};`}>
    ${first ? html`<b>${first.play ? `${first.play}: ` : `${t("not_now")} `}</b><span lang=${langOf(first.words)}>${first.words}</span>` : t("why_none")}
    ${first?.source || more > 0 ? html` <button class="go" data-act="rule">${t("rule")}</button>` : nothing}</div>`;
}

/** A line of the log. */
export function line(event) {
  if (event.heading) return html`<h3 class="step">${event.words.map((w) => w.s).join("")}</h3>`;
  const who = event.by === undefined ? "" : event.by === me() ? "me" : "foe";
  return html`<p class=${who}>${event.words.map((w) =>
    w.on !== undefined || w.card ? html`<b class="name" tabindex="-1" data-card=${w.card || w.s} data-hand=${w.on ?? nothing} lang=${langOf(w.s)}>${w.s}</b>` : w.s)}</p>`;
}

/** A place in words: the key of a zone is replaced with its label. */
function placeWords(place) {
  const name = place.replace(/\.\d+$/, ""), seat = /\.(\d+)$/.exec(place);
  const { layout } = state.welcome;
  const row = [...layout.seat, ...(layout.left ?? []), ...(layout.right ?? []), ...(layout.middle ?? [])].find((r) => r.zones.includes(name));
  if (!row) return place.replace(/_/g, " ");
  const label = row.zones.length > 1 ? name.replace(/_/g, " ") : row.label;
  return seat ? t("of", seatName(Number(seat[1])), label) : label;
}

/** @param {SubmitEvent} event */
function sayIt(event) {
  event.preventDefault();
  const input = /** @type {HTMLInputElement} */ (/** @type {HTMLFormElement} */ (event.target).elements.namedItem("text"));
  const text = input.value.trim();
  if (!text) return;
  send({ t: "chat", text: text.slice(0, 500) });
  input.value = "";
}

/** Log, chat, what was shown. */
export function talk() {
  const { tab, unread } = state.ui;
  const shown = state.view?.facts?.shown ?? [];
  const tabs = [["log", t("log")], ["chat", unread ? `${t("chat")} (${unread})` : t("chat")], ["seen", t("seen")]];
  return html`<section class="talk" aria-label=${t("log")}>
    <div class="tabs" role="tablist" aria-label=${t("log")}>${tabs.map(([key, label]) => html`<button role="tab" id=${`tab-${key}`} aria-selected=${tab === key} aria-controls="talk" class=${tab === key ? "on" : ""} @click=${() => {
      state.ui.tab = key;
      if (key === "chat") state.ui.unread = 0;
      redraw();
    }}>${label}</button>`)}</div>
    <div class="log" id="talk" role="tabpanel" aria-labelledby=${`tab-${tab}`} tabindex="0" data-tail>
      ${tab === "log" ? html`<div class="lines-of" role="log" aria-live="polite" aria-label=${t("log")}>${repeat(state.log, (e) => e.at, line)}</div>` : nothing}
      ${tab === "chat" ? html`<div class="lines-of" role="log" aria-live="polite" aria-label=${t("chat")}>${repeat(state.chat, (c) => c.at, (c) => html`<p><b>${c.from}</b> <span lang=${langOf(c.text)}>${c.text}</span></p>`)}</div>` : nothing}
      ${tab === "seen" ? (shown.length ? html`<div class="lines-of">${[...shown].reverse().map(([turn, card, place]) => html`<p><b class="name" data-card=${card} lang=${langOf(titled(card))}>${titled(card)}</b> · ${placeWords(place)} · ${t("turn_n", turn)}</p>`)}</div>` : html`<p>${t("seen_none")}</p>`) : nothing}
    </div>
    <form class="say" @submit=${sayIt}><input name="text" maxlength="500" autocomplete="off" placeholder=${t("say")} aria-label=${t("say")}></form>
  </section>`;
}
