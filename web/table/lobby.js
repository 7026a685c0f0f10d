//! The lobby: a format, decks, seats, and the tables that run.
import { html, nothing, repeat } from "../vendor/lit-html.js";
import { copy, linkTo, request, RequestError } from "./api.js";
import { redraw, state } from "./store.js";
import { langOf, setLang, t, lang } from "./words.js";

const fresh = () => ({ data: null, error: "", format: "", seats: [], bestOf: 1, seed: "", sandbox: true, opening: false, made: null, problem: "", name: readName() });

/** The name of the player, empty if none is known. */
export function readName() {
  try {
    return sessionStorage.getItem("fizzle.name") ?? localStorage.getItem("fizzle.name") ?? "";
  } catch {
    return "";
  }
}

/** Whether a name is known. */
export const hasName = () => readName() !== "";

/** Keeps the name of the player. @param {string} name */
export function keepName(name) {
  try {
    sessionStorage.setItem("fizzle.name", name);
    localStorage.setItem("fizzle.name", name);
  } catch { /* lasts as long as the page */ }
}

/** Loads what the lobby offers. */
export async function openLobby() {
  state.lobby = fresh();
  redraw();
  await refresh();
}

async function refresh() {
  const lobby = state.lobby;
  try {
    lobby.data = await request("/api/lobby");
    lobby.error = "";
    if (!lobby.format && lobby.data.formats.length) chooseFormat(remembered("format", lobby.data.formats.map((f) => f.name)) ?? lobby.data.formats[0].name);
  } catch (error) {
    lobby.error = error instanceof RequestError ? error.message || t("offline") : String(error);
  }
  redraw();
}

/** Loads the running tables again, and nothing else. */
export async function refreshTables() {
  const { lobby } = state;
  if (!lobby?.data) return;
  try {
    const { tables } = await request("/api/lobby");
    if (JSON.stringify(tables) === JSON.stringify(lobby.data.tables)) return;
    lobby.data.tables = tables;
    redraw();
  } catch { /* the next time */ }
}

function remembered(what, among) {
  try {
    const found = localStorage.getItem(`fizzle.${what}`);
    return found && among.includes(found) ? found : null;
  } catch {
    return null;
  }
}

const formatOf = () => state.lobby.data.formats.find((f) => f.name === state.lobby.format);

function chooseFormat(name) {
  const lobby = state.lobby;
  lobby.format = name;
  try {
    localStorage.setItem("fizzle.format", name);
  } catch { /* lasts as long as the page */ }
  const format = formatOf();
  lobby.bestOf = 1;
  const decks = format.decks.filter((d) => !d.problems?.length);
  const pool = decks.length ? decks : format.decks;
  const bot = state.lobby.data.bots[0] ?? "greedy";
  lobby.seats = Array.from({ length: format.seats }, (_, k) => ({ who: k === 0 ? "me" : "bot", bot, deck: pool[k % Math.max(pool.length, 1)]?.name ?? "", own: "", check: null, timer: 0 }));
  lobby.made = null;
  lobby.problem = "";
  redraw();
}

/** Checks a pasted list, a moment after the last key. */
function checkLater(seat) {
  clearTimeout(seat.timer);
  seat.check = seat.own.trim() ? { pending: true } : null;
  redraw();
  if (!seat.own.trim()) return;
  const format = state.lobby.format;
  seat.timer = setTimeout(async () => {
    const text = seat.own;
    try {
      const found = await request("/api/deck", { body: { format, text } });
      if (seat.own === text) seat.check = found;
    } catch (error) {
      if (seat.own === text) seat.check = { cards: [], problems: [{ line: 0, words: error.message || t("offline") }] };
    }
    redraw();
  }, 400);
}

/** Opens a table, and goes to it if no other seat needs a link. @param {Event} [event] */
async function play(event) {
  event?.preventDefault();
  const lobby = state.lobby;
  if (lobby.opening) return;
  keepName(lobby.name.trim());
  const seed = lobby.seed.trim();
  const setup = {
    format: lobby.format,
    best_of: lobby.bestOf,
    seed: seed === "" ? null : Number(seed),
    sandbox: lobby.sandbox,
    seats: lobby.seats.map((s) => ({ who: s.who, ...(s.who === "bot" ? { bot: s.bot } : {}), deck: s.deck === OWN ? { text: s.own } : s.deck, name: s.who === "me" ? lobby.name.trim() : "" })),
  };
  await openTable(setup);
}

/** @param {any} setup */
export async function openTable(setup) {
  const lobby = (state.lobby ??= fresh());
  lobby.opening = true;
  lobby.problem = "";
  redraw();
  try {
    const made = await request("/api/table", { body: setup });
    try {
      sessionStorage.setItem(`fizzle.setup.${made.name}`, JSON.stringify(setup));
    } catch { /* cannot be played again by one click */ }
    const mine = made.links.find((l) => ["me", "hot"].includes(setup.seats[l.seat]?.who));
    const others = made.links.filter((l) => ["invite", "external"].includes(setup.seats[l.seat]?.who));
    lobby.opening = false;
    if (mine && !others.length) {
      location.hash = linkTo(made.name, "seat", mine.key).split("#")[1];
      return;
    }
    lobby.made = { ...made, mine, others };
    refresh();
  } catch (error) {
    lobby.opening = false;
    lobby.problem = error.message || t("offline");
  }
  redraw();
}

const OWN = "\u0000own";

/** A link that can be copied. */
function linkField(label, url) {
  return html`<div class="link"><label><span>${label}</span><input type="text" readonly .value=${url} @focus=${(e) => e.target.select()}></label>
    <button type="button" class="btn small" @click=${async (e) => {
      const button = e.currentTarget;
      if (await copy(button.parentNode.querySelector("input"))) button.textContent = t("copied");
    }}>${t("copy")}</button></div>`;
}

function seatRow(seat, k) {
  const { data } = state.lobby;
  const format = formatOf();
  const id = `seat-${k}`;
  const set = (key) => (e) => {
    seat[key] = e.target.value;
    if (key === "who" && seat.who === "me") state.lobby.seats.forEach((s) => { if (s !== seat && s.who === "me") s.who = "bot"; });
    redraw();
  };
  const chosen = format.decks.find((d) => d.name === seat.deck);
  return html`<fieldset class="seat"><legend>${t("seat", k + 1)}</legend>
    <label><span class="sr">${t("seats")}</span><select name=${`${id}-who`} .value=${seat.who} @change=${set("who")}>
      ${["me", "bot", "invite", "hot", "external"].map((who) => html`<option value=${who} ?selected=${seat.who === who}>${t(who)}</option>`)}</select></label>
    ${seat.who === "bot" ? html`<label><span class="sr">${t("bot")}</span><select name=${`${id}-bot`} @change=${set("bot")}>${data.bots.map((b) => html`<option value=${b} ?selected=${seat.bot === b}>${b}</option>`)}</select></label>` : nothing}
    <label class="grow"><span class="sr">${t("deck")}</span><select name=${`${id}-deck`} @change=${set("deck")}>
      ${format.decks.map((d) => html`<option value=${d.name} ?selected=${seat.deck === d.name} ?disabled=${d.problems?.length > 0}>${d.name} (${d.cards})</option>`)}
      <option value=${OWN} ?selected=${seat.deck === OWN}>${t("own_list")}</option></select></label>
    ${chosen?.problems?.length ? html`<p class="bad">${chosen.problems.join(" ")}</p>` : nothing}
    ${seat.deck === OWN ? html`<div class="own"><label><span>${t("list_hint")}</span><textarea rows="8" spellcheck="false" .value=${seat.own} @input=${(e) => {
      seat.own = e.target.value;
      checkLater(seat);
    }}></textarea></label><div class="check" role="status">${checked(seat.check)}</div></div>` : nothing}
  </fieldset>`;
}

/** What a check of a list has found. */
export function checked(check) {
  if (!check) return nothing;
  if (check.pending) return html`<p class="dim">${t("checking")}</p>`;
  const total = check.cards.reduce((sum, c) => sum + c.count, 0);
  if (!check.problems.length) return html`<p class="good">✓ ${t("checked", total)}</p>${(check.notes ?? []).map((note) => html`<p class="dim">${note}</p>`)}`;
  return html`<p class="bad">${t("problems", check.problems.length)}</p><ul>${check.problems.slice(0, 12).map((p) => html`<li>${p.line ? html`<b>${t("line", p.line)}:</b> ` : nothing}${p.words}</li>`)}</ul>`;
}

/** The page of the lobby. */
export function lobbyPage() {
  const lobby = state.lobby;
  const head = html`<header class="top"><span class="brand">fizz<i>le</i></span><span class="sp"></span>${langSwitch(() => {})}</header>`;
  if (!lobby?.data) return html`<div class="page">${head}<main class="lobby"><h1>${t("lobby")}</h1><p role="status">${lobby?.error || (state.at.host ? t("loading") : t("no_host"))}</p></main></div>`;
  const { data } = lobby;
  const format = formatOf();
  const ready = lobby.seats.every((s) => (s.deck === OWN ? s.own.trim() && !s.check?.pending && !s.check?.problems?.length : s.deck));
  return html`<div class="page">${head}<main class="lobby">
    <form class="panel new" @submit=${play}>
      <h1>${t("lobby")}</h1>
      <div class="formats" role="radiogroup" aria-label=${t("format")}>${data.formats.map((f) => html`<label class=${`format ${f.name === lobby.format ? "on" : ""}`}><input type="radio" name="format" .checked=${f.name === lobby.format} @change=${() => chooseFormat(f.name)}><span>${f.title}</span></label>`)}</div>
      ${format ? html`
        <label class="name"><span>${t("your_name")}</span><input type="text" name="name" maxlength="40" autocomplete="nickname" .value=${lobby.name} @input=${(e) => { lobby.name = e.target.value; }}></label>
        <div class="seats">${lobby.seats.map(seatRow)}</div>
        <details><summary>${t("more")}</summary>
          <label><span>${t("best_of")}</span><select @change=${(e) => { lobby.bestOf = Number(e.target.value); }}>${[1, 3, 5].map((n) => html`<option value=${n} ?selected=${lobby.bestOf === n}>${n}</option>`)}</select></label>
          <label><span>${t("seed")}</span><input type="text" inputmode="numeric" pattern="[0-9]*" maxlength="15" .value=${lobby.seed} @input=${(e) => { lobby.seed = e.target.value; }} aria-describedby="seed-hint"></label><small id="seed-hint" class="dim">${t("seed_hint")}</small>
          <label class="check-line"><input type="checkbox" .checked=${lobby.sandbox} @change=${(e) => { lobby.sandbox = e.target.checked; }}><span>${t("sandbox")}</span></label>
        </details>
        ${lobby.problem ? html`<p class="bad" role="alert">${lobby.problem}</p>` : nothing}
        <button class="btn main go" ?disabled=${!ready || lobby.opening}>${lobby.opening ? t("opening") : t("play")}</button>` : nothing}
    </form>
    ${lobby.made ? madePanel(lobby.made) : nothing}
    ${openTracePanel()}
    <section class="panel tables"><h2>${t("running")}</h2>
      ${data.tables.length ? html`<ul>${repeat(data.tables, (x) => x.name, tableLine)}</ul>` : html`<p class="dim">${t("no_tables")}</p>`}
      <p class="dim">${data.lan ? t("lan_on") : t("lan_off")}</p><p class="dim">${t("pack")}: ${data.pack}</p>${data.bench ? html`<a class="btn" href="/bench">${t("workbench")}</a>` : nothing}</section>
  </main></div>`;
}

function madePanel(made) {
  return html`<section class="panel made" aria-label=${t("links")}><h2>${t("links")}</h2>
    ${made.others.map((l) => linkField(t("link_for", l.seat + 1), linkTo(made.name, l.as ?? "seat", l.key)))}
    ${made.watch ? linkField(t("watch_link"), linkTo(made.name, "watch", made.watch)) : nothing}
    ${made.mine ? html`<a class="btn main" href=${`#table=${encodeURIComponent(made.name)}&as=seat&key=${made.mine.key}`}>${t("go_seat")}</a>` : html`<a class="btn" href=${`#table=${encodeURIComponent(made.name)}&as=watch&key=${made.watch}`}>${t("open")}</a>`}
  </section>`;
}

function tableLine(x) {
  return html`<li><span><b>${x.title}</b> · ${x.name} · ${x.over ? t("over") : t("turn_n", x.turn)}</span>
    <span class="opens">${x.links.map((l) => html`<a class="btn small" href=${`#table=${encodeURIComponent(x.name)}&as=${l.as}&key=${l.key}`}>${l.as === "watch" ? t("watch_link") : t("seat", l.seat + 1)}</a>`)}</span></li>`;
}

/** Where a trace is opened from a file, in the lobby. */
function openTracePanel() {
  const open = async (event) => {
    const file = event.target.files?.[0];
    if (!file) return;
    try {
      const { openTrace } = await import("./replay.js");
      await openTrace(await file.arrayBuffer());
    } catch (error) {
      state.lobby.traceProblem = error.message || t("offline");
      redraw();
    }
    event.target.value = "";
  };
  return html`<section class="panel"><h2>${t("replay")}</h2><label class="file"><span>${t("open_trace")}</span><input type="file" accept=".fzt" @change=${open}></label>
    ${state.lobby.traceProblem ? html`<p class="bad" role="alert">${state.lobby.traceProblem}</p>` : nothing}</section>`;
}

/** The switch of the language. @param {(to: string) => void} then */
export function langSwitch(then) {
  const button = (code, label) => html`<button type="button" lang=${code} aria-pressed=${lang() === code ? "true" : "false"} class=${lang() === code ? "on" : ""} @click=${() => {
    setLang(code);
    then(code);
    redraw();
  }}>${label}</button>`;
  return html`<span class="seg" role="group" aria-label=${t("language")}>${button("en", "EN")}${button("ja", "日本語")}</span>`;
}

export { langOf, linkField };
