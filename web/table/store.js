//! The state of the page: what the server has sent, patched, and what the viewer has picked so far. Nothing here knows a game.

/** Everything the page draws from. */
export const state = {
  page: "boot",
  /** The address: key of the host, table, key of the seat. */
  at: { host: "", table: "", as: "seat", key: "", embed: false },
  link: "connecting",
  /** @type {{code: string, words: string} | null} */
  error: null,
  notice: "",

  /** @type {any} */
  lobby: null,

  /** @type {import("../protocol.d.ts").Welcome | null} */
  welcome: null,
  /** @type {import("../protocol.d.ts").Seat[]} */
  seats: [],
  watchers: 0,
  /** @type {Map<string, import("../protocol.d.ts").Card>} */
  cards: new Map(),
  /** @type {import("../protocol.d.ts").View | null} */
  view: null,
  n: 0,
  /** @type {import("../protocol.d.ts").Ask | null} */
  ask: null,
  /** @type {number | null} */
  waits: null,
  /** @type {import("../protocol.d.ts").Yielding[]} */
  yielding: [],
  /** @type {(import("../protocol.d.ts").Event & {at: number})[]} */
  log: [],
  /** @type {{from: string, text: string, at: number}[]} */
  chat: [],
  /** @type {import("../protocol.d.ts").Over | null} */
  over: null,
  /** @type {import("../protocol.d.ts").Match | null} */
  match: null,
  /** @type {number | null} */
  undoBy: null,
  /** @type {number | null} */
  absent: null,

  /** What is picked of the pending decision. */
  /** @type {{id: number, picks: number[], number: number, shares: number[], first: number | null} | null} */
  pick: null,
  /** The seat that has answered last on this screen. @type {number | undefined} */
  lastSeat: undefined,
  /** Whether this screen plays for several seats. */
  wasHot: false,
  /** An answer is on its way. */
  sent: false,
  /** @type {any} */
  why: null,
  /** @type {import("../protocol.d.ts").Refused | null} */
  refused: null,
  /** @type {any} */
  ui: { tab: "log", menu: null, pile: null, list: false, whyMode: false, big: null, dialog: null, until: false, hover: null, curtain: false, overSeen: false, unread: 0 },
};

let draw = () => {};
let pending = false;

/** Sets the function that draws the page. @param {() => void} f */
export function onDraw(f) {
  draw = f;
}

/** Draws before the next frame. */
export function redraw() {
  if (pending) return;
  pending = true;
  const run = () => {
    if (!pending) return;
    pending = false;
    draw();
  };
  if (document.hidden) setTimeout(run, 0);
  else requestAnimationFrame(run);
}

/** Draws now. */
export function redrawNow() {
  pending = false;
  draw();
}

/** Applies a difference: the same shape with only what changed, `null` removes. @param {any} target @param {any} patch */
export function merge(target, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const base = target !== null && typeof target === "object" && !Array.isArray(target) ? target : {};
  const out = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else out[key] = merge(out[key], value);
  }
  return out;
}

/** The seat that this screen plays for: at a table with one screen, that of the decision. */
export function me() {
  return state.ask?.seat ?? state.lastSeat ?? state.welcome?.seat ?? null;
}

/** The name of a seat. @param {number|null|undefined} seat */
export const seatName = (seat) => (seat === null || seat === undefined ? "" : (state.seats[seat]?.name || `${seat + 1}`));

/** The name of a card in the language of the viewer. @param {string} name */
export const titled = (name) => state.cards.get(name)?.name || name;

/** The name of an object's card. @param {number|string} handle */
export function nameOf(handle) {
  return titled(state.view?.objects?.[handle]?.card ?? "");
}

/** Begins with an empty selection for a decision. @param {import("../protocol.d.ts").Ask} ask */
function freshPick(ask) {
  const shares = ask.kind === "divide" ? ask.options.map(() => ask.min) : [];
  if (ask.kind === "divide" && ask.options.length === 1) shares[0] = ask.max;
  return {
    id: ask.id,
    picks: ask.kind === "assign" ? [...(ask.main ?? [])] : [],
    number: ask.min,
    shares,
    first: null,
  };
}

function takeAsk(ask, waits) {
  const before = state.ask;
  state.ask = ask ?? null;
  state.waits = waits ?? null;
  state.sent = false;
  if (!ask || before?.id !== ask.id) {
    state.pick = ask ? freshPick(ask) : null;
    state.refused = null;
    state.ui.menu = null;
    state.why = null;
    state.ui.whyMode = false;
  }
  if (ask) {
    const hot = state.welcome?.seat !== null && state.welcome !== null && ask.seat !== state.welcome.seat;
    if (state.lastSeat !== undefined && state.lastSeat !== ask.seat && (hot || state.wasHot) && !state.at.embed) state.ui.curtain = true;
    state.wasHot ||= hot;
    state.lastSeat = ask.seat;
  }
}

const MAX_LOG = 600;

function logEvents(events) {
  for (const event of events) {
    if (event.words?.length) state.log.push({ ...event, at: ++logged });
  }
  if (state.log.length > MAX_LOG) state.log = state.log.slice(-MAX_LOG);
}
let logged = 0;

/**
 * Applies a message. Returns false if messages before it are missing.
 * @param {import("../protocol.d.ts").ServerMessage} message
 */
export function apply(message) {
  switch (message.t) {
    case "welcome":
      state.welcome = message;
      state.seats = message.table.seats;
      state.match = message.table.match ?? null;
      state.link = "open";
      state.error = null;
      break;
    case "cards":
      for (const [name, card] of Object.entries(message.cards)) state.cards.set(name, card);
      break;
    case "view":
      state.view = message.view;
      state.n = message.n;
      // The log up to now, in the language of the viewer.
      if (message.events) {
        state.log = [];
        logEvents(message.events);
      }
      if (message.why === "next_game") {
        state.over = null;
        state.ui.overSeen = false;
        if (state.match) state.match = { ...state.match, phase: "playing" };
      }
      if (message.why !== "lang" && message.why !== "again") state.undoBy = null;
      takeAsk(message.ask, message.waits);
      break;
    case "step":
      if (message.n <= state.n) return true;
      if (message.n !== state.n + 1 || !state.view) return false;
      state.n = message.n;
      state.view = merge(state.view, message.patch ?? {});
      logEvents(message.events ?? []);
      state.undoBy = null;
      takeAsk(message.ask, message.waits);
      break;
    case "refused":
      state.sent = false;
      if (state.ask?.id === message.ask) state.refused = message;
      break;
    case "why":
      state.why = { ...(state.why ?? {}), on: message.on ?? null, reasons: message.reasons, open: 0, waiting: false };
      break;
    case "yielding":
      state.yielding = message.until;
      break;
    case "seats":
      state.seats = message.seats;
      state.watchers = message.watchers;
      if (state.absent !== null && message.seats[state.absent]?.here) state.absent = null;
      break;
    case "undo_requested":
      state.undoBy = message.by;
      break;
    case "undo_answered":
      state.undoBy = null;
      state.notice = message.words || (message.done ? "undone" : "");
      state.sent = false;
      break;
    case "reloaded":
      state.over = null;
      state.ui.overSeen = false;
      state.notice = message.words;
      break;
    case "chat":
      state.chat.push({ from: message.from, text: message.text, at: state.chat.length });
      if (state.chat.length > MAX_LOG) state.chat.shift();
      if (state.ui.tab !== "chat") state.ui.unread += 1;
      break;
    case "over":
      state.over = message;
      state.ask = null;
      state.pick = null;
      state.waits = null;
      state.ui.overSeen = false;
      if (message.match) state.match = message.match;
      break;
    case "absent":
      state.absent = message.seat;
      break;
    case "error":
      state.sent = false;
      state.error = message;
      break;
    case "pong":
      break;
    default:
      break; // fields and messages may be added within a version
  }
  return true;
}

/** Forgets the table. */
export function leaveTable() {
  Object.assign(state, { welcome: null, seats: [], watchers: 0, cards: new Map(), view: null, n: 0, ask: null, waits: null, yielding: [], log: [], chat: [], over: null, match: null, undoBy: null,
    absent: null, pick: null, sent: false, why: null, refused: null, error: null, notice: "", link: "connecting", lastSeat: undefined, wasHot: false });
  Object.assign(state.ui, { tab: "log", menu: null, pile: null, list: false, whyMode: false, big: null, dialog: null, until: false, hover: null, curtain: false, overSeen: false, unread: 0 });
}
