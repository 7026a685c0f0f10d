//! The workbench: an editor, the card as it reads, the card on a table, the scenarios.
import { html, nothing, render } from "../vendor/lit-html.js";
import { request } from "../table/api.js";
import { dress, one } from "../table/dom.js";
import { langSwitch } from "../table/lobby.js";
import { state } from "../table/store.js";
import { lang } from "../table/words.js";
import { colourAgain, hooks } from "./editor.js";
import { afterSave, fileDialogs, fileList, loadFolder, openFile, save, tabs, tell, wordsOf } from "./files.js";
import { client, connectLanguageServer } from "./language.js";
import { previewSoon, reads } from "./preview.js";
import { runSoon, scenarioList, scenarioStrip, showFailures } from "./scenarios.js";
import { bench, isDirty, onDraw, redraw } from "./store.js";
import { playAgain, tries, tryCard } from "./tries.js";
import { b } from "./words.js";

const app = document.getElementById("app");
const MODES = ["edit", "card", "try"];

/** Takes the key of the host from the address, which then does not show it. */
function readKey() {
  const key = new URLSearchParams(location.hash.slice(1)).get("host");
  try {
    if (key) sessionStorage.setItem("fizzle.host", key);
    state.at.host = key || sessionStorage.getItem("fizzle.host") || "";
  } catch {
    state.at.host = key ?? "";
  }
  if (key) history.replaceState(null, "", "/bench");
}

function top() {
  const dirty = [...bench.open.values()].some(isDirty);
  return html`<header class="top"><a class="brand" href="/" aria-label="Fizzle">fizz<i>le</i></a><span class="where"><b>${bench.folder?.name ?? b("workbench")}</b></span><span class="sp"></span>
    <button class="pill" ?disabled=${!dirty} @click=${save}>${b("save")} <kbd class="wide">Ctrl S</kbd></button><a class="pill wide" href="/">${b("play")}</a>${langSwitch(() => { document.documentElement.lang = lang(); redraw(); })}</header>`;
}

function notices() {
  if (!bench.notice) return nothing;
  return html`<div class="notices"><p class=${`notice ${bench.notice.bad ? "bad" : ""}`} role=${bench.notice.bad ? "alert" : "status"}>${bench.notice.words} <button class="x" aria-label=${b("close")} @click=${() => tell("")}>×</button></p></div>`;
}

function page() {
  if (bench.locked) return html`<div class="page"><header class="top"><a class="brand" href="/" aria-label="Fizzle">fizz<i>le</i></a></header><main class="lobby"><h1>${b("workbench")}</h1><p role="alert">${bench.notice?.words ?? b("no_key")}</p></main></div>`;
  return html`<div class="bench" data-mode=${bench.mode}>${top()}
    <main class="parts"><h1 class="sr">${b("workbench")}</h1>
    <div class="modes" role="group">${MODES.map((mode) => html`<button class=${bench.mode === mode ? "on" : ""} aria-pressed=${bench.mode === mode ? "true" : "false"} @click=${() => { bench.mode = mode; redraw(); }}>${b(mode)}</button>`)}</div>
    ${fileList()}<section class="edit" aria-label=${b("editor")}>${tabs()}<div id="code" class="code"></div></section>
    <div class="look">${reads()}${tries()}</div></main>${scenarioStrip()}${notices()}</div>${fileDialogs()}${scenarioList()}`;
}

let dialogBefore = false;

function draw() {
  document.documentElement.lang = lang();
  render(page(), app);
  dress(app);
  document.title = `${[...bench.open.values()].some(isDirty) ? "• " : ""}${bench.folder?.name ?? b("workbench")} · Fizzle`;
  const dialog = one("[aria-modal=true]", app);
  if (dialog && !dialogBefore) (one("input", dialog) ?? one(".runs button, .btn", dialog) ?? one("button", dialog))?.focus();
  dialogBefore = dialog !== null;
}

hooks.changed = (text) => {
  const file = bench.open.get(bench.path);
  if (file) file.text = text;
  client.sync();
  previewSoon();
  runSoon();
  redraw();
};
hooks.opened = showFailures;
hooks.moved = (line) => {
  if (bench.line === line) return;
  bench.line = line;
  previewSoon(60);
};
hooks.save = save;
hooks.tryIt = () => tryCard();

afterSave.run = async () => {
  let again = 0;
  try {
    again = (await request("/api/bench/reload", { body: {} })).tables;
  } catch (error) {
    tell(b("save_failed", wordsOf(error)), true);
    return;
  }
  await playAgain();
  tell(again ? b("saved_and", again) : b("saved"));
  await loadFolder();
  redraw();
};

window.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && bench.dialog) {
    bench.dialog = null;
    redraw();
  }
  // The editor has handled it already.
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !event.defaultPrevented && !bench.dialog) tryCard();
  if ((event.ctrlKey || event.metaKey) && event.key === "s" && !event.defaultPrevented) {
    event.preventDefault();
    save();
  }
});
// Another program may have changed files meanwhile.
window.addEventListener("focus", () => {
  if (bench.folder) loadFolder().then(redraw, () => {});
});
window.addEventListener("beforeunload", (event) => {
  if ([...bench.open.values()].some(isDirty)) event.preventDefault();
});

/** Whether the language server was connected when the page was drawn. */
let wasConnected = false;

async function begin() {
  readKey();
  onDraw(() => {
    draw();
    if (bench.connected && !wasConnected) {
      colourAgain();
      previewSoon(0);
      runSoon(0);
    }
    wasConnected = bench.connected;
  });
  try {
    await loadFolder();
  } catch (error) {
    bench.locked = true;
    bench.notice = { words: state.at.host ? wordsOf(error) : b("no_key"), bad: true };
    return redraw();
  }
  connectLanguageServer();
  draw();
  const files = bench.folder.files.map((f) => f.path);
  const first = files.find((path) => /(^|\/)cards?[^/]*\.fz$/.test(path)) ?? files.find((path) => !path.endsWith("pack.fz")) ?? files[0];
  if (first) await openFile(first);
}

begin();
