//! The connection to a table: the first message, the order of messages, beginning again after a break.
import { apply, redraw, redrawNow, state } from "./store.js";
import { readName } from "./lobby.js";
import { lang } from "./words.js";
import * as motion from "./motion.js";

let socket = null;
let retry = 0;
let timer = 0;
let closed = false;
let queue = [];
let busyUntil = 0;
let drainTimer = 0;

const keyName = () => `fizzle.token.${state.at.table}.${state.at.key.slice(0, 8)}.${state.at.as}`;
function keep(name, value) {
  try {
    sessionStorage.setItem(name, value);
  } catch { /* without storage, only a reload loses the seat */ }
}
function kept(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Whether this page has had the seat before. */
export const isSeated = () => kept(keyName()) !== null;

/** Opens the connection to the table of the address. */
export function connect() {
  closed = false;
  clearTimeout(timer);
  socket?.close();
  const token = kept(keyName());
  const own = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
  socket = own;
  let welcome = false;
  own.onopen = () => {
    const name = readName();
    own.send(JSON.stringify({ t: "hello", v: [1], lang: lang(), key: token ?? state.at.key, as: state.at.as, name, table: state.at.table }));
  };
  own.onmessage = (event) => {
    if (own !== socket) return;
    let message;
    try {
      message = JSON.parse(event.data);
    } catch {
      return;
    }
    if (message.t === "welcome") {
      welcome = true;
      retry = 0;
      if (message.token) keep(keyName(), message.token);
    }
    if (message.t === "error" && !welcome && token) {
      // The token is void (the program was started again): the key of the link may still open the table.
      try {
        sessionStorage.removeItem(keyName());
      } catch { /* nothing was kept */ }
      closed = true;
      own.close();
      connect();
      return;
    }
    if (message.t === "error" && ["key", "taken", "version", "full"].includes(message.code)) closed = true;
    take(message);
  };
  own.onclose = () => {
    if (own !== socket) return;
    if (closed) {
      if (state.link !== "closed") {
        state.link = "closed";
        redraw();
      }
      return;
    }
    state.link = "lost";
    state.sent = false;
    redraw();
    timer = setTimeout(connect, Math.min(8000, 250 * 2 ** retry++));
  };
}

/** Closes the connection for good. */
export function disconnect() {
  closed = true;
  clearTimeout(timer);
  clearTimeout(drainTimer);
  queue = [];
  busyUntil = 0;
  socket?.close();
  socket = null;
}

/** Sends a message. @param {any} message */
export function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

/** Takes a message at once, or after the motion that runs. */
function take(message) {
  queue.push(message);
  drain();
}

function drain() {
  clearTimeout(drainTimer);
  while (queue.length) {
    const behind = queue.filter((m) => m.t === "step").length;
    const now = performance.now();
    if (queue[0].t === "step" && now < busyUntil && behind <= 2 && !document.hidden) {
      drainTimer = setTimeout(drain, busyUntil - now);
      return;
    }
    const message = queue.shift();
    if (message.t === "step" && behind <= 2 && motion.wanted()) {
      const before = motion.places();
      if (!deliver(message)) return;
      redrawNow();
      busyUntil = performance.now() + motion.play(message.events ?? [], before);
    } else if (!deliver(message)) return;
  }
  redraw();
}

function deliver(message) {
  if (message.t === "undo_answered") {
    setTimeout(() => {
      state.notice = "";
      redraw();
    }, 5000);
  }
  if (apply(message)) return true;
  queue = [];
  send({ t: "again" });
  return false;
}
