//! Cards: on the board, in the hand, as a tile, as a back, large. All colours come from the hues of the layout, all sizes from the room.
import { html, nothing, repeat } from "../vendor/lit-html.js";
import { mark } from "./ask.js";
import { controller, now } from "./derive.js";
import { me, seatName, state, titled } from "./store.js";
import { langOf, t } from "./words.js";

const CHROMA = { full: 0.125, soft: 0.085, grey: 0.03, pale: 0.06 };

/** The custom properties of a hue, as text for `data-vars`. @param {string[]} words @param {Record<string, any>} [hues] */
export function hueVars(words, hues = state.welcome?.layout.hues ?? {}) {
  const found = [];
  for (const word of words ?? []) {
    const hue = hues[word];
    if (hue && !found.some((f) => f.degrees === hue.degrees)) found.push(hue);
  }
  if (!found.length) return "";
  const chroma = (hue) => CHROMA[hue.tone ?? "full"] ?? CHROMA.full;
  const second = found[1] ?? found[0];
  // Nearly grey cards are darker as well, so that they differ from nearly white ones.
  return `h:${found[0].degrees};c:${chroma(found[0])};h2:${second.degrees};c2:${chroma(second)};l:${found[0].tone === "grey" ? -0.11 : 0};`;
}

/** The longest word of a name, in letters: names are sized so that it fits. */
function longest(name) {
  if (langOf(name) === "ja") return 6;
  let most = 5;
  for (const word of name.split(/[\s\-–—/]+/)) most = Math.max(most, word.length);
  return Math.min(most, 16);
}

/** The face of an object: its printed card. */
export const faceOf = (o) => state.cards.get(o?.card) ?? null;

/** Units of a price, as round marks. @param {string} cost @param {string} vars */
export function pips(cost, vars) {
  if (!cost) return nothing;
  const parts = cost.match(/\{[^}]*\}|[^{}\s]+/g) ?? [];
  const units = parts.map((p) => p.replace(/[{}]/g, ""));
  const shown = units.length > 7 ? [cost.replace(/[{}]/g, "")] : units;
  return html`<span class="cost" aria-hidden="true">${shown.map((u) => html`<i class="pip" data-vars=${units.length > 1 && /^\d+$/.test(u) ? "c:0.01;" : vars}>${u}</i>`)}</span>`;
}

/** What a card says to who does not see it, after its visible words. */
export function spoken(handle, o, where, found) {
  const parts = [];
  if (!o.card) parts.push(t("facing_down"));
  if (o.look?.turned) parts.push(t("turned"));
  for (const lower of now?.attached.get(Number(handle)) ?? []) parts.push(t("under", titled(lower.card) || t("facing_down")));
  if (where) parts.push(where);
  const aims = now?.aims.get(Number(handle));
  if (aims) parts.push(t("aimed", aims.map((a) => a.n).join(", ")));
  if (found?.picked) parts.push(t("chosen"));
  else if (found?.can) parts.push(t("can", found.word === "…" ? "" : found.word));
  else if (found?.aim) parts.push(t("choosable"));
  return html`<span class="sr">, ${parts.join(", ")}</span>`;
}

/** The rules text, for who does not see the large card. */
const described = (o, face) => (o.card ? (o.ability && o.text ? o.text : (face?.text ?? []).join(" ")) || nothing : nothing);

/** The classes of an object by its look and the decision. */
function classes(o, found, extra) {
  const out = [extra];
  if (o.look?.turned) out.push("turned");
  if (o.look?.dim) out.push("dim");
  if (o.look?.forward) out.push("forward");
  if (!o.card) out.push("back");
  if (o.look?.counts?.length) out.push("counted");
  if (now?.aims.has(Number(o.handle)) || found?.order || found?.count || found?.share != null) out.push("marked");
  if (found?.picked) out.push("picked", "bright");
  else if (found?.can) out.push("can", "bright");
  else if (found?.aim) out.push("aimable", "bright");
  if (state.why && state.why.on !== null && state.why.on === o.handle) out.push("refused");
  return out.filter(Boolean).join(" ");
}

/** The numbers of what aims at an object. */
function aimMarks(handle) {
  const aims = now?.aims.get(Number(handle));
  if (!aims) return nothing;
  const foe = aims.every((a) => a.by !== me());
  return html`<span class=${`mark ${foe ? "foe" : ""}`}>${aims.map((a) => a.n).join("·")}</span>`;
}

/** Whom it goes for, when that is a player. */
function goes(handle, o) {
  const names = new Set();
  for (const status of now?.layout.arrow ?? []) {
    const to = o.to?.[status];
    if (typeof to === "string" && to.startsWith("seat")) names.add(Number(to.slice(4)));
  }
  const { ask, pick } = state;
  if (ask?.kind === "assign") {
    for (const k of pick?.picks ?? []) {
      const option = ask.options[k];
      if (option.on === Number(handle) && option.with === undefined && option.seat !== undefined) names.add(option.seat);
    }
  }
  return names.size ? html`<span class="goes">→ ${[...names].map((s) => (s === me() ? t("you") : seatName(s))).join(", ")}</span>` : nothing;
}

const counts = (o) => (o.look?.counts ?? []).map(([word, n]) => html`<span class="count">${n} ${word}</span> `);

function stat(o) {
  const text = o.look?.stat;
  if (!text) return nothing;
  return html`<b class=${`stat ${o.look.stat_change > 0 ? "up" : o.look.stat_change < 0 ? "down" : ""}`}>${text}</b>`;
}

/** Kind and types of a face, each word once: types often begin with the kind. */
const kindLine = (face) => {
  const words = (face?.line ?? "").split(" ");
  const isThere = (face?.kind ?? "").split(" ").every((word) => words.includes(word));
  return [isThere ? "" : face?.kind, face?.line].filter(Boolean).join(" · ");
};

const own = (o, face) => hueVars(o.look?.hue ?? face?.hue);

/** The round mark of a decision at a card: its number in the order, its share, how often. */
function picksMark(found) {
  if (!found) return nothing;
  if (found.share !== null && found.share !== undefined) return html`<span class="mark gold">${found.share}</span>`;
  if (found.count) return html`<span class="mark gold">×${found.count}</span>`;
  if (found.order) return html`<span class="mark gold">${found.order}</span>`;
  return nothing;
}

/** The objects that are attached to an object, as small buttons at it. */
function chips(handle, where) {
  const list = now?.attached.get(Number(handle));
  if (!list?.length) return nothing;
  const few = list.length > 2 && !list.some((a) => mark(a.handle)) ? null : list;
  if (!few) return html`<span class="chips"><button class="chip" data-item data-act="pile-of" data-of=${handle} tabindex="-1">＋ ${t("cards_n", list.length)}</button></span>`;
  return html`<span class="chips">${few.map((a) => {
    const o = now.objects[a.handle] ?? { card: a.card, owner: 0 };
    const found = mark(a.handle);
    return html`<button class=${classes({ ...o, handle: a.handle }, found, "chip")} data-item data-obj=${a.handle} data-card=${a.card} data-vars=${own(o, faceOf(o))} tabindex="-1" lang=${langOf(titled(a.card))}>＋ ${titled(a.card) || t("facing_down")}${spoken(a.handle, { ...o, card: "x" }, where, found)}</button>`;
  })}</span>`;
}

/**
 * A card on the board.
 * @param {number} handle @param {{where: string, times?: number, group?: number[], small?: boolean}} how
 */
export function boardCard(handle, how) {
  const o = { ...now.objects[handle], handle };
  const face = faceOf(o);
  const found = mark(handle);
  const name = titled(o.card);
  const kind = face?.line || face?.kind || "";
  const words = o.look?.marks ?? [];
  const aim = goes(handle, o);
  const extra = `card ${aim === nothing ? "" : "going"} ${(how.times ?? 1) > 1 ? "several" : ""}`;
  return html`<span class=${`slot ${o.look?.turned ? "wide" : ""}`}>
    <button class=${classes(o, found, extra)} data-item data-obj=${handle} data-vars=${`${own(o, face)}w:${longest(name)};`} tabindex="-1" aria-description=${described(o, face)}>
      ${name
        ? html`<span class="name" lang=${langOf(name)}>${name}</span> <span class="kind" lang=${langOf(kind)}>${kind}</span>`
        : html`<small>${words.length ? words.join(", ") : t("facing_down")}</small>`}
      ${name && words.length ? html`<span class="kws">${words.join(", ")}</span>` : nothing}
       <span class="foot">${counts(o)}${stat(o)}</span>
      ${(how.times ?? 1) > 1 ? html`<span class="times">×${how.times}</span>` : nothing}
      ${aimMarks(handle)}${picksMark(found)}${spoken(handle, o, how.where, found)}
    </button>${aim}${chips(handle, how.where)}</span>`;
}

/** A card in the viewer's hand. */
export function handCard(handle, where) {
  const o = { ...now.objects[handle], handle };
  const face = faceOf(o);
  const found = mark(handle);
  const vars = own(o, face);
  const kind = kindLine(face);
  return html`<span class="slot">
    ${found?.can && found.word ? html`<span class="hint" aria-hidden="true">${found.word}</span>` : nothing}
    <button class=${classes(o, found, `card hand-card ${found?.can && found.word ? "hinted" : ""}`)} data-item data-obj=${handle} data-vars=${`${vars}w:${longest(titled(o.card))};`} tabindex="-1">
      ${pips(face?.cost, vars)}
      ${o.card ? html`<span class="name" lang=${langOf(titled(o.card))}>${titled(o.card)}</span>` : html`<small>${t("facing_down")}</small>`}
      <span class="kind" lang=${langOf(kind)}>${kind}</span>
      <span class="text">${(face?.text ?? []).map((line) => html`<span class="p" lang=${langOf(line)}>${line}</span>`)}</span>
       <span class="foot">${counts(o)}${stat(o)}</span>
      ${aimMarks(handle)}${picksMark(found)}${spoken(handle, o, where, found)}
    </button>${chips(handle, where)}</span>`;
}

/** A tile: the name is enough. */
export function tile(handle, how) {
  const o = { ...now.objects[handle], handle };
  const face = faceOf(o);
  const found = mark(handle);
  return html`<span class="slot"><button class=${classes(o, found, `tile ${how.wide ? "wide-tile" : ""} ${found ? "grown" : ""} ${(how.times ?? 1) > 1 ? "several" : ""}`)} data-item data-obj=${handle} data-vars=${own(o, face)} tabindex="-1" aria-description=${described(o, face)}>${o.card
      ? html`<span class="name" lang=${langOf(titled(o.card))}>${titled(o.card)}</span>`
      : nothing} ${how.wide && o.look?.stat ? html`<small>${o.look.stat}</small>` : nothing} ${(how.times ?? 1) > 1 ? html`<b class="n">×${how.times}</b>` : nothing}${aimMarks(handle)}${picksMark(found)}${spoken(handle, o, how.where, found)}</button>${chips(handle, how.where)}</span>`;
}

/** The hidden object at a place. */
export function backTile(key, position, where, found) {
  return html`<span class="slot"><button class=${`tile back ${found?.picked ? "picked" : found ? "aimable" : ""} ${found ? "grown" : ""}`} data-item data-place=${`${key} ${position}`} tabindex="-1">${position}${picksMark(found)}<span class="sr">, ${[t("hidden_n", position), where, found ? (found.picked ? t("chosen") : t("choosable")) : ""].filter(Boolean).join(", ")}</span></button></span>`;
}

/** A card, large: all that is known of it. @param {{card: string, handle?: number}} what */
export function bigCard(what) {
  const o = what.handle !== undefined && now ? now.objects[what.handle] : null;
  const name = o?.card ?? what.card;
  const face = state.cards.get(name);
  const title = titled(name);
  if (!face && !o) return nothing;
  const vars = o ? own(o, face) : hueVars(face?.hue);
  const kind = kindLine(face);
  const notes = [];
  for (const word of o?.look?.marks ?? []) notes.push(word);
  for (const [word, n] of o?.look?.counts ?? []) notes.push(`${n} ${word}`);
  if (o?.look?.turned) notes.push(t("turned"));
  if (o && o.by !== undefined && o.by !== o.owner) notes.push(seatName(o.by));
  const lower = what.handle !== undefined ? now?.attached.get(Number(what.handle)) ?? [] : [];
  return html`<div class="big" data-vars=${vars}>
    ${pips(face?.cost, vars)}
    <h3 class="name" lang=${langOf(title)}>${title || t("facing_down")}</h3>
    <p class="kind" lang=${langOf(kind)}>${kind}</p>
    <div class="text">${o?.ability && o.text ? html`<p lang=${langOf(o.text)}>${o.text}</p>` : (face?.text ?? []).map((line) => html`<p lang=${langOf(line)}>${line}</p>`)}</div>
    ${lower.length ? html`<p class="kind">＋ ${lower.map((a) => titled(a.card) || t("facing_down")).join(", ")}</p>` : nothing}
    <div class="foot"><span>${notes.join(" · ")}</span>${o?.look?.stat ? stat(o) : nothing}</div>
  </div>`;
}

/** Groups objects that look the same. Groups are drawn once, with their number. */
export function together(handles) {
  const groups = new Map();
  for (const handle of handles) {
    const o = now.objects[handle];
    const found = mark(handle);
    const single = now.attached.has(handle) || now.aims.has(handle) || Object.keys(o.to ?? {}).length > 0 || found?.share != null;
    const key = single ? `${handle}` : JSON.stringify([o.card, o.look ?? null, controller(o), o.owner, found ? [found.can, found.picked, found.aim, found.word, found.order] : null]);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(handle);
  }
  return [...groups.values()];
}

export { repeat };
