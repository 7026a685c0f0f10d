//! The editor: CodeMirror in a shadow root (so that its styles need no exception of the policy), problems with their fixes, colours by meaning.
import {
  Decoration, EditorState, EditorView, StateEffect, StateField, autocompletion, bracketMatching, closeBrackets, closeBracketsKeymap, completionKeymap, defaultKeymap, drawSelection, highlightActiveLine,
  highlightActiveLineGutter, highlightSelectionMatches, history, historyKeymap, indentService, indentUnit, indentWithTab, keymap, lineNumbers, lintGutter, lintKeymap, searchKeymap, setDiagnostics, showDialog,
} from "../vendor/codemirror.js";
import { LSPPlugin, ask, client, events } from "./language.js";
import { bench, pathOf, redraw } from "./store.js";
import { b } from "./words.js";

/** The editor. @type {any} */
export let view = null;

/** What the page does when the text or the cursor changes, or another file is shown. @type {{ changed: (text: string) => void, opened: () => void, moved: (line: number) => void, save: () => void, tryIt: () => void }} */
export const hooks = { changed: () => {}, opened: () => {}, moved: () => {}, save: () => {}, tryIt: () => {} };

// ---------- colours by meaning ----------

const setTokens = StateEffect.define();
const tokens = StateField.define({
  create: () => Decoration.none,
  update(old, tr) {
    let now = old.map(tr.changes);
    for (const effect of tr.effects) if (effect.is(setTokens)) now = effect.value;
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const KINDS = ["keyword", "comment", "string", "number", "operator", "zone", "type", "card", "constant", "property", "variable", "variable", "function", "action", "rule", "ability"];
const marks = KINDS.map((kind) => Decoration.mark({ class: `tok-${kind}` }));

/** Asks for the tokens of the document in the editor. */
async function colour() {
  const plugin = LSPPlugin.get(view);
  if (!plugin || !bench.connected) return;
  const { uri } = plugin;
  const { doc } = view.state;
  let data;
  try {
    data = (await ask("textDocument/semanticTokens/full", { textDocument: { uri } }))?.data ?? [];
  } catch {
    return;
  }
  if (view.state.doc !== doc) return;
  const ranges = [];
  let line = 0;
  let character = 0;
  for (let at = 0; at + 4 < data.length; at += 5) {
    if (data[at]) character = 0;
    line += data[at];
    character += data[at + 1];
    if (line >= doc.lines) break;
    const from = doc.line(line + 1).from + character;
    const to = Math.min(from + data[at + 2], doc.length);
    if (marks[data[at + 3]] && to > from) ranges.push(marks[data[at + 3]].range(from, to));
  }
  view.dispatch({ effects: setTokens.of(Decoration.set(ranges)) });
}

// ---------- problems and fixes ----------

const SEVERITY = [undefined, "error", "warning", "info", "hint"];

/** The positions of a range in the document, as far as it still has them. */
function bounds(doc, range) {
  const at = (p) => (p.line >= doc.lines ? doc.length : Math.min(doc.line(p.line + 1).from + p.character, doc.line(p.line + 1).to));
  const from = at(range.start);
  return { from, to: Math.max(from, at(range.end)) };
}

/** Applies an edit of the language server, in all files; those that are not open are opened. */
async function applyEdit(edit) {
  for (const [uri, changes] of Object.entries(edit?.changes ?? {})) {
    const file = await client.workspace.requestFile(uri);
    const doc = file?.getView()?.state.doc ?? file?.doc;
    if (!doc) continue;
    client.workspace.updateFile(uri, { changes: changes.map((c) => ({ ...bounds(doc, c.range), insert: c.newText })), userEvent: "fix" });
  }
}

const keyOf = (d) => `${d.range.start.line}:${d.range.start.character}:${d.range.end.line}:${d.range.end.character}:${d.message}`;

async function showProblems(params) {
  const path = pathOf(params.uri);
  if (path === null) return;
  const errors = params.diagnostics.filter((d) => d.severity === 1).length;
  if (errors) bench.problems.set(path, errors);
  else bench.problems.delete(path);
  redraw();
  const plugin = view && LSPPlugin.get(view);
  if (!plugin || plugin.uri !== params.uri) {
    pending.set(params.uri, params);
    return;
  }
  pending.delete(params.uri);
  const { doc } = view.state;
  const show = (fixes) => {
    if (view.state.doc !== doc) return;
    view.dispatch(setDiagnostics(view.state, params.diagnostics.map((d) => ({
      ...bounds(doc, d.range),
      severity: SEVERITY[d.severity] ?? "info",
      message: d.message,
      source: [d.code, `${path}:${d.range.start.line + 1}`].filter(Boolean).join(" · "),
      actions: (fixes.get(keyOf(d)) ?? []).map((action) => ({ name: action.title.replace(/`/g, ""), apply: () => applyEdit(action.edit) })),
    }))));
  };
  show(new Map());
  if (!params.diagnostics.length) return;
  let actions;
  try {
    const whole = { start: { line: 0, character: 0 }, end: { line: doc.lines, character: 0 } };
    actions = await ask("textDocument/codeAction", { textDocument: { uri: params.uri }, range: whole, context: { diagnostics: [] } });
  } catch {
    return;
  }
  const fixes = new Map();
  for (const action of actions ?? []) {
    for (const d of action.diagnostics ?? []) fixes.set(keyOf(d), [...(fixes.get(keyOf(d)) ?? []), action]);
  }
  if (fixes.size) show(fixes);
}

/** Asks for a new name for what is at the cursor, and renames it in all files. */
function rename() {
  const { uri } = LSPPlugin.get(view);
  const at = view.state.selection.main.head;
  const line = view.state.doc.lineAt(at);
  const place = { textDocument: { uri }, position: { line: line.number - 1, character: at - line.from } };
  const failed = (error) => events.message(b("not_renamed", error?.message ?? String(error)));
  ask("textDocument/prepareRename", place).then(async (found) => {
    if (!found) return failed({ message: b("no_name") });
    const { from, to } = bounds(view.state.doc, found.range ?? found);
    const input = { type: "text", name: "name", value: found.placeholder ?? view.state.sliceDoc(from, to) };
    const { result, close } = showDialog(view, { label: b("new_name"), input, submitLabel: b("rename"), focus: true });
    const form = await result;
    view.dispatch({ effects: close });
    view.focus();
    const newName = form?.elements.namedItem("name")?.value.trim();
    if (newName) await ask("textDocument/rename", { ...place, newName }).then(applyEdit, failed);
  }).catch(failed);
}

// ---------- lines of scenarios that fail ----------

const setFailing = StateEffect.define();
const failing = StateField.define({
  create: () => Decoration.none,
  update(old, tr) {
    let now = old.map(tr.changes);
    for (const effect of tr.effects) if (effect.is(setFailing)) now = effect.value;
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Marks the lines at which scenarios of the file in the editor fail. @param {{ line: number, message: string }[]} failures */
export function markFailures(failures) {
  if (!view) return;
  const { doc } = view.state;
  const known = failures.filter((f) => f.line >= 1 && f.line <= doc.lines).sort((one, other) => one.line - other.line);
  const marks = known.map((f) => Decoration.line({ class: "cm-failing", attributes: { title: f.message } }).range(doc.line(f.line).from));
  view.dispatch({ effects: setFailing.of(Decoration.set(marks)) });
}

/** A line begins as the line before it, further in after an open bracket. */
const indent = indentService.of((context, at) => {
  // Between two brackets, the context knows an empty line only.
  const line = context.state.doc.lineAt(at);
  const before = at > line.from ? line.text.slice(0, at - line.from) : context.lineAt(at, -1).text;
  return /^ */.exec(before)[0].length + (/[{([]\s*$/.test(before) ? 2 : 0);
});

/** Problems of documents that are not in the editor. */
const pending = new Map();

// ---------- the look ----------

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "transparent", fontSize: "14px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.65" },
  ".cm-content": { caretColor: "var(--can)", padding: "10px 0" },
  ".cm-cursor": { borderLeft: "2px solid var(--can)" },
  ".cm-gutters": { backgroundColor: "oklch(0.235 0.013 235)", color: "oklch(0.66 0.015 225)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "oklch(1 0 0 / .035)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "oklch(0.45 0.05 230 / .6) !important" },
  ".cm-selectionMatch": { backgroundColor: "oklch(0.5 0.05 230 / .35)" },
  ".cm-matchingBracket": { backgroundColor: "oklch(0.5 0.06 195 / .5) !important" },
  ".cm-lintRange": { backgroundImage: "none !important", textDecoration: "underline wavy 1.5px", textUnderlineOffset: "4px" },
  ".cm-lintRange-error": { textDecorationColor: "oklch(0.70 0.19 27)" },
  ".cm-lintRange-warning": { textDecorationColor: "oklch(0.80 0.13 82)" },
  ".cm-lintRange-info, .cm-lintRange-hint": { textDecorationColor: "oklch(0.75 0.08 230)" },
  ".cm-lint-marker": { content: "none !important", width: ".55em", height: ".55em", marginTop: ".55em", borderRadius: "50%", backgroundColor: "oklch(0.75 0.08 230)" },
  ".cm-lint-marker-error": { backgroundColor: "oklch(0.68 0.18 27)" },
  ".cm-lint-marker-warning": { backgroundColor: "oklch(0.80 0.13 82)" },
  ".cm-tooltip": { borderRadius: "9px", border: "1px solid var(--line-2)", backgroundColor: "oklch(0.30 0.016 232)", color: "var(--ink)", boxShadow: "0 12px 34px oklch(0 0 0 / .45)", fontFamily: "var(--sans)", fontSize: "13px", maxWidth: "min(560px, 90vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "13px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "oklch(0.42 0.05 230)", color: "var(--ink)" },
  ".cm-completionDetail": { color: "var(--dim)", fontStyle: "normal" },
  ".cm-diagnostic": { padding: "9px 13px", borderLeftWidth: "3px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeftColor: "oklch(0.68 0.18 27)" },
  ".cm-diagnosticSource": { color: "var(--dim)", opacity: "1", fontSize: "12px" },
  ".cm-diagnosticAction": { display: "block", backgroundColor: "var(--felt-3)", border: "1px solid var(--line-2)", borderRadius: "7px", padding: "4px 10px", margin: "6px 6px 0 0", color: "var(--ink)", fontWeight: "600", fontSize: "12.5px" },
  ".cm-lsp-documentation": { padding: "8px 12px", lineHeight: "1.45" },
  ".cm-lsp-documentation pre": { fontFamily: "var(--mono)", fontSize: "12.5px", whiteSpace: "pre-wrap" },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--ink)" },
  ".cm-panel input, .cm-panel button, .cm-dialog input, .cm-dialog button": { fontFamily: "var(--sans)", fontSize: "13px", color: "var(--ink)", backgroundColor: "var(--felt-3)", backgroundImage: "none", border: "1px solid var(--line-2)", borderRadius: "6px", padding: "4px 8px" },
  ".cm-failing": { backgroundColor: "oklch(0.55 0.15 27 / .22)", boxShadow: "inset 3px 0 oklch(0.68 0.18 27)" },
  ".tok-keyword": { color: "oklch(0.80 0.10 305)" }, ".tok-comment": { color: "oklch(0.70 0.02 220)", fontStyle: "italic" }, ".tok-string, .tok-card": { color: "oklch(0.82 0.10 145)" },
  ".tok-number": { color: "oklch(0.82 0.11 60)" }, ".tok-zone, .tok-property, .tok-action": { color: "oklch(0.82 0.09 230)" }, ".tok-type, .tok-constant, .tok-ability": { color: "oklch(0.84 0.09 95)" },
  ".tok-function, .tok-rule": { color: "oklch(0.82 0.09 195)" },
}, { dark: true });

let colourTimer = 0;
const colourSoon = () => {
  clearTimeout(colourTimer);
  colourTimer = setTimeout(colour, 120);
};

function listener(update) {
  if (update.docChanged) {
    hooks.changed(update.state.doc.toString());
    colourSoon();
  }
  if (update.docChanged || update.selectionSet) hooks.moved(update.state.doc.lineAt(update.state.selection.main.head).number);
}

const run = (what) => () => {
  what();
  return true;
};

/** The state of a file for the editor. @param {string} uri @param {string} text */
export function editorState(uri, text) {
  return EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), indentUnit.of("  "), bracketMatching(), closeBrackets(), autocompletion({ icons: false }), highlightActiveLine(),
      highlightSelectionMatches(), lintGutter(), EditorView.lineWrapping, indent, failing, tokens, look, EditorView.contentAttributes.of({ tabindex: "0", "aria-label": b("editor") }), EditorView.updateListener.of(listener),
      keymap.of([
        { key: "Mod-s", run: run(() => hooks.save()), preventDefault: true }, { key: "Mod-Enter", run: run(() => hooks.tryIt()), preventDefault: true },
        { key: "F2", run: run(rename), preventDefault: true },
        ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap, indentWithTab,
      ]),
      client.plugin(uri, "fizzle"),
    ],
  });
}

/** Shows a state in the editor; the first one makes the editor. @param {HTMLElement} host @param {any} state */
export function showState(host, state) {
  if (!view) {
    const root = host.attachShadow({ mode: "open" });
    const place = document.createElement("div");
    place.style.height = "100%";
    root.append(place);
    view = new EditorView({ state, parent: place, root });
    events.diagnostics = (params) => void showProblems(params);
  } else view.setState(state);
  const { uri } = LSPPlugin.get(view);
  if (pending.has(uri)) void showProblems(pending.get(uri));
  colourSoon();
}

/** Colours again, once the language server is there. */
export const colourAgain = colourSoon;

/** Moves the cursor to a line, from 1. @param {number} line */
export function goToLine(line) {
  if (!view) return;
  const { doc } = view.state;
  const { from } = doc.line(Math.max(1, Math.min(line, doc.lines)));
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}

/** The text of the document that is shown. */
export const documentText = () => view?.state.doc.toString() ?? "";

/** Inserts lines before a line, or at the end, and goes there. @param {string} text @param {number | null} before */
export function insertLines(text, before) {
  if (!view) return;
  const { doc } = view.state;
  const at = before ? doc.line(Math.min(before, doc.lines)).from : doc.length;
  const insert = !before && doc.line(doc.lines).length ? `\n${text}` : text;
  const anchor = at + insert.length - insert.trimStart().length;
  view.dispatch({ changes: { from: at, insert }, selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "start", yMargin: 40 }) });
  view.focus();
}
