//! The position in which a card is tried, changed by hand: cards are dragged to zones, or put there by keys.
import { html, nothing } from "../vendor/lit-html.js";
import { langOf } from "../table/words.js";
import { ask } from "./language.js";
import { bench, redraw, uriOf } from "./store.js";
import { b } from "./words.js";

let timer = 0;
let changed = () => {};

/** Registers what plays the changed position. @param {() => void} run */
export function onPosition(run) {
  changed = run;
}

function change() {
  redraw();
  clearTimeout(timer);
  timer = setTimeout(changed, 250);
}

/** Begins to edit the position of the table. */
export function editPosition() {
  const { position } = bench.tried;
  // What was changed before is changed further.
  bench.entries = position.entries.map((e) => ({ ...e }));
  const own = position.entries.find((e) => e.card === position.card);
  bench.target = own ? [own.seat, own.zone] : [0, position.zones[0] ?? ""];
  search("");
  redraw();
}

/** Ends editing. */
export function endEditing() {
  bench.entries = null;
  redraw();
}

let searchTimer = 0;
function search(text) {
  bench.search.text = text;
  clearTimeout(searchTimer);
  searchTimer = setTimeout(async () => {
    try {
      const found = await ask("fizzle/cards", { textDocument: { uri: uriOf(bench.tried.what.path) }, search: text });
      if (bench.search.text === text) bench.search.found = found.cards;
    } catch {
      bench.search.found = [];
    }
    redraw();
  }, 150);
}

function put(card, seat, zone) {
  const entry = bench.entries.find((e) => e.seat === seat && e.zone === zone && e.card === card && e.was === undefined);
  if (entry) entry.count += 1;
  else bench.entries.push({ seat, zone, card, count: 1 });
  change();
}

function move(index, seat, zone) {
  const entry = bench.entries[index];
  if (!entry || (entry.seat === seat && entry.zone === zone)) return;
  if (entry.count > 1) {
    entry.count -= 1;
    bench.entries.push({ ...entry, seat, zone, count: 1 });
  } else Object.assign(entry, { seat, zone });
  change();
}

function take(index) {
  const entry = bench.entries[index];
  entry.count -= 1;
  if (entry.count <= 0) bench.entries.splice(index, 1);
  change();
}

const drag = (data) => (event) => {
  event.dataTransfer.setData("application/x-fizzle", JSON.stringify(data));
  event.dataTransfer.effectAllowed = "copyMove";
};

function drop(event, seat, zone) {
  const text = event.dataTransfer.getData("application/x-fizzle");
  if (!text) return;
  event.preventDefault();
  const data = JSON.parse(text);
  if (data.index !== undefined) move(data.index, seat, zone);
  else put(data.card, seat, zone);
}

function zoneBox(seat, zone) {
  const mine = bench.entries.map((entry, index) => ({ entry, index })).filter(({ entry }) => entry.seat === seat && entry.zone === zone);
  const isTarget = bench.target[0] === seat && bench.target[1] === zone;
  return html`<div class=${`drop ${isTarget ? "target" : ""}`} role="group" aria-label=${`${b("player", seat)}, ${zone.replaceAll("_", " ")}`} @dragover=${(e) => e.preventDefault()} @drop=${(e) => drop(e, seat, zone)}>
    <button class="zone-name" aria-pressed=${isTarget ? "true" : "false"} @click=${() => { bench.target = [seat, zone]; redraw(); }}>${zone.replaceAll("_", " ")}</button>
    ${mine.map(({ entry, index }) => html`<span class="placed" draggable="true" @dragstart=${drag({ index })}><button lang=${langOf(entry.card)} title=${b("more_of", entry.card)} @click=${() => { entry.count += 1; change(); }}>${entry.count > 1 ? `${entry.count} × ` : ""}${entry.card}<span class="sr">, ${b("one_more")}</span></button><button class="remove" aria-label=${b("remove", entry.card)} @click=${() => take(index)}>×</button></span>`)}</div>`;
}

/** The editor of the position. */
export function positionEditor() {
  const { position } = bench.tried;
  const seats = Math.max(2, ...bench.entries.map((e) => e.seat + 1));
  return html`<div class="position">
    <div class="finder"><label><span class="sr">${b("search")}</span><input type="search" placeholder=${b("search")} .value=${bench.search.text} @input=${(e) => search(e.target.value)} @keydown=${(e) => { if (e.key === "Enter" && bench.search.found.length) put(bench.search.found[0], ...bench.target); }}></label>
    <span class="dim">${b("put_into")}: ${b("player", bench.target[0])}, ${bench.target[1].replaceAll("_", " ")}</span>
    <ul>${bench.search.found.map((card) => html`<li><button draggable="true" lang=${langOf(card)} @dragstart=${drag({ card })} @click=${() => put(card, ...bench.target)}>${card}</button></li>`)}</ul>
    ${bench.search.text && !bench.search.found.length ? html`<p class="dim">${b("nothing_found")}</p>` : nothing}</div>
    <p class="dim how">${b("drag_hint")}</p>
    ${Array.from({ length: seats }, (_, seat) => html`<h3>${b("player", seat)}</h3><div class="drops">${position.zones.map((zone) => zoneBox(seat, zone))}</div>`)}</div>`;
}
