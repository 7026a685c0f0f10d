//! The card at the cursor: as it reads, and what it does, in each format.
import { html, nothing } from "../vendor/lit-html.js";
import { hueVars, pips } from "../table/card.js";
import { lang, langOf } from "../table/words.js";
import { ask } from "./language.js";
import { repeatable } from "./repeat.js";
import { bench, redraw, uriOf } from "./store.js";
import { b } from "./words.js";

/** Asks for the card soon. */
export const previewSoon = repeatable(refresh, 100, 100);

async function refresh() {
  if (!bench.connected || !bench.path) return;
  const began = performance.now();
  try {
    const found = await ask("fizzle/preview", { textDocument: { uri: uriOf(bench.path) }, position: { line: bench.line - 1, character: 0 } });
    bench.checked = Math.round(performance.now() - began);
    // While the sources have errors, the last text stays.
    if (!found.checks) bench.preview = { card: found.card ?? bench.preview.card, stale: (found.card ?? bench.preview.card) !== null, checks: false };
    else bench.preview = { card: found.card, stale: false, checks: true };
  } catch {
    // What is shown is of before; the next change asks again.
    bench.preview = { ...bench.preview, stale: bench.preview.card !== null };
  }
  redraw();
}

const formatOf = (card) => card.formats.find((f) => f.name === bench.format) ?? card.formats[0];

function face(card, format) {
  const vars = hueVars(card.hue, format.hues);
  const kind = [card.kind, card.line].filter(Boolean).join(" · ");
  return html`<article class="big" data-vars=${vars} aria-label=${card.name}>${pips(card.cost, vars)}
    <h2 class="name" lang=${langOf(card.name)}>${card.name}</h2><p class="kind" lang=${langOf(kind)}>${kind}</p>
    <div class="text" tabindex="0" role="group" aria-label=${b("reads_as")}>${card.text.map((line) => html`<p lang=${langOf(line)}>${line}</p>`)}</div>
    <div class="foot"><span>${bench.preview.stale ? b("moment_ago") : ""}</span>${card.stat ? html`<b class="stat">${card.stat}</b>` : nothing}</div></article>`;
}

/** The card and what it does. */
export function reads() {
  const { card, checks } = bench.preview;
  if (!card) return html`<section class="reads empty" aria-label=${b("card")}><p class="dim">${checks ? b("no_card") : b("never")}</p></section>`;
  const format = formatOf(card);
  const words = lang() === "ja" ? format.ja : format.en;
  return html`<section class=${`reads ${bench.preview.stale ? "stale" : ""}`} aria-label=${b("card")}>
    <div class="faces">${words.faces.map((f) => face(f, format))}</div>
    <div class="means" tabindex="0" role="group" aria-label=${format.title}>
      <h2>${format.title}</h2>
      ${card.formats.length > 1 ? html`<span class="seg" role="group" aria-label=${b("format")}>${card.formats.map((f) => html`<button class=${f === format ? "on" : ""} aria-pressed=${f === format ? "true" : "false"} @click=${() => { bench.format = f.name; redraw(); }}>${f.title}</button>`)}</span>` : nothing}
      ${format.is_legal ? nothing : html`<p class="bad">${b("banned")}</p>`}
      ${words.notes.length ? words.notes.map((note) => html`<p><b lang=${langOf(note.kind)}>${note.kind}</b>${note.choices.map((choice) => html`<br><span lang=${langOf(choice)}>${choice}</span>`)}</p>`) : html`<p class="dim">${b("no_notes")}</p>`}
      ${words.closing.map((line) => html`<p lang=${langOf(line)}>${line}</p>`)}
      ${bench.preview.stale ? html`<p class="old">${b("stale")}</p>` : nothing}
    </div></section>`;
}
