//! What the workbench knows: files, the card at the cursor, the table on which it is tried, scenarios.

/**
 * @typedef {{ path: string, uri: string, hash: string | null, saved: string, text: string, state: any, isCrlf: boolean }} OpenFile
 * @typedef {{ seat: number, zone: string, card: string, count: number, was?: number }} Entry
 */

export const bench = {
  /** The folder. @type {{ name: string, root: string, files: { path: string, bytes: number }[] } | null} */
  folder: null,
  /** The files that are open, by path. @type {Map<string, OpenFile>} */
  open: new Map(),
  /** The file in the editor. */
  path: "",
  /** The number of errors of each file by path. @type {Map<string, number>} */
  problems: new Map(),
  /** The line of the cursor, from 1. */
  line: 1,
  /** The card as it reads; `stale` once the sources have errors. @type {{ card: any, stale: boolean, checks: boolean }} */
  preview: { card: null, stale: false, checks: true },
  /** The format that is shown. */
  format: "",
  /** The table on which a card is tried; `entries` are its cards if they were changed by hand. @type {{ table: string, key: string, position: any, what: { path: string, line: number, card?: string, scenario?: string }, entries: Entry[] | null } | null} */
  tried: null,
  /** Whether a scenario is being written. */
  keeping: false,
  /** Why it cannot be tried. */
  tryProblem: "",
  /** The cards of the position, while it is edited. @type {Entry[] | null} */
  entries: null,
  /** The zone into which a found card goes: seat and name. @type {[number, string]} */
  target: [0, ""],
  /** What is searched, and what was found. */
  search: { text: "", found: /** @type {string[]} */ ([]) },
  /** The results of the scenarios. @type {{ checks: boolean, scenarios: any[] } | null} */
  runs: null,
  /** The milliseconds of the last check. */
  checked: 0,
  /** Whether the language server is connected. */
  connected: false,
  /** A line for the user, and whether it is about a failure. @type {{ words: string, bad: boolean } | null} */
  notice: null,
  /** A file that has changed on disk: its path and what is there now. @type {{ path: string, text: string, hash: string } | null} */
  conflict: null,
  /** What is open over the page: `new`, `scenarios`. @type {string | null} */
  dialog: null,
  /** On a narrow page, the part that is shown. */
  mode: "edit",
  /** Whether the key of the host is missing. */
  locked: false,
};

let draw = () => {};
let waiting = false;

/** Registers what draws the page. @param {() => void} run */
export function onDraw(run) {
  draw = run;
}

/** Draws the page soon. */
export function redraw() {
  if (waiting) return;
  waiting = true;
  queueMicrotask(() => {
    waiting = false;
    draw();
  });
}

/** Whether a file differs from what is saved. @param {OpenFile} file */
export const isDirty = (file) => file.text !== file.saved;

/** Escapes a part of a path as the server does. @param {string} part */
const escape = (part) => encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** The URI of a path in the folder. @param {string} path */
export const uriOf = (path) => `${bench.folder?.root ?? ""}/${path.split("/").map(escape).join("/")}`;

/** The path in the folder of a URI, or of an absolute path; null if it is outside. @param {string} place */
export function pathOf(place) {
  const plain = (uri) => (uri.startsWith("file://") ? decodeURIComponent(uri.slice("file://".length)) : uri.startsWith("/") ? uri : `/${uri}`);
  const root = `${plain(bench.folder?.root ?? "")}/`;
  const path = plain(place);
  return path.startsWith(root) ? path.slice(root.length) : null;
}
