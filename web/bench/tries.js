//! Trying: a table with the card in a position, or at a step of a scenario. The table is a page of its own in a frame.
import { html, nothing } from "../vendor/lit-html.js";
import { documentText, goToLine, insertLines } from "./editor.js";
import { openFile, tell, wordsOf } from "./files.js";
import { ask } from "./language.js";
import { editPosition, endEditing, onPosition, positionEditor } from "./position.js";
import { bench, redraw, uriOf } from "./store.js";
import { b } from "./words.js";

/** Grows with each table that is wanted: an answer to an earlier wish is too late. */
let wish = 0;

/** Opens a table, or plays the open one again with the text as it is now. @param {any} what @param {any} more @param {boolean} isNew whether the open table's answers mean nothing */
async function open(what, more = {}, isNew = false) {
  const own = ++wish;
  bench.tryProblem = "";
  const tried = isNew ? null : bench.tried;
  const params = { textDocument: { uri: uriOf(what.path) }, position: { line: what.line - 1, character: 0 }, ...more, card: what.card, scenario: what.scenario, ...(tried ? { table: tried.table } : {}) };
  try {
    const found = await ask("fizzle/try", params);
    if (own !== wish) return;
    const made = found.table ? { table: found.table.name, key: found.table.links[0].key } : { table: tried.table, key: tried.key };
    const named = what.scenario ? what : { ...what, card: found.position.card };
    bench.tried = { ...made, position: found.position, what: named, entries: more.entries ?? null };
  } catch (error) {
    if (own !== wish) return;
    bench.tryProblem = wordsOf(error);
    // A table that has ended is opened anew the next time.
    if (/has ended/.test(bench.tryProblem)) bench.tried = null;
  }
  redraw();
}

/** Writes what was played at the table as a scenario, into the document of the card or scenario. */
async function keep() {
  if (!bench.tried || bench.keeping) return;
  const { what, position, entries, table } = bench.tried;
  const begun = what.scenario ? { scenario: what.scenario, steps: position.steps } : { card: what.card, format: position.format, stage: position.title || undefined, entries: entries ?? undefined };
  bench.keeping = true;
  redraw();
  try {
    if (!(await openFile(what.path))) return;
    const before = documentText();
    const kept = await ask("fizzle/keep", { textDocument: { uri: uriOf(what.path) }, position: { line: what.line - 1, character: 0 }, ...begun, table });
    if (bench.path !== what.path || documentText() !== before) throw new Error(b("changed_meanwhile"));
    insertLines(kept.text, kept.before);
    tell(kept.leftOut ? b("kept_part", kept.title, kept.leftOut) : b(kept.expects ? "kept" : "kept_plain", kept.title), Boolean(kept.leftOut));
    // What is played next continues after the new steps.
    if (what.scenario) {
      forget();
      await open(what, { steps: kept.steps });
    }
  } catch (error) {
    tell(wordsOf(error), true);
  } finally {
    bench.keeping = false;
    redraw();
  }
}

/** The table is begun anew: answers of another position mean nothing. */
function forget() {
  bench.tried = null;
  bench.entries = null;
}

/** Tries the card at the cursor. */
export async function tryCard() {
  forget();
  bench.mode = "try";
  await open({ path: bench.path, line: bench.line }, { format: bench.preview.card?.formats.some((f) => f.name === bench.format) ? bench.format : undefined });
}

/** Tries the same card on another stage. @param {string} stage */
async function onStage(stage) {
  const { what, position } = bench.tried;
  forget();
  await open(what, { format: position.format, stage });
}

/** Opens a scenario where it fails, or at its end. @param {any} scenario */
export async function tryScenario(scenario) {
  forget();
  bench.dialog = null;
  bench.mode = "try";
  await openFile(scenario.file, scenario.failure?.line ?? scenario.line);
  await open({ path: scenario.file, line: scenario.line, scenario: scenario.title });
}

/** Goes to another step of the scenario. @param {number} steps */
async function toStep(steps) {
  if (!bench.tried) return;
  const { what, position } = bench.tried;
  forget();
  await open(what, { steps });
  const line = position.lines[Math.min(steps, position.lines.length - 1)];
  if (line && bench.path === what.path) goToLine(line);
}

/** Plays the open table again after a change of the sources. */
export async function playAgain() {
  if (!bench.tried) return;
  const { what, position, entries } = bench.tried;
  await open(what, what.scenario ? { steps: position.steps } : { format: position.format, stage: position.title || undefined, entries: bench.entries ?? entries ?? undefined });
}

onPosition(async () => {
  if (!bench.tried || !bench.entries) return;
  const { what, position } = bench.tried;
  // The answers so far were given in another position.
  await open(what, { format: position.format, stage: position.title || undefined, entries: bench.entries.map((e) => ({ ...e })) }, true);
});

function scenarioBar({ position }) {
  const { steps, lines } = position;
  return html`<span class="steps"><button class="btn small" ?disabled=${steps <= 0} aria-label=${b("back")} @click=${() => toStep(steps - 1)}>◀</button>
    <span>${steps < lines.length ? b("step_of", steps + 1, lines.length, lines[steps]) : b("at_end", lines.length)}</span>
    <button class="btn small" ?disabled=${steps >= lines.length} aria-label=${b("forth")} @click=${() => toStep(steps + 1)}>▶</button></span>
    ${position.failure ? html`<p class="bad fails">${position.failure.message}</p>` : nothing}`;
}

function stagePicker({ position }) {
  if (position.stages.length < 2) return html`<small>${position.format_title || position.format} · ${position.title || b("with_decks")}</small>`;
  return html`<label><span class="sr">${b("stage")}</span><select @change=${(e) => onStage(e.target.value)}>${position.stages.map((title) => html`<option ?selected=${title === position.title}>${title}</option>`)}</select></label>`;
}

/** The table and what begins it. */
export function tries() {
  const { tried } = bench;
  const can = bench.preview.card !== null && !bench.preview.stale;
  const frame = tried ? `/#table=${encodeURIComponent(tried.table)}&as=seat&key=${tried.key}&embed=1` : "";
  return html`<section class="try" aria-label=${b("try")}><header>
      ${tried?.what.scenario && !bench.preview.card ? nothing : html`<button class="btn main small" ?disabled=${!can} @click=${() => tryCard()}>${b("try")}${bench.preview.card ? html` <span lang="mul">${bench.preview.card.name}</span>` : nothing}</button>`}
      ${tried ? (tried.what.scenario ? html`<b class="what">${tried.position.title}</b>${scenarioBar(tried)}` : html`${stagePicker(tried)}<span class="sp"></span>${tried.position.entries.length ? html`<button class="btn small" aria-pressed=${bench.entries ? "true" : "false"} @click=${() => (bench.entries ? endEditing() : editPosition())}>${bench.entries ? b("done") : b("edit_position")}</button>` : nothing}`) : html`<small>${b("try_hint")}</small>`}
    </header>
    ${bench.tryProblem ? html`<p class="notice bad" role="alert">${bench.tryProblem}</p>` : nothing}
    ${bench.entries && tried ? positionEditor() : nothing}
    ${tried ? html`<p class="kept"><button class="btn small" ?disabled=${bench.keeping} @click=${() => keep()}>${b("keep")}</button></p>` : nothing}
    ${tried ? html`<iframe title=${b("try")} src=${frame} data-table=${tried.table}></iframe>` : nothing}</section>`;
}
