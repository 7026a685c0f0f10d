//! Between games of a match: the same deck again, or a changed one.
import { html, nothing } from "../vendor/lit-html.js";
import { request } from "./api.js";
import { checked } from "./lobby.js";
import { redraw, seatName, state } from "./store.js";
import { send } from "./socket.js";
import { t } from "./words.js";

let own = { open: false, text: "", check: null, timer: 0, sent: false, game: 0 };

function change(e) {
  own.text = e.target.value;
  clearTimeout(own.timer);
  own.check = own.text.trim() ? { pending: true } : null;
  own.timer = setTimeout(async () => {
    const { text } = own;
    try {
      const found = await request("/api/deck", { body: { format: state.welcome.table.format, text }, key: state.at.host || state.at.key });
      if (own.text === text) own.check = found;
    } catch (error) {
      own.check = { cards: [], problems: [{ line: 0, words: error.message || t("offline") }] };
    }
    redraw();
  }, 400);
  redraw();
}

function ready() {
  own.sent = true;
  if (own.open && own.check?.cards?.length) {
    const deck = {};
    for (const { section, count, name } of own.check.cards) {
      deck[section] ??= {};
      deck[section][name] = (deck[section][name] ?? 0) + count;
    }
    send({ t: "ready", deck });
  } else send({ t: "ready" });
  if (state.wasHot) Object.assign(own, { open: false, text: "", check: null });
  redraw();
}

/** Opens the deck as a list, as it was in the last game. */
function toggleDeck() {
  own.open = !own.open;
  if (own.open && !own.text && state.match.deck) {
    const sections = Object.entries(state.match.deck).map(([section, cards]) => [section, ...Object.entries(cards).map(([name, count]) => `${count} ${name}`)].join("\n"));
    change({ target: { value: sections.join("\n\n") } });
  }
  redraw();
}

/** Who is ready, and the viewer's deck for the next game. */
export function readyPanel() {
  const { match, welcome } = state;
  if (own.game !== match.game) own = { open: false, text: "", check: null, timer: 0, sent: false, game: match.game };
  // At one screen the players get ready one after the other.
  const seat = state.wasHot ? match.ready.findIndex((r, k) => !r && state.seats[k]?.bot === undefined) : welcome.seat;
  const done = seat < 0 || match.ready[seat] || (own.sent && !state.wasHot);
  return html`<ul class="score-list">${match.wins.map((n, seat) => html`<li><b>${seatName(seat)}</b> ${t("wins", n)} · ${match.ready[seat] ? t("is_ready") : t("not_ready")}</li>`)}</ul>
    ${done ? html`<p role="status">${t("ready_wait")}</p>` : html`<p class="dim">${state.wasHot ? `${seatName(seat)}: ` : ""}${t("exchange_hint")}</p>
      ${own.open ? html`<label class="own"><span>${t("list_hint")}</span><textarea rows="9" spellcheck="false" .value=${own.text} @input=${change}></textarea></label><div class="check" role="status">${checked(own.check)}</div>` : nothing}
      <div class="row-buttons"><button class="btn main" data-first ?disabled=${own.open && (!own.check?.cards?.length || own.check.problems.length > 0)} @click=${ready}>${t("ready")}</button>
      <button class="btn" @click=${toggleDeck}>${own.open ? t("keep_deck") : t("change_deck")}</button></div>`}`;
}
