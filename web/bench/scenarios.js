//! The scenarios of the pack, run as one types: what holds, what fails, and where.
import { html, nothing } from "../vendor/lit-html.js";
import { langOf } from "../table/words.js";
import { ask } from "./language.js";
import { markFailures } from "./editor.js";
import { repeatable } from "./repeat.js";
import { bench, pathOf, redraw } from "./store.js";
import { playAgain, tryScenario } from "./tries.js";
import { b } from "./words.js";

/** Runs the scenarios soon. */
export const runSoon = repeatable(refresh, 350, 100);

async function refresh() {
  if (!bench.connected) return;
  try {
    const found = await ask("fizzle/run", {});
    // Only those of the folder can be opened.
    const scenarios = found.scenarios.map((s) => ({ ...s, file: pathOf(s.path) })).filter((s) => s.file !== null);
    bench.runs = { checks: found.checks, scenarios: found.checks ? scenarios : bench.runs?.scenarios ?? [] };
    showFailures();
    // The table of a scenario shows how it is now.
    const { tried } = bench;
    const shown = tried && scenarios.find((s) => s.file === tried.what.path && s.title === tried.what.scenario);
    if (shown && shown.failure?.message !== tried.position.failure?.message) await playAgain();
  } catch {
    // The results are of before; the next change runs them again.
    if (bench.runs) bench.runs = { ...bench.runs, checks: false };
  }
  redraw();
}

/** Marks the failing lines of the file in the editor. */
export function showFailures() {
  markFailures(failing().filter((s) => s.file === bench.path).map((s) => s.failure));
}

const failing = () => (bench.runs?.scenarios ?? []).filter((s) => s.failure);

/** The line at the foot. */
export function scenarioStrip() {
  const { runs } = bench;
  const fails = failing();
  const first = fails[0];
  const count = (runs?.scenarios.length ?? 0) - fails.length;
  return html`<footer class="strip" aria-label=${b("scenarios")}><h2>${b("scenarios")}</h2>
    ${!runs || !runs.scenarios.length ? html`<span class="dim">${runs && !runs.checks ? b("waiting") : runs ? b("none") : "…"}</span>` : html`
      <button class="ok" @click=${() => { bench.dialog = "scenarios"; redraw(); }}>✓ ${b("hold", count)}</button>
      ${fails.length ? html`<button class="no" @click=${() => { bench.dialog = "scenarios"; redraw(); }}>✗ ${b("fail", fails.length)}</button>` : nothing}
      ${runs.checks ? nothing : html`<span class="dim">${b("waiting")}</span>`}
      ${first ? html`<button class="msg" @click=${() => tryScenario(first)}><b>${first.title}</b> · ${first.file}:${first.failure.line} · ${first.failure.message}</button>` : nothing}`}
    <span class="sp"></span>${bench.connected ? (bench.checked ? html`<span class="dim wide">${b("checked", bench.checked)}</span>` : nothing) : html`<span class="bad" role="status">${b("lost")}</span>`}</footer>`;
}

/** All scenarios, the failing ones first. */
export function scenarioList() {
  if (bench.dialog !== "scenarios") return nothing;
  const close = () => { bench.dialog = null; redraw(); };
  const all = [...(bench.runs?.scenarios ?? [])].sort((one, other) => Number(!one.failure) - Number(!other.failure));
  return html`<div class="veil" @click=${(e) => { if (e.target === e.currentTarget) close(); }}><section class="sheet list" role="dialog" aria-modal="true" aria-label=${b("all_scenarios")}><button class="x" aria-label=${b("close")} @click=${close}>×</button><h2>${b("all_scenarios")}</h2>
    <ul class="runs">${all.map((s) => html`<li><button @click=${() => tryScenario(s)}><span class=${s.failure ? "no" : "ok"}>${s.failure ? "✗" : "✓"}</span> <b lang=${langOf(s.title)}>${s.title}</b> <small>${s.file}:${s.failure?.line ?? s.line}</small>${s.failure ? html`<br><span class="bad">${s.failure.message}</span>` : nothing}</button></li>`)}</ul></section></div>`;
}
