// The page against positions written by hand: every kind of decision by click and by the plain list, why not, refusals, languages, accessibility, layout.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { accessible, launch, open, PHONE, quiet, tidy, until, WIDE } from "./lib.mjs";
import { start } from "./fake_server.mjs";

let browser, server, base;
before(async () => {
  [browser, server] = await Promise.all([launch(), start()]);
  base = `http://127.0.0.1:${server.port}/`;
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const table = async (name, how) => {
  const opened = await open(browser, `${base}#table=${name}&as=seat&key=x`, how);
  await opened.page.waitForSelector(".board");
  return opened;
};
const answer = async () => {
  for (let k = 0; k < 100; k++) {
    const found = server.got.filter((m) => m.t === "answer").at(-1);
    if (found) return found;
    await new Promise((r) => setTimeout(r, 20));
  }
  throw new Error("no answer was sent");
};
const fresh = () => { server.got.length = 0; };
const card = (page, name) => page.locator(`.board .card:has(.name:text-is("${name}"))`).first();

test("the table and its parts fit into 70 kB, without what is loaded on demand", () => {
  const root = join(fileURLToPath(import.meta.url), "..", "..");
  let sum = 0;
  const add = (path) => {
    for (const name of readdirSync(path)) {
      const at = join(path, name);
      if (statSync(at).isDirectory()) { if (!["test", "node_modules", "bench"].includes(name)) add(at); }
      else if (/\.(html|css|js|svg)$/.test(name) && !/codemirror|lit-entry|^bench|^replay/.test(name)) sum += gzipSync(readFileSync(at), { level: 9 }).length;
    }
  };
  add(root);
  assert.ok(sum <= 70_000, `${sum} bytes`);
  const main = readFileSync(join(root, "table", "main.js"), "utf8");
  assert.ok(!/^import .*replay\.js/m.test(main) && main.includes('import("./replay.js")'), "the recorded game is loaded when it is opened");
});

test("types fit", () => {
  const here = fileURLToPath(new URL(".", import.meta.url));
  const run = spawnSync(join(here, "node_modules/.bin/tsc"), ["-p", "tsconfig.json"], { cwd: here, encoding: "utf8" });
  assert.equal(run.stdout, "");
  assert.equal(run.status, 0);
});

test("a click on what has one option answers, several open a menu", async () => {
  const t = await table("duel");
  fresh();
  await t.page.locator(".hand .card", { hasText: "バッドドッグ" }).click();
  assert.deepEqual((await answer()).picks, [1]);
  await t.page.reload();
  await t.page.waitForSelector(".board");
  fresh();
  await t.page.locator(".hand .card", { hasText: "ゴースト" }).click();
  await t.page.getByRole("menuitem", { name: /discard/ }).click();
  assert.deepEqual((await answer()).picks, [3]);
  quiet(t);
  await t.context.close();
});

test("the space bar is the main button, wherever the focus is on the board", async () => {
  const t = await table("duel");
  fresh();
  await t.page.locator(".hand .card").first().focus();
  await t.page.keyboard.press(" ");
  assert.deepEqual((await answer()).picks, [0]);
  quiet(t);
  await t.context.close();
});

test("choosing objects, a player and something in a pile", async () => {
  const t = await table("wide-choose");
  fresh();
  await t.page.locator(".plate [data-seat='1']").click();
  await t.page.locator(".tray .card").click();
  await t.page.locator("[data-main]").click();
  assert.deepEqual((await answer()).picks, [2, 3]);
  quiet(t);
  await t.context.close();
});

test("hidden objects by their place", async () => {
  const t = await table("duel-hidden");
  fresh();
  await t.page.locator("[data-place='shields.1 2']").click();
  await t.page.locator("[data-main]").click();
  assert.deepEqual((await answer()).picks, [1]);
  await t.context.close();
});

test("modes, yes or no, a number, shares, a payment", async () => {
  for (const [name, act, expected] of [
    ["wide-modes", async (p) => { await p.locator(".tray .option").nth(3).click(); await p.locator(".tray .option").nth(1).click(); await p.locator("[data-main]").click(); }, { picks: [3, 1] }],
    ["wide-yes_no", (p) => p.locator(".ask").getByRole("button", { name: "No" }).click(), { picks: [1] }],
    ["wide-number", async (p) => { for (let k = 0; k < 3; k++) await p.getByRole("button", { name: /^more/ }).click(); await p.locator("[data-main]").click(); }, { number: 3 }],
    ["wide-divide", async (p) => { await card(p, "Giant Spider").click(); await p.locator("[data-main]").click(); }, { shares: [1, 2, 1] }],
    ["wide-pay", (p) => p.locator(".tile.can").first().click(), { picks: [1] }],
    ["wide-order", (p) => card(p, "Giant Spider").click(), { picks: [1] }],
    ["wide-replacement", async (p) => { await card(p, "Whisperwood Elemental").click(); await p.getByRole("menuitem", { name: /Return/ }).click(); }, { picks: [1] }],
    ["wide-words", (p) => p.locator(".tray .option").nth(39).click(), { picks: [39] }],
  ]) {
    const t = await table(name);
    fresh();
    await act(t.page);
    const { t: _t, ask: _ask, ...rest } = await answer();
    assert.deepEqual(rest, expected, name);
    quiet(t);
    await t.context.close();
  }
});

test("a declaration: by clicks, by dragging, refused with the rule and a legal one instead", async () => {
  const t = await table("wide");
  fresh();
  // The proposal has three; one is taken back, the declaration of two is refused.
  await card(t.page, "Grizzly Bears").click();
  await t.page.locator("[data-main]").click();
  assert.deepEqual((await answer()).picks, [0, 1]);
  await t.page.waitForSelector(".tip");
  assert.match(await t.page.locator(".why").innerText(), /must_attack[\s\S]*magic\/rules\/combat\.fz:12/);
  assert.equal(await t.page.locator(".why mark").innerText(), "must attack");
  await t.page.locator(".why").getByRole("button", { name: "Choose this instead" }).click();
  fresh();
  await t.page.locator("[data-main]").click();
  assert.deepEqual((await answer()).picks, [0, 1, 2, 4]);
  // Two partners: first the object, then with whom; or dragged.
  await t.page.reload();
  await t.page.waitForSelector(".board");
  await card(t.page, "Giant Spider").click();
  await card(t.page, "Serra Angel").click();
  fresh();
  await t.page.keyboard.press(" ");
  assert.deepEqual((await answer()).picks, [0, 1, 2, 5]);
  await t.page.reload();
  await t.page.waitForSelector(".board");
  await card(t.page, "Giant Spider").dragTo(t.page.locator(".plate [data-seat='1']"));
  fresh();
  await t.page.locator("[data-main]").click();
  assert.deepEqual((await answer()).picks, [0, 1, 2, 4]);
  quiet(t);
  await t.context.close();
});

test("why not: a click on what cannot be used shows rule, place, source and what fails", async () => {
  const t = await table("duel");
  fresh();
  await t.page.locator(".hand .card", { hasText: "ボルメテウス" }).click();
  await t.page.waitForSelector(".tip");
  assert.match(await t.page.locator(".tip").innerText(), /no shield trigger/);
  assert.match(await t.page.locator(".why").innerText(), /play\.summon\.when[\s\S]*using\.fz:6/);
  assert.deepEqual(await t.page.locator(".why mark").allInnerTexts(), ["turn.main and who is active", "one has shield_trigger"]);
  await t.page.keyboard.press("Escape");
  await until(t.page, () => !document.querySelector(".tip"));
  // By key, on what has the focus.
  await t.page.locator(".hand .card").nth(1).focus();
  await t.page.keyboard.press("?");
  await t.page.waitForSelector(".tip");
  quiet(t);
  await t.context.close();
});

test("every kind is answered by the plain list, with keys alone", async () => {
  const keys = async (p, ...list) => { for (const k of list) { await p.keyboard.press(k); await p.waitForTimeout(40); } };
  for (const [name, press, expected] of [
    ["duel", ["ArrowDown", "Enter"], { picks: [1] }],
    ["wide-choose", ["ArrowDown", "Enter", "ArrowDown", "Enter", " "], null],
    ["wide-modes", ["Enter", "ArrowDown", "Enter", "ArrowDown", "ArrowDown", "ArrowDown", "Enter"], { picks: [0, 1] }],
    ["wide-yes_no", ["ArrowDown", "Enter"], { picks: [1] }],
    ["wide-order", ["Enter"], { picks: [0] }],
    ["wide-pay", ["Enter"], { picks: [0] }],
    ["wide-hidden", ["Enter"], null],
  ]) {
    const t = await table(name === "wide-hidden" ? "duel-hidden" : name);
    fresh();
    await t.page.keyboard.press("l");
    await until(t.page, () => document.querySelector("[data-list]")?.contains(document.activeElement));
    await keys(t.page, ...press);
    if (expected) {
      const { t: _t, ask: _ask, ...rest } = await answer();
      assert.deepEqual(rest, expected, name);
    } else {
      await t.page.locator("[data-list-main]").focus();
      await t.page.keyboard.press("Enter");
      assert.ok((await answer()).picks.length > 0, name);
    }
    quiet(t);
    await t.context.close();
  }
  for (const [name, expected] of [["wide-number", { number: 5 }], ["wide-divide", { shares: [2, 1, 1] }], ["wide", { picks: [0, 1, 2] }]]) {
    const t = await table(name);
    fresh();
    await t.page.keyboard.press("l");
    await until(t.page, () => document.querySelector("[data-list]")?.contains(document.activeElement));
    if (name === "wide-number") {
      await t.page.keyboard.press("Control+A");
      await t.page.keyboard.type("5");
    }
    if (name === "wide-divide") await t.page.locator("[data-list] .stepper button:not([disabled])").first().press("Enter");
    await t.page.locator("[data-list-main]").press("Enter");
    const { t: _t, ask: _ask, ...rest } = await answer();
    assert.deepEqual(rest, expected, name);
    await t.context.close();
  }
});

test("Tab goes from zone to zone, arrows within one", async () => {
  const t = await table("duel");
  await t.page.locator(".hand .card").first().focus();
  await t.page.keyboard.press("ArrowRight");
  assert.match(await t.page.evaluate(() => document.activeElement.textContent), /トルネード/);
  const zone = () => t.page.evaluate(() => document.activeElement.closest("[data-zone]")?.getAttribute("aria-label") ?? document.activeElement.className);
  assert.equal(await zone(), "hand");
  await t.page.keyboard.press("Shift+Tab");
  assert.equal(await zone(), "Aki");
  await t.page.keyboard.press("Shift+Tab");
  assert.equal(await zone(), "mana");
  assert.equal(await t.page.getByRole("button", { name: /バッドドッグ・マニアクス.*hand, can be used: cast/ }).count(), 1);
  await t.page.keyboard.press("Tab");
  // A card with the focus is shown large.
  await t.page.keyboard.press("Tab");
  await t.page.waitForSelector(".preview .big");
  quiet(t);
  await t.context.close();
});

test("pass until: on by key, shown, ended by one key", async () => {
  const t = await table("duel");
  fresh();
  await t.page.keyboard.press("p");
  await t.page.getByRole("menuitem", { name: "my turn begins" }).click();
  await t.page.waitForSelector(".yielding");
  assert.deepEqual(server.got.find((m) => m.t === "yield"), { t: "yield", until: "mine" });
  await t.page.keyboard.press("Escape");
  await until(t.page, () => !document.querySelector(".yielding"));
  quiet(t);
  await t.context.close();
});

test("for the left hand, the bar is mirrored, and stays so", async () => {
  const t = await table("duel");
  const left = async (selector) => (await t.page.locator(selector).first().boundingBox())?.x ?? 0;
  assert.ok((await left(".ask [data-main]")) > (await left(".ask .with-menu")));
  await t.page.getByRole("button", { name: "Menu" }).click();
  await t.page.getByRole("button", { name: "For the left hand" }).click();
  await accessible(t.page, "the menu");
  await t.page.keyboard.press("Escape");
  for (const again of [false, true]) {
    if (again) await t.page.reload();
    await t.page.waitForSelector(".board");
    assert.ok((await left(".ask [data-main]")) < (await left(".ask .with-menu")), String(again));
    assert.ok((await left(".ask .with-menu")) < (await left(".ask .q")), String(again));
  }
  quiet(t);
  await t.context.close();
});

test("piles open, chat is text, markup in names stays text", async () => {
  const t = await table("duel");
  await t.page.locator(".half.mine .fact", { hasText: "graveyard" }).click();
  await t.page.waitForSelector(".sheet .tile");
  assert.equal(await t.page.locator(".sheet .tile").count(), 9);
  await accessible(t.page, "a pile");
  await t.page.keyboard.press("Escape");
  await t.page.locator(".say input").fill("<img src=x onerror=alert(1)> hello");
  await t.page.keyboard.press("Enter");
  await t.page.getByRole("tab", { name: /Chat/ }).click();
  await t.page.getByText("hello").waitFor();
  assert.match(await t.page.locator(".log").innerText(), /<img src=x onerror=alert\(1\)> hello/);
  quiet(t);
  await t.context.close();
});

test("Japanese: the page's words, and the language is sent", async () => {
  const t = await table("duel");
  fresh();
  await t.page.getByRole("button", { name: "日本語" }).click();
  await until(t.page, () => document.documentElement.lang === "ja");
  assert.match(await t.page.locator(".ask").innerText(), /ここまでパス/);
  assert.deepEqual(server.got.find((m) => m.t === "lang"), { t: "lang", lang: "ja" });
  await accessible(t.page, "the board in Japanese");
  await tidy(t.page, "the board in Japanese");
  quiet(t);
  await t.context.close();
});

test("axe finds nothing, and the layout holds, at both sizes", async () => {
  const bad = [];
  for (const size of [WIDE, PHONE]) {
    const t = await open(browser, `${base}#host=h`, { size, touch: size === PHONE });
    for (const name of ["lobby", "duel", "wide", "places", "six", "wide-choose", "wide-divide", "wide-modes", "wide-number", "wide-words", "duel-watch", "wide-over"]) {
      if (name === "lobby") await t.page.waitForSelector(".btn.go");
      else {
        await t.page.evaluate((at) => { location.hash = at; }, `table=${name}&as=seat&key=x`);
        await t.page.locator(".where", { hasText: `table ${name}` }).waitFor({ state: "attached" });
        await t.page.waitForSelector(".board");
      }
      if (name === "wide-over") await t.page.waitForSelector(".sheet");
      await t.page.waitForTimeout(60);
      for (const check of [tidy, accessible]) await check(t.page, `${name} at ${size.width}`).catch((e) => bad.push(`${e.message.split("\n")[0]}: ${(e.actual ?? [e.message]).join("; ")}`));
      quiet(t);
    }
    await t.context.close();
  }
  assert.deepEqual(bad, []);
});

test("targets are 44 px on touch", async () => {
  for (const name of ["duel", "duel-hidden", "wide-choose", "wide-modes", "wide-divide"]) {
    const t = await table(name, { size: PHONE, touch: true });
    const small = await t.page.evaluate(() => [...document.querySelectorAll(".ask button, .tray button, .top button, .top a.pill, .board :is(.can, .aimable):not(.fact)")].filter((e) => {
      const r = e.getBoundingClientRect();
      return r.width > 0 && (r.height < 43.5 || r.width < 43.5);
    }).map((e) => `${e.className} ${Math.round(e.getBoundingClientRect().width)}x${Math.round(e.getBoundingClientRect().height)}`));
    assert.deepEqual(small, [], name);
    await t.context.close();
  }
});

test("the lobby: one click plays, a list is checked in place, links are copied without the clipboard", async () => {
  const t = await open(browser, `${base}#host=h`);
  await t.page.waitForSelector(".btn.go");
  assert.equal(await t.page.evaluate(() => location.hash), "");
  await t.page.locator("select[name='seat-0-deck']").selectOption({ label: "My own list…" });
  await t.page.locator("textarea").fill("4 Forest\n2 Forrest");
  await t.page.getByText("no card is named Forrest").waitFor();
  assert.equal(await t.page.locator(".btn.go").isDisabled(), true);
  await accessible(t.page, "the lobby with a list");
  await t.page.locator("select[name='seat-0-deck']").selectOption({ index: 0 });
  await t.page.locator("select[name='seat-1-who']").selectOption("invite");
  await t.page.locator(".btn.go").click();
  await t.page.waitForSelector(".made");
  assert.match(await t.page.locator(".made input").first().inputValue(), /#table=duel&as=seat&key=k2$/);
  await t.page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await t.page.locator(".made .btn.small").first().click();
  await t.page.getByText("Copied").waitFor();
  await accessible(t.page, "the lobby with links");
  await t.page.getByRole("link", { name: "Take your seat" }).click();
  await t.page.waitForSelector(".board");
  quiet(t);
  await t.context.close();
});

/** Has the fake server send a frame, or close the socket. */
const frame = async (t, what) => {
  await t.page.locator(".say input").fill(`!${typeof what === "string" ? what : JSON.stringify(what)}`);
  await t.page.locator(".say input").press("Enter");
};
const sent = async (kind) => {
  for (let k = 0; k < 150; k++) {
    const found = server.got.filter((m) => m.t === kind).at(-1);
    if (found) return found;
    await new Promise((r) => setTimeout(r, 20));
  }
  throw new Error(`no ${kind} was sent`);
};

test("a dropped connection is taken up again with the token, a gap asks for the whole view", async () => {
  const t = await table("duel");
  fresh();
  await frame(t, "close");
  await until(t.page, () => document.querySelector(".pill.live") !== null);
  assert.equal((await sent("hello")).key, "t".repeat(32));
  await t.page.reload();
  await t.page.waitForSelector(".board");
  assert.equal(server.got.filter((m) => m.t === "hello").at(-1).key, "t".repeat(32));
  await frame(t, { t: "step", n: 9, events: [], patch: {}, ask: null, waits: 1 });
  await sent("again");
  await t.context.close();
});

test("a difference changes, adds and removes; what moves is animated", async () => {
  const t = await table("duel", { motion: true });
  await t.page.evaluate(() => {
    globalThis.runs = 0;
    const own = Element.prototype.animate;
    Element.prototype.animate = function (...args) {
      globalThis.runs += 1;
      return own.apply(this, args);
    };
  });
  const hand = await t.page.locator(".hand .card").count();
  const handle = await t.page.locator(".hand .card").first().getAttribute("data-obj");
  const list = await t.page.evaluate(() => [...document.querySelectorAll(".wait-item")].map((e) => Number(e.dataset.obj)).reverse());
  const rest = await t.page.evaluate(() => [...document.querySelectorAll(".hand .card")].slice(1).map((e) => Number(e.dataset.obj)));
  await frame(t, { t: "step", n: 3, events: [{ words: [{ s: "Aki casts " }, { s: "X", on: 900, card: "X" }], by: 0, moves: [{ was: Number(handle), is: 900, from: "hand.0", to: "pending" }, { from: "deck.0", to: "hand.1", count: 2 }], beat: 0 }],
    patch: { objects: { [handle]: null, 900: { card: "X", owner: 0, in: "pending" } }, zones: { "hand.0": { list: rest }, pending: { list: [...list, 900] } }, facts: { turn: 12 } }, ask: null, waits: 1 });
  await until(t.page, () => document.querySelectorAll(".wait-item").length === 4);
  assert.equal(await t.page.locator(".hand .card").count(), hand - 1);
  assert.match(await t.page.locator(".track .n").innerText(), /Turn 12/);
  assert.ok(await t.page.evaluate(() => globalThis.runs) >= 1);
  assert.match(await t.page.locator(".ask").innerText(), /Mio is thinking/);
  quiet(t);
  await t.context.close();
});

test("votes on an undo, an absent player, the side deck, the screen handed over", async () => {
  const t = await table("duel");
  fresh();
  await frame(t, { t: "undo_requested", by: 1 });
  await accessible(t.page, "a vote");
  await t.page.getByRole("button", { name: "Agree" }).click();
  assert.deepEqual(await sent("undo_vote"), { t: "undo_vote", agree: true });
  await frame(t, { t: "absent", seat: 1 });
  await t.page.getByRole("button", { name: "Let a bot play on" }).click();
  assert.deepEqual(await sent("absent"), { t: "absent", choice: "bot" });
  await frame(t, { t: "step", n: 3, events: [], patch: {}, ask: { id: 500, kind: "yes_no", prompt: "Keep?", min: 1, max: 1, seat: 1, options: [{ label: "yes", word: "Yes" }, { label: "no", word: "No" }] }, waits: 1 });
  await t.page.getByRole("dialog", { name: /Mio, it is your move/ }).waitFor();
  await accessible(t.page, "the screen handed over");
  await t.page.getByRole("button", { name: "Go on" }).click();
  assert.equal(await t.page.locator(".half.mine .plate .who b").innerText(), "Mio");
  await frame(t, { t: "over", outcome: "won", by: 0, words: "Aki wins.", trace: "", match: { best_of: 3, game: 1, wins: [1, 0], phase: "exchanging", ready: [false, true] } });
  await t.page.getByRole("dialog", { name: "Before the next game" }).waitFor();
  await accessible(t.page, "the side deck");
  await t.page.getByRole("button", { name: "Ready" }).click();
  assert.deepEqual(await sent("ready"), { t: "ready" });
  quiet(t);
  await t.context.close();
});

test("who follows an invite gives a name first", async () => {
  const t = await open(browser, `${base}#table=duel&as=seat&key=invite`, { nameless: true });
  await t.page.locator("input[name=name]").fill("Mio");
  await accessible(t.page, "the name of a guest");
  fresh();
  await t.page.getByRole("button", { name: "Take your seat" }).click();
  await t.page.waitForSelector(".board");
  assert.equal((await sent("hello")).name, "Mio");
  quiet(t);
  await t.context.close();
});
