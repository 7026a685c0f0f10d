//! The connection to the language server: messages over a socket, the documents that are open, documentation as safe HTML.
import { LSPClient, LSPPlugin, Text, Workspace, formatKeymap, findReferencesKeymap, hoverTooltips, jumpToDefinitionKeymap, keymap, serverCompletion } from "../vendor/codemirror.js";
import { state } from "../table/store.js";
import { bench, pathOf, redraw } from "./store.js";
import { b } from "./words.js";

// ---------- documentation ----------

const ALLOWED = new Set(["P", "CODE", "PRE", "EM", "STRONG", "UL", "OL", "LI", "BLOCKQUOTE", "HR", "BR", "H1", "H2", "H3", "H4", "SPAN", "DIV"]);
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("fizzle-docs", { createHTML: (html) => html }) ?? { createHTML: (html) => html };

/** Leaves of an element only what is allowed: others are replaced by what they hold, and all attributes but classes are removed. */
function clean(parent) {
  for (const child of [...parent.childNodes]) {
    if (child.nodeType === Node.TEXT_NODE) continue;
    if (child.nodeType !== Node.ELEMENT_NODE || ["SCRIPT", "STYLE", "TEMPLATE", "IFRAME"].includes(child.nodeName)) {
      child.remove();
      continue;
    }
    clean(child);
    for (const { name } of [...child.attributes]) if (name !== "class") child.removeAttribute(name);
    if (!ALLOWED.has(child.nodeName)) child.replaceWith(...child.childNodes);
  }
}

/** Documentation comes from packs of strangers. @param {string} html */
function sanitizeHTML(html) {
  const page = new DOMParser().parseFromString(policy.createHTML(html), "text/html");
  clean(page.body);
  return policy.createHTML(page.body.innerHTML);
}

// ---------- documents ----------

/** The documents of the folder that were opened. They stay open when another one is shown. */
class Documents extends Workspace {
  constructor(client) {
    super(client);
    this.files = [];
  }

  syncFiles() {
    const changed = [];
    for (const file of this.files) {
      const plugin = file.view && LSPPlugin.get(file.view);
      if (!plugin || plugin.uri !== file.uri || plugin.unsyncedChanges.empty) continue;
      changed.push({ changes: plugin.unsyncedChanges, file, prevDoc: file.doc });
      file.doc = file.view.state.doc;
      file.version += 1;
      plugin.clear();
    }
    return changed;
  }

  openFile(uri, languageId, view) {
    const known = this.getFile(uri);
    if (known) {
      this.replace(uri, view.state.doc);
      known.view = view;
      return;
    }
    const file = { uri, languageId, version: 0, doc: view.state.doc, view, getView: () => file.view };
    this.files.push(file);
    this.client.didOpen(file);
  }

  closeFile(uri) {
    const file = this.getFile(uri);
    if (file) file.view = null;
  }

  /** Opens a document that is not in the editor, for a change that reaches it. */
  async requestFile(uri) {
    const path = pathOf(uri);
    const text = this.getFile(uri) || path === null ? null : await events.load(path);
    if (text !== null && !this.getFile(uri)) {
      const file = { uri, languageId: "fizzle", version: 0, doc: Text.of(text.split("\n")), view: null, getView: () => file.view };
      this.files.push(file);
      this.client.didOpen(file);
    }
    return this.getFile(uri);
  }

  /** Gives a document that is not in the editor another text. */
  replace(uri, doc) {
    const file = this.getFile(uri);
    if (!file || file.doc.eq(doc)) return;
    file.doc = doc;
    file.version += 1;
    if (this.client.connected) this.client.notification("textDocument/didChange", { textDocument: { uri, version: file.version }, contentChanges: [{ text: doc.toString() }] });
  }

  connected() {
    for (const file of this.files) this.client.didOpen(file);
  }

  /** Changes a document: in the editor, or where it waits. */
  updateFile(uri, update) {
    const file = this.getFile(uri);
    if (file?.view) file.view.dispatch(update);
    else events.changeOther(uri, update);
  }

  async displayFile(uri) {
    const path = pathOf(uri);
    return path === null ? null : events.display(path);
  }
}

/** What the page does for the language server. */
export const events = {
  /** Shows a file and returns its editor. @type {(path: string) => Promise<any>} */
  display: async () => null,
  /** The text of a file of the folder, which then counts as open; null if it cannot be read. @type {(path: string) => Promise<string | null>} */
  load: async () => null,
  /** Changes a file that is not in the editor. @type {(uri: string, update: any) => void} */
  changeOther: () => {},
  /** The language server says something that the user must know. @type {(words: string) => void} */
  message: () => {},
  /** Diagnostics have come. @type {(params: any) => void} */
  diagnostics: () => {},
};

// ---------- the socket ----------

/** The code with which the program closes a socket whose key is not its own: it was started again. */
const WRONG_KEY = 4401;
let socket = null;
let handlers = [];
let pause = 500;
const transport = {
  send: (message) => {
    if (socket?.readyState !== WebSocket.OPEN) throw new Error("not connected");
    socket.send(message);
  },
  subscribe: (handler) => handlers.push(handler),
  unsubscribe: (handler) => { handlers = handlers.filter((h) => h !== handler); },
};

/** The client. @type {any} */
export let client = null;

/** Connects to the language server, and again after a break. */
export function connectLanguageServer() {
  client ??= new LSPClient({
    rootUri: bench.folder.root,
    timeout: 20000,
    sanitizeHTML,
    workspace: (own) => new Documents(own),
    notificationHandlers: {
      "textDocument/publishDiagnostics": (_, params) => {
        events.diagnostics(params);
        return true;
      },
      "window/logMessage": () => true,
      "window/showMessage": (_, params) => {
        if (params.type === 1) events.message(params.message);
        return true;
      },
    },
    extensions: [
      { clientCapabilities: { textDocument: { publishDiagnostics: { versionSupport: true } } } },
      serverCompletion({ override: true }), matchMedia("(hover: none)").matches ? [] : hoverTooltips(),
      keymap.of([...formatKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap]),
    ],
  });
  const own = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/lsp`);
  socket = own;
  own.onopen = () => {
    own.send(JSON.stringify({ key: state.at.host }));
    pause = 500;
    client.connect(transport);
    client.initializing.then(() => {
      bench.connected = true;
      redraw();
    }, () => own.close());
  };
  own.onmessage = (event) => handlers.forEach((handler) => handler(event.data));
  own.onclose = (event) => {
    if (socket !== own) return;
    bench.connected = false;
    if (event.code === WRONG_KEY) {
      events.message(b("no_key"));
      return redraw();
    }
    if (client.connected) client.disconnect();
    setTimeout(connectLanguageServer, pause);
    pause = Math.min(pause * 2, 8000);
    redraw();
  };
}

/** Tells the language server that files on disk may have changed. @param {string[]} uris */
export function filesMayDiffer(uris) {
  if (client?.connected) client.notification("workspace/didChangeWatchedFiles", { changes: uris.map((uri) => ({ uri, type: 2 })) });
}

/** Makes a request about the sources as they are in the editor now. @param {string} method @param {any} params */
export async function ask(method, params) {
  await client.initializing;
  client.sync();
  return client.request(method, params);
}

export { LSPPlugin };
