//! The files of the folder: opening, writing, making new ones. A file that has changed on disk is never written over unasked.
import { html, nothing } from "../vendor/lit-html.js";
import { request, RequestError } from "../table/api.js";
import { state } from "../table/store.js";
import { editorState, goToLine, hooks, showState, view } from "./editor.js";
import { client, events, filesMayDiffer } from "./language.js";
import { bench, isDirty, redraw, uriOf } from "./store.js";
import { b } from "./words.js";

const address = (path) => `/api/bench/file/${path.split("/").map(encodeURIComponent).join("/")}`;

/** Tells the user something. @param {string} words @param {boolean} [bad] */
export function tell(words, bad = false) {
  const notice = words ? { words, bad } : null;
  bench.notice = notice;
  // What went well is of no interest for long.
  if (notice && !bad) setTimeout(() => {
    if (bench.notice === notice) tell("");
  }, 6000);
  redraw();
}

/** The words of an error. @param {unknown} error */
export const wordsOf = (error) => (error instanceof RequestError && !error.message ? b("offline") : String(/** @type {any} */ (error)?.message ?? error));

/** Loads the list of files. */
export async function loadFolder() {
  bench.folder = await request("/api/bench");
  filesMayDiffer(bench.folder.files.map(({ path }) => uriOf(path)));
}

/** Reads a file, which then is open. Returns null if it cannot be read. @param {string} path */
async function load(path) {
  const known = bench.open.get(path);
  if (known) return known;
  try {
    const { text, hash } = await request(address(path));
    // The editor has lines; how they end is kept aside.
    const lines = text.replaceAll("\r\n", "\n");
    const file = { path, uri: uriOf(path), hash, saved: lines, text: lines, state: null, isCrlf: lines !== text };
    if (!bench.open.has(path)) bench.open.set(path, file);
    return bench.open.get(path);
  } catch (error) {
    tell(wordsOf(error), true);
    return null;
  }
}

events.load = async (path) => (await load(path))?.text ?? null;
events.message = (words) => tell(words, true);

/** Opens a file in the editor, at a line. @param {string} path @param {number} [line] */
export async function openFile(path, line) {
  const host = document.getElementById("code");
  if (!host) return null;
  const file = await load(path);
  if (!file) return null;
  keepText();
  if (bench.path !== path || !view) {
    bench.path = path;
    showState(host, file.state ?? editorState(file.uri, file.text));
    bench.line = 0;
    hooks.opened();
    hooks.moved(view.state.doc.lineAt(view.state.selection.main.head).number);
  }
  if (line) goToLine(line);
  redraw();
  return view;
}

/** Keeps the text and the history of the file in the editor. */
function keepText() {
  const now = bench.open.get(bench.path);
  if (now && view) now.state = view.state;
}

events.display = (path) => openFile(path);
events.changeOther = (uri, update) => {
  for (const file of bench.open.values()) {
    if (file.uri !== uri) continue;
    const before = file.state ?? editorState(uri, file.text);
    file.state = before.update(update).state;
    file.text = file.state.doc.toString();
    client.workspace.replace(uri, file.state.doc);
    redraw();
  }
};

/** What runs after files were written. @type {{ run: () => Promise<void> }} */
export const afterSave = { run: async () => {} };

let saving = false;
let againAfter = false;

/** Writes all files that were changed. A save that is wanted meanwhile follows. */
export async function save() {
  if (saving) {
    againAfter = true;
    return;
  }
  saving = true;
  try {
    keepText();
    let isDone = true;
    for (const file of [...bench.open.values()].filter(isDirty)) isDone = isDone && (await write(file));
    if (isDone) await afterSave.run();
  } catch (error) {
    tell(wordsOf(error), true);
  } finally {
    saving = false;
  }
  if (againAfter) {
    againAfter = false;
    await save();
  }
}

/** Writes a file. Returns false if it was not written. @param {import("./store.js").OpenFile} file */
async function write(file) {
  const text = file.text;
  let response;
  try {
    response = await fetch(address(file.path), { method: "PUT", headers: { Authorization: `Bearer ${state.at.host}`, ...(file.hash ? { "If-Match": file.hash } : {}) }, body: file.isCrlf ? text.replaceAll("\n", "\r\n") : text });
  } catch {
    tell(b("offline"), true);
    return false;
  }
  const answer = await response.json().catch(() => ({}));
  if (response.status === 409) {
    bench.conflict = { path: file.path, text: answer.text, hash: answer.hash };
    redraw();
    return false;
  }
  if (!response.ok) {
    tell(answer.words ?? `${response.status}`, true);
    return false;
  }
  Object.assign(file, { hash: answer.hash, saved: text });
  redraw();
  return true;
}

/** Ends a conflict: with the text on disk, or with the own one. @param {boolean} own */
async function settle(own) {
  const { path, text, hash } = bench.conflict;
  const file = bench.open.get(path);
  bench.conflict = null;
  if (!file) return;
  file.hash = hash || null;
  if (own) {
    if (await write(file)) await afterSave.run();
    return;
  }
  const lines = text.replaceAll("\r\n", "\n");
  Object.assign(file, { saved: lines, isCrlf: lines !== text });
  if (bench.path === path) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: lines } });
  else events.changeOther(file.uri, { changes: { from: 0, to: (file.state ?? editorState(file.uri, file.text)).doc.length, insert: lines } });
  redraw();
}

/** Makes a new file and opens it. @param {SubmitEvent} event */
async function create(event) {
  event.preventDefault();
  let name = new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name")?.toString().trim() ?? "";
  if (!name) return;
  if (!name.endsWith(".fz")) name += ".fz";
  try {
    const response = await fetch(address(name), { method: "PUT", headers: { Authorization: `Bearer ${state.at.host}` }, body: "" });
    const answer = await response.json();
    if (!response.ok) throw new RequestError(response.status === 409 ? b("changed_on_disk", name) : answer.words);
    bench.dialog = null;
    await loadFolder();
    await openFile(name);
    goToLine(1);
  } catch (error) {
    tell(wordsOf(error), true);
  }
}

/** The list of files. */
export function fileList() {
  return html`<nav class="files" aria-label=${b("files")}><h2>${bench.folder?.name ?? ""}</h2><ul>${(bench.folder?.files ?? []).map(({ path }) => {
    const file = bench.open.get(path);
    const errors = bench.problems.get(path) ?? 0;
    return html`<li><button class=${path === bench.path ? "on" : ""} aria-current=${path === bench.path ? "true" : "false"} @click=${() => openFile(path)}><span>${path}</span>${file && isDirty(file) ? html`<i class="dot" title=${b("unsaved")}><span class="sr">, ${b("unsaved")}</span></i>` : nothing}${errors ? html`<b title=${b("problems", errors)}>${errors}<span class="sr"> ${b("problems", errors)}</span></b>` : nothing}</button></li>`;
  })}</ul><button class="new" @click=${() => { bench.dialog = "new"; redraw(); }}>＋ ${b("new_file")}</button></nav>`;
}

/** The open files as tabs. */
export function tabs() {
  return html`<div class="tabs" role="group" aria-label=${b("files")}>${[...bench.open.values()].map((file) => html`<button class=${file.path === bench.path ? "on" : ""} aria-pressed=${file.path === bench.path ? "true" : "false"} @click=${() => openFile(file.path)}>${file.path}${isDirty(file) ? " •" : ""}</button>`)}</div>`;
}

/** Dialogs about files. */
export function fileDialogs() {
  if (bench.conflict) {
    return html`<div class="veil"><section class="sheet" role="alertdialog" aria-modal="true" aria-label=${b("changed_on_disk", bench.conflict.path)}><p>${b("changed_on_disk", bench.conflict.path)}</p>
      <pre class="disk" tabindex="0">${bench.conflict.text}</pre>
      <div class="row-buttons"><button class="btn main" @click=${() => settle(false)}>${b("take_disk")}</button><button class="btn" @click=${() => settle(true)}>${b("keep_mine")}</button></div></section></div>`;
  }
  if (bench.dialog !== "new") return nothing;
  const close = () => { bench.dialog = null; redraw(); };
  return html`<div class="veil"><section class="sheet" role="dialog" aria-modal="true" aria-label=${b("new_file")}><h2>${b("new_file")}</h2><form @submit=${create}>
    <label class="own"><span>${b("new_file_name")}</span><input type="text" name="name" placeholder="cards.fz" autocomplete="off" maxlength="200"></label>
    <div class="row-buttons"><button class="btn main">${b("create")}</button><button class="btn" type="button" @click=${close}>${b("cancel")}</button></div></form></section></div>`;
}
