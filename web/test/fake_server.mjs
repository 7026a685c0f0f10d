// Serves the page with its policy, and a socket that sends positions of fixtures.mjs. Open http://127.0.0.1:PORT/#table=duel&as=seat&key=x (duel, wide, places, six; wide-divide and so on).
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";
import { frames, LOBBY, POLICY } from "./fixtures.mjs";

const root = join(fileURLToPath(import.meta.url), "..", "..");
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml" };

/** Starts on a free port, or the given one. Returns the port, what clients have sent, and a function that stops it. */
export async function start(port = 0) {
  const got = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://x");
    const head = { "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store" };
    const json = (value, status = 200) => response.writeHead(status, { ...head, "Content-Type": "application/json" }).end(JSON.stringify(value));
    if (url.pathname === "/api/lobby") return json(LOBBY);
    if (url.pathname === "/api/deck") return json({ cards: [{ section: "main", count: 4, name: "Forest" }], problems: [{ line: 2, words: "no card is named Forrest" }] });
    if (url.pathname === "/api/table") return json({ name: "duel", links: [{ seat: 0, as: "seat", key: "k" }, { seat: 1, as: "seat", key: "k2" }], watch: "w" });
    try {
      const path = normalize(url.pathname === "/" ? "/index.html" : url.pathname);
      if (path.includes("..") || path.startsWith("/test")) throw new Error("no such file");
      const bytes = await readFile(join(root, path));
      response.writeHead(200, { ...head, "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" }).end(bytes);
    } catch {
      response.writeHead(404, head).end();
    }
  });
  const sockets = new WebSocketServer({ server, path: "/ws" });
  sockets.on("connection", (socket) => {
    const say = (message) => socket.send(JSON.stringify(message));
    let at = null, n = 2;
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      got.push(message);
      if (message.t === "hello") {
        at = frames(message.table);
        for (const frame of at.frames) say(frame);
      } else if (message.t === "why") say({ t: "why", on: message.on ?? null, reasons: at.fixture.why });
      else if (message.t === "answer") {
        if (at.ask?.kind === "assign" && message.picks.length === 2) return say({ t: "refused", ask: message.ask, why: { kind: "forbidden", words: "Giant Spider must attack if able.", path: "rule.must_attack", place: "magic/rules/combat.fz:12", source: "must attack if able", fails: [[0, 11]] }, instead: [0, 1, 2, 4] });
        say({ t: "step", n: ++n, events: [{ words: [{ s: `You answer ${JSON.stringify(message.picks ?? message.number ?? message.shares)}.` }], by: 0, beat: 0 }], patch: {}, ask: null, waits: 1 });
      } else if (message.t === "chat" && message.text === "!close") socket.terminate();
      else if (message.t === "chat" && message.text.startsWith("!")) {
        const frame = JSON.parse(message.text.slice(1));
        if (frame.t === "step") n = frame.n;
        say(frame);
      } else if (message.t === "chat") say({ t: "chat", from: "Aki", text: message.text });
      else if (message.t === "yield") say({ t: "yielding", until: [{ until: message.until, words: "until my turn" }] });
      else if (message.t === "hold") say({ t: "yielding", until: [] });
    });
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  return { port: server.address().port, got, stop: () => new Promise((done) => { for (const c of sockets.clients) c.terminate(); server.close(done); }) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { port } = await start(Number(process.argv[2] ?? 0));
  console.log(`http://127.0.0.1:${port}/#host=h`);
}
