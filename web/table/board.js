//! The board: halves of players, their rows, plates, the middle with the turn, the side with what waits.
import { html, nothing, repeat } from "../vendor/lit-html.js";
import { mark, placeMark, seatMark } from "./ask.js";
import { backTile, boardCard, faceOf, handCard, hueVars, spoken, tile, together } from "./card.js";
import { controller, now } from "./derive.js";
import { me, seatName, state, titled } from "./store.js";
import { langOf, t } from "./words.js";

const TOGETHER_FROM = 12;
const narrow = matchMedia("(max-width: 760px)");

/** Whether the page is as narrow as a phone. */
export const isNarrow = () => narrow.matches;

const where = (f) => (f.seat === null ? f.row.label : f.seat === me() ? f.row.label : t("of", seatName(f.seat), f.row.label));
const count = (f) => f.handles.length + f.hidden;

function groupsOf(f) {
  const many = f.row.equal_together || (f.row.style === "row" && f.handles.length >= TOGETHER_FROM);
  return many ? together(f.handles) : f.handles.map((h) => [h]);
}

/** How the zones of a row are found for motion. */
const zones = (f) => f.keys.join(" ");

/** A row of cards. */
function cardRow(f) {
  const groups = groupsOf(f);
  const label = where(f);
  return html`<div class=${`zone row ${groups.length ? "" : "empty"}`} role="group" aria-label=${label} data-zone data-zones=${zones(f)}>
    <span class="label" aria-hidden="true">${groups.length ? nothing : f.row.label}</span>
    <div class="in">${repeat(groups, (g) => g[0], (g) => boardCard(g[0], { where: label, times: g.length }))}${hiddenBacks(f, label)}</div></div>`;
}

/** Objects of a row of cards that cannot be identified. */
function hiddenBacks(f, label) {
  if (!f.hidden) return nothing;
  return html`<span class="slot"><span class="card back" role="img" aria-label=${`${t("facing_down")}, ${label}`}><small>${t("facing_down")}${f.hidden > 1 ? ` ×${f.hidden}` : ""}</small></span></span>`;
}

/** A row of names. */
function tileRow(f) {
  const all = count(f);
  if (!all) return nothing;
  const groups = groupsOf(f);
  const label = where(f);
  const up = f.handles.filter((h) => !now.objects[h].look?.turned).length + f.hidden;
  const wide = f.row.equal_together;
  return html`<div class=${`zone tight ${wide ? "wide-tiles" : ""}`} role="group" aria-label=${label} data-zone data-zones=${zones(f)}>
    <span class="label" aria-hidden="true"><b>${up === all ? all : t("n_of", up, all)}</b>${f.row.label}</span>
    <div class="in">${repeat(groups, (g) => g[0], (g) => tile(g[0], { where: label, times: g.length, wide }))}
      ${f.hidden ? html`<span class="tile back" role="img" aria-label=${`${t("facing_down")} ×${f.hidden}`}>×${f.hidden}</span>` : nothing}</div></div>`;
}

/** Hidden objects one by one. Known ones lie at their places. */
function backRow(f) {
  const label = where(f);
  const all = count(f);
  const key = f.keys.find((k) => (now.zones[k]?.hidden ?? 0) > 0) ?? f.keys[0];
  const byPlace = new Map();
  for (const h of f.handles) if (now.objects[h].position !== undefined) byPlace.set(now.objects[h].position, h);
  const loose = f.handles.filter((h) => now.objects[h].position === undefined);
  const entries = [];
  const total = f.hidden + byPlace.size;
  for (let p = 1; p <= total; p++) entries.push(byPlace.has(p) ? { handle: byPlace.get(p), id: `h${byPlace.get(p)}` } : { place: p, id: `p${p}` });
  for (const h of loose) entries.push({ handle: h, id: `h${h}` });
  const hit = [...(now.partner.places.keys()), ...(now.atPlace.keys())].some((k) => f.keys.some((z) => k.startsWith(`${z} `)));
  return html`<div class=${`zone tight ${hit ? "aim" : ""}`} role="group" aria-label=${label} data-zone data-zones=${zones(f)}>
    <span class="label" aria-hidden="true"><b>${all}</b>${f.row.label}</span>
    <div class="in">${repeat(entries, (e) => e.id, (e) => (e.handle !== undefined ? tile(e.handle, { where: label }) : backTile(key, e.place, label, placeMark(`${key} ${e.place}`))))}</div></div>`;
}

/** The cards of the viewer. */
function fan(f) {
  const label = where(f);
  return html`<div class="hand" role="group" aria-label=${label} data-zone data-zones=${zones(f)}>
    ${repeat(f.handles, (h) => h, (h) => handCard(h, label))}
    ${f.hidden ? html`<span class="slot"><span class="card hand-card back" role="img" aria-label=${`${t("facing_down")} ×${f.hidden}`}><small>${t("facing_down")} ×${f.hidden}</small></span></span>` : nothing}</div>`;
}

/** A pile at a plate: its name, its top card, how many. */
function pileFact(f) {
  const n = count(f);
  // In the workbench, cards are put there.
  if (f.row.only_filled && !n && !state.at.embed) return nothing;
  const top = f.handles.length && !f.hidden ? now.objects[f.handles[f.handles.length - 1]] : null;
  const options = f.handles.some((h) => now.loose.some((k) => state.ask.options[k].on === h));
  const label = `${where(f)}, ${top?.card ? `${titled(top.card)}, ` : ""}${t("cards_n", n)}`;
  const inside = top?.card
    ? html`<span class="l">${f.row.label}</span> <b class="crown" lang=${langOf(titled(top.card))}>${titled(top.card)}</b><b> · ${n}</b>`
    : html`<span class="l">${f.row.label}</span> <b>${n}</b>`;
  if (!f.handles.length) return html`<span class="fact" data-zones=${zones(f)} >${inside}</span>`;
  return html`<button class=${`fact ${top?.card ? "face" : ""} ${options ? "aimable" : ""}`} data-item data-zones=${zones(f)} data-act="pile" tabindex="-1" aria-haspopup="dialog">${inside}<span class="sr">, ${label}</span></button>`;
}

/** Cards of another player's hand: backs and how many. */
function fanFact(f) {
  const n = count(f);
  const label = `${where(f)}, ${t("cards_n", n)}`;
  const backs = html`<span class="backs" aria-hidden="true">${Array.from({ length: Math.min(n, 8) }, () => html`<i></i>`)}</span>`;
  const inside = html`<span class="l">${f.row.label}</span> <b>${n}</b>`;
  return html`${backs}${f.handles.length
    ? html`<button class="fact" data-item data-zones=${zones(f)} data-act="pile" tabindex="-1" aria-haspopup="dialog">${inside}<span class="sr">, ${label}</span></button>`
    : html`<span class="fact" data-zones=${zones(f)} >${inside}</span>`}`;
}

/** A player: name, numbers, piles. */
function plate(s) {
  const { seat } = s;
  const info = state.seats[seat] ?? { name: "", deck: "", here: false };
  const { facts } = state.view;
  const numbers = facts.seats?.[seat] ?? {};
  const found = seatMark(seat);
  const aims = now.seatAims.get(seat);
  const mine = seat === me();
  const piles = s.rows.filter((f) => f.row.style === "pile");
  const fans = mine ? [] : s.rows.filter((f) => f.row.style === "fan");
  const shown = (numbers.show ?? []).filter(([, value]) => value !== "0");
  const active = facts.active === seat;
  const hit = found?.aim || found?.picked || now.hit.has(seat);
  const label = [numbers.large?.[0], found ? (found.picked ? t("chosen") : t("choosable")) : "", aims ? t("aimed", aims.map((a) => a.n).join(", ")) : ""].filter(Boolean).join(", ");
  return html`<div class=${`plate ${hit ? "hit" : ""} ${numbers.out ? "out" : ""} ${active ? "active" : ""}`} role="group" aria-label=${seatName(seat)} data-zone>
    <button class=${`who ${found ? (found.picked ? "picked" : "aimable") : ""}`} data-item data-seat=${seat} tabindex="-1">
      <b>${seatName(seat)}</b><small>${mine ? html`<span class="wide">${t("you")}${info.deck ? " · " : ""}</span>` : nothing}${info.deck ?? ""}</small>
      ${numbers.large ? html`<span class="score">${numbers.large[1]}</span>` : nothing}
      ${aims ? html`<span class="mark">${aims.map((a) => a.n).join("·")}</span>` : nothing}
      ${found?.share != null ? html`<span class="mark gold">${found.share}</span>` : nothing}
      <span class="sr">${label ? `, ${label}` : ""}</span>
    </button>
    ${active ? html`<span class="turn">${mine ? t("your_turn") : t("turn_of", seatName(seat))}</span>` : nothing}
    ${numbers.out ? html`<span class="turn gone">${t("out")}</span>` : !info.here && !info.bot ? html`<span class="turn gone">${t("gone")}</span>` : nothing}
    ${state.waits === seat && !mine ? html`<span class="dots" aria-hidden="true">…</span>` : nothing}
    <div class="facts">${fans.map(fanFact)}${shown.map(([l, v]) => html`<span class="fact"><span class="l">${l}</span> <b>${v}</b></span>`)}${piles.map(pileFact)}</div>
  </div>`;
}

const hasField = (s) => s.rows.some((f) => f.row.style === "places");

/** Numbered places, with the rows to their left and right. */
function field(s, turnedRound) {
  let rows = s.rows.filter((f) => f.row.style === "places");
  let left = s.left, right = s.right;
  if (turnedRound) {
    rows = [...rows].reverse();
    [left, right] = [right, left];
    left = [...left].reverse();
    right = [...right].reverse();
  }
  const most = Math.max(...rows.map((f) => f.row.places ?? 0), 1);
  const edge = (list, index) => (list[index] ? sidePlace(list[index]) : html`<div class="place bare"></div>`);
  return html`<div class="field" data-vars=${`places:${most};edges:${(left.length ? 1 : 0) + (right.length ? 1 : 0)};`}>
    ${rows.map((f, index) => {
      const label = where(f);
      const cells = [];
      for (let p = 0; p < most; p++) cells.push(turnedRound ? most - 1 - p : p);
      const at = new Map();
      for (const h of f.handles) {
        const p = now.objects[h].place ?? 0;
        if (!at.has(p)) at.set(p, []);
        at.get(p).push(h);
      }
      const rest = f.handles.filter((h) => (now.objects[h].place ?? 0) >= most || (now.objects[h].place ?? 0) < 0);
      return html`<div class="places" role="group" aria-label=${label} data-zone data-zones=${zones(f)}>
        ${left.length ? edge(left, index) : nothing}
        ${cells.map((p) => html`<div class="place">${(at.get(p) ?? []).map((h) => boardCard(h, { where: label }))}</div>`)}
        ${rest.length ? html`<div class="place">${rest.map((h) => boardCard(h, { where: label }))}</div>` : nothing}
        ${right.length ? edge(right, index) : nothing}</div>`;
    })}
  </div>`;
}

/** A place at the side of numbered ones. */
function sidePlace(f) {
  const n = count(f);
  if (f.row.style !== "pile") {
    const h = f.handles[f.handles.length - 1];
    return html`<div class="place named" data-zones=${zones(f)}>${h !== undefined ? boardCard(h, { where: where(f), times: n }) : html`<span class="l">${f.row.label}</span>`}</div>`;
  }
  if (!n) return html`<div class="place named" data-zones=${zones(f)}><span class="l">${f.row.label} 0</span></div>`;
  const top = !f.hidden && f.handles.length ? now.objects[f.handles[f.handles.length - 1]] : null;
  const options = f.handles.some((h) => now.loose.some((k) => state.ask.options[k].on === h));
  const label = `${where(f)}, ${top?.card ? `${titled(top.card)}, ` : ""}${t("cards_n", n)}`;
  if (!f.handles.length) return html`<div class="place named" data-zones=${zones(f)}><span class="card back" role="img" aria-label=${label}><small>${f.row.label} ${n}</small></span></div>`;
  const vars = top ? hueVars(top.look?.hue ?? faceOf(top)?.hue) : "";
  return html`<div class="place named" data-zones=${zones(f)}><button class=${`card ${top?.card ? "pile" : "back"} ${options ? "aimable" : ""}`} data-item data-act="pile" data-of-zones=${zones(f)} data-vars=${vars} tabindex="-1"
    aria-haspopup="dialog">${top?.card ? html`<span class="name" lang=${langOf(titled(top.card))}>${titled(top.card)}</span> <span class="kind">${f.row.label}</span> <span class="foot"><b class="stat">${n}</b></span>` : html`<small>${f.row.label} ${n}</small>`}<span class="sr">, ${label}</span></button></div>`;
}

/** A row that is drawn by its style alone. */
function anyRow(f) {
  switch (f.row.style) {
    case "row": return cardRow(f);
    case "tiles": return tileRow(f);
    case "backs": return backRow(f);
    default: return nothing;
  }
}

/** The rows to the left and right, if there are no numbered places. */
function sideRow(s) {
  const list = [...s.left, ...s.right];
  if (!list.length) return nothing;
  const cards = list.filter((f) => f.row.style !== "pile");
  const piles = list.filter((f) => f.row.style === "pile");
  return html`${cards.map(anyRow)}${piles.length ? html`<div class="zone tight piles" role="group" aria-label=${seatName(s.seat)} data-zone><div class="in">${piles.map(pileFact)}</div></div>` : nothing}`;
}

/** Consecutive rows of cards: in one line if they fit, else one below the other. */
function cardRows(list) {
  if (list.length === 1) return cardRow(list[0]);
  const wide = list.reduce((sum, f) => sum + width(f), 0);
  const lines = wide <= perLine(list[0].seat);
  return html`<div class=${lines ? "rowline" : "rowstack"}>${list.filter((f) => lines || count(f)).map(cardRow)}</div>`;
}

/** A player's half. @param {any} s @param {boolean} turnedRound */
function half(s, turnedRound) {
  const placed = hasField(s);
  let drawnField = false;
  let rows = s.rows;
  if (turnedRound) rows = [...rows].reverse();
  const parts = rows.map((f, index) => {
    if (f.row.style === "row") {
      if (index > 0 && rows[index - 1].row.style === "row") return nothing;
      const next = rows.findIndex((x, k) => k > index && x.row.style !== "row");
      return cardRows(rows.slice(index, next < 0 ? rows.length : next));
    }
    if (f.row.style === "places") {
      if (drawnField) return nothing;
      drawnField = true;
      return field(s, turnedRound);
    }
    return anyRow(f);
  });
  if (!placed) parts[turnedRound ? "unshift" : "push"](sideRow(s));
  const fans = turnedRound || s.seat !== me() ? [] : s.rows.filter((f) => f.row.style === "fan");
  return turnedRound
    ? html`<div class="half theirs" role="group" aria-label=${seatName(s.seat)}>${plate(s)}${parts}</div>`
    : html`<div class="half mine" role="group" aria-label=${seatName(s.seat)}>${parts}${plate(s)}${fans.map(fan)}</div>`;
}

/** Where the turn is: the phases, and the steps of the open one. */
export function track() {
  const { facts } = state.view;
  const spans = state.welcome.spans ?? [];
  const open = facts.span ?? "";
  const split = spans.map((s) => ({ ...s, parts: s.path.split(".") }));
  const least = Math.min(...split.map((s) => s.parts.length).filter((n) => n > 1), 9);
  const tops = split.filter((s) => s.parts.length === least);
  const inside = (path) => open === path || open.startsWith(`${path}.`);
  let phase = tops.findIndex((s) => inside(s.path));
  const mine = facts.active === me();
  const items = [];
  tops.forEach((s, index) => {
    const isOpen = index === phase;
    const steps = isOpen ? split.filter((x) => x.path.startsWith(`${s.path}.`) && !split.some((y) => y.path.startsWith(`${x.path}.`))) : [];
    items.push({ label: s.label, cls: isOpen ? (steps.length && open !== s.path ? "open" : "now") : index < phase ? "past" : "later" });
    const at = steps.findIndex((x) => inside(x.path));
    // Where there are many, the steps near the current one.
    const near = (k) => tops.length + steps.length <= 11 || (at < 0 ? k < 3 : Math.abs(k - at) <= 1);
    steps.forEach((x, k) => near(k) && items.push({ label: x.label, cls: k === at ? "now" : at >= 0 && k < at ? "past step" : "later step" }));
  });
  return html`<div class="track" role="group" aria-label=${t("turn_head", facts.turn, seatName(facts.active), mine)}>
    <span class="n">${t("turn_head", facts.turn, seatName(facts.active), mine)}</span>
    ${items.map((i) => html`<span class=${i.cls} aria-current=${i.cls === "now" ? "step" : nothing}>${i.label}</span>`)}
  </div>`;
}

/** How many cards of usual width a row needs. */
const width = (f) => groupsOf(f).reduce((sum, g) => sum + (now.objects[g[0]].look?.turned ? 1.3 : 1.08), 0) + (f.hidden ? 1 : 0);

const room = () => (isNarrow() ? innerWidth - 20 : innerWidth - (innerWidth > 1080 ? 316 : 250) - 60);
const columnsOf = (foes) => Math.max(1, Math.min(foes, isNarrow() ? 1 : 3));
/** How many cards of usual width fit into a line of a player's half. */
const perLine = (seat) => Math.max(2, Math.floor(room() / (seat === me() ? 1 : columnsOf(state.seats.length - 1)) / (isNarrow() ? 58 : 76)));

/** The numbers from which the sizes of cards follow. */
function sizes(seats, foes) {
  const columns = columnsOf(foes.length);
  let rows = 0, tiles = 0, most = 1;
  const measure = (s, share) => {
    let r = 0, tl = 0;
    const line = perLine(s.seat);
    let run = [];
    const close = () => {
      if (!run.length) return;
      const all = run.reduce((a, b) => a + b, 0);
      if (all <= line) {
        r += 1;
        most = Math.max(most, all * share);
      } else {
        for (const w of run) {
          r += Math.ceil(w / line);
          most = Math.max(most, Math.min(w, line) * share);
        }
      }
      run = [];
    };
    for (const f of s.rows) {
      if (f.row.style === "row") {
        run.push(width(f));
        continue;
      }
      close();
      if (f.row.style === "tiles") {
        if (!count(f)) continue;
        const n = groupsOf(f).length;
        const each = f.row.equal_together ? (isNarrow() ? 90 : 124) : isNarrow() ? 27 : 80;
        tl += Math.max(1, Math.ceil((n * each) / (room() / share - (isNarrow() ? 40 : 70))));
      } else if (f.row.style === "backs") tl += 1;
      else if (f.row.style === "places") {
        r += 1;
        most = Math.max(most, ((f.row.places ?? 1) + (s.left.length ? 1 : 0) + (s.right.length ? 1 : 0)) * (isNarrow() ? 1 : 1.28) * share);
      }
    }
    close();
    if (!hasField(s) && [...s.left, ...s.right].some((f) => f.row.style === "pile")) tl += 1;
    return [r, tl];
  };
  for (let k = 0; k < foes.length; k += columns) {
    const group = foes.slice(k, k + columns).map((s) => measure(s, columns));
    rows += Math.max(...group.map((g) => g[0]));
    tiles += Math.max(...group.map((g) => g[1])) + (k ? 1 : 0);
  }
  const mine = seats.find((s) => s.seat === me());
  if (mine) {
    const [r, tl] = measure(mine, 1);
    rows += r;
    tiles += tl;
  }
  for (const f of now.middle) {
    if (f.row.style === "row") rows += f.handles.length ? 1 : 0;
    else if (f.row.style === "tiles" && count(f)) tiles += 1;
  }
  const hand = mine?.rows.filter((f) => f.row.style === "fan") ?? [];
  const held = Math.max(0, ...hand.map(count));
  return `rows:${Math.max(rows, 1)};tiles:${tiles};most:${Math.round(most * 100) / 100};hands:${hand.length};held:${Math.max(held, 4)};`;
}

/** The board. */
export function board() {
  const seats = now.seats;
  const mine = me();
  const n = seats.length;
  const own = seats.find((s) => s.seat === mine) ?? null;
  // Opponents in the order of the turn, beginning after the viewer.
  const from = mine ?? n - 1;
  const bottom = own ?? seats[n - 1];
  const foes = [];
  for (let k = 1; k < n; k++) foes.push(seats[(from + k) % n]);
  const middleRows = now.middle.filter((f) => f.row.style !== "pile" && count(f));
  const middlePiles = now.middle.filter((f) => f.row.style === "pile" && count(f));
  const dense = seats.some(hasField);
  return html`<section class=${`board ${dense ? "dense" : ""}`} aria-label=${t("table")} data-vars=${sizes(seats, foes)}>
    <div class="room">
    <div class="foes" data-n=${Math.min(foes.length, 6)}>${repeat(foes, (s) => s.seat, (s) => half(s, true))}</div>
    ${middleRows.map(anyRow)}
    <div class="mid">${track()}${middlePiles.length ? html`<div class="facts" role="group" aria-label=${t("table")} data-zone>${middlePiles.map(pileFact)}</div>` : nothing}
      ${(state.view.facts?.game ?? []).some(([, v]) => v !== "0") ? html`<div class="facts game">${state.view.facts.game.filter(([, v]) => v !== "0").map(([l, v]) => html`<span class="fact"><span class="l">${l}</span> <b>${v}</b></span>`)}</div>` : nothing}</div>
    ${bottom ? half(bottom, false) : nothing}
    </div>
  </section>`;
}

const titleOf = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** What waits: the list, the last one first. */
export function waiting() {
  const f = now.list;
  if (!f) return nothing;
  const handles = [...f.handles].reverse();
  return html`<section class=${`waits ${handles.length ? "" : "none"}`} aria-label=${f.row.label || t("list")}>
    <h2>${titleOf(f.row.label || t("list"))} <small>${handles.length ? t("list_count", handles.length) : t("list_empty")}</small></h2>
    ${handles.length
      ? html`<div class="wait" role="group" aria-label=${f.row.label || t("list")} data-zone data-zones=${zones(f)}>${repeat(handles, (h) => h, (h, k) => waitingItem(h, handles.length - k, k === 0))}</div>`
      : html`<p class="peek" data-zones=${zones(f)}>${t("list_hint_empty")}</p>`}
  </section>`;
}


function waitingItem(handle, n, next) {
  const o = now.objects[handle];
  const face = faceOf(o);
  const found = mark(handle);
  const by = controller(o);
  const aims = [...(o.chosen ?? []).map((h) => ({ text: titled(now.objects[h]?.card ?? "") || t("facing_down"), handle: h })), ...(o.chosen_seats ?? []).map((s) => ({ text: seatName(s) }))];
  const text = o.ability && o.text ? [o.text] : face?.text ?? [];
  const cls = `${next ? "next" : ""} ${found?.picked ? "picked" : found?.can ? "can" : found?.aim ? "aimable" : ""}`;
  return html`<button class=${`wait-item ${cls}`} data-item data-obj=${handle} data-by=${by === me() ? "me" : "foe"} data-vars=${hueVars(o.look?.hue ?? face?.hue)} tabindex="-1">
    <span class="by"><span>${seatName(by)}${by === me() ? ` (${t("you")})` : ""}</span>${next ? html`<b class="r">${t("next")}</b>` : html`<b>${n}</b>`}</span>
    <span class="nm" lang=${langOf(titled(o.card))}>${titled(o.card) || t("facing_down")}</span>
    <span class="tx">${text.map((line) => html`<span lang=${langOf(line)}>${line} </span>`)}</span>
    ${aims.length ? html`<span class="tos">${aims.slice(0, 4).map((a) => html`<span class="to" lang=${langOf(a.text)}>${a.text}</span>`)}${aims.length > 4 ? html`<span class="to">＋${aims.length - 4}</span>` : nothing}</span>` : nothing}${spoken(handle, o, "", found)}
  </button>`;
}
