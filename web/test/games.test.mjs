// Whole games against the real server: each family by clicks only, one by the plain list with keys only, two browsers with a rejoin, a phone, Japanese.
// FIZZLE names the program (default: target/quick/fizzle, target/debug/fizzle or target/release/fizzle).
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { accessible, launch, open, PHONE, quiet, serve, tidy, until } from "./lib.mjs";

let browser, served, link, host, base;
before(async () => {
  served = await serve("/", process.env.PACK ? [process.env.PACK] : []);
  link = served.link;
  base = new URL(link).origin;
  host = new URL(link).hash.slice(6);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  served?.stop();
});

const api = async (path, body) => {
  const response = await fetch(`${base}${path}`, { method: body ? "POST" : "GET", headers: { Authorization: `Bearer ${host}`, "Content-Type": "application/json" }, body: body ? JSON.stringify(body) : undefined });
  assert.ok(response.ok, `${path}: ${response.status} ${response.ok ? "" : await response.text()}`);
  return response.json();
};
const lobby = () => api("/api/lobby");
const seatUrl = (made, seat) => `${base}/#table=${made.name}&as=seat&key=${made.links.find((l) => l.seat === seat).key}`;

/** A table of a format with the first decks that are legal. */
async function makeTable(format, seats, seed, more = {}) {
  const f = (await lobby()).formats.find((x) => x.name === format);
  assert.ok(f, `no format ${format}`);
  const decks = f.decks.filter((d) => !d.problems.length).map((d) => d.name);
  return api("/api/table", { format, best_of: 1, seed, sandbox: false, seats: seats.map((s, k) => ({ deck: decks[k % decks.length], name: ["Aki", "Mio"][k], ...s })), ...more });
}

/** A small generator, so that a game is the same each time. */
function chance(seed) {
  let s = seed >>> 0;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 2 ** 32;
  };
}

/** What to click next: a place on the screen, or what there is to wait for. */
const nextClick = (r) => {
  const shown = (e) => e && e.checkVisibility() && !e.disabled;
  const at = (e) => {
    e.scrollIntoView({ block: "nearest", inline: "nearest" });
    const b = e.getBoundingClientRect();
    const x = b.left + Math.min(b.width / 2, 30), y = b.top + Math.min(b.height / 2, 16);
    const hit = document.elementFromPoint(x, y);
    if (hit && !e.contains(hit) && !hit.contains(e)) {
      e.click(); // Something covers it for a moment, for example the large card.
      return { done: true };
    }
    return { x, y };
  };
  if (document.querySelector("[data-dialog=over]")) return { over: document.querySelector("[data-dialog=over] .outcome").textContent };
  if (document.querySelector("[data-act=over-show]")) return { over: document.querySelector(".ask .q").textContent };
  const curtain = document.querySelector("[data-dialog=curtain] .btn");
  if (curtain) return at(curtain);
  const bar = document.querySelector(".ask");
  if (!bar || bar.matches(".idle")) return { wait: true };
  const menu = [...document.querySelectorAll(".menu.at-card button")];
  if (menu.length) return at(menu[Math.floor(r[1] * menu.length)]);
  const main = document.querySelector("[data-main]");
  const cans = [...document.querySelectorAll(".board .can, .waits .can, .tray .can")].filter(shown);
  const aims = [...document.querySelectorAll(".board .aimable:not(.picked):not(.fact), .waits .aimable:not(.picked), .tray .aimable:not(.picked), .tray .option:not(.picked)")].filter(shown);
  const more = [...document.querySelectorAll(".tray .stepper .btn:last-child, .ask .buttons .btn:not(.ghost):not(.main):not([data-menu])")].filter((e) => shown(e) && !e.querySelector("kbd"));
  if (cans.length && r[0] < 0.72) return at(cans[Math.floor(r[1] * cans.length)]);
  if (shown(main) && (!aims.length || r[0] < 0.6 || document.querySelectorAll(".picked").length)) return at(main);
  const all = [...aims, ...more];
  if (all.length) return at(all[Math.floor(r[1] * all.length)]);
  if (shown(main)) return at(main);
  return { wait: true };
};

/** Plays to the end by clicks (or touches). Returns the words of the result. */
async function playByClicks(page, seed, how = {}) {
  const random = chance(seed);
  const began = Date.now();
  let waited = 0;
  for (let k = 0; k < (how.most ?? 4000); k++) {
    const next = await page.evaluate(nextClick, [random(), random()]);
    if (next.over !== undefined) return next.over;
    if (next.wait) {
      assert.ok(++waited < 1500, `nothing to do for long: ${await page.locator(".ask").innerText()}`);
      await page.waitForTimeout(15);
      continue;
    }
    waited = 0;
    if (next.x !== undefined) await (how.touch ? page.touchscreen.tap(next.x, next.y) : page.mouse.click(next.x, next.y));
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))));
    if (how.every) await how.every(k);
    assert.ok(Date.now() - began < (how.limit ?? 70000), `the game takes too long, ${k} clicks`);
  }
  throw new Error("the game does not end");
}

const FAMILIES = (process.env.FAMILIES ?? "duel_magic,magic,yugioh").split(",");
const SEEDS = { duel_magic: 5, magic: 3, yugioh: 2, duel_masters: 1 };

for (const format of FAMILIES) {
  test(`a whole game of ${format} by clicks alone, against greedy`, async () => {
    const made = await makeTable(format, [{ who: "me" }, { who: "bot", bot: "greedy" }], SEEDS[format] ?? 1);
    const t = await open(browser, seatUrl(made, 0));
    await t.page.waitForSelector(".board");
    const bad = [];
    const outcome = await playByClicks(t.page, 7, { every: async (k) => { if (k % 40 === 20) await tidy(t.page, `${format} after ${k} clicks`).catch((e) => bad.push(...(e.actual ?? [e.message]))); if (k === 60) await accessible(t.page, `${format} after 60 clicks`).catch((e) => bad.push(...(e.actual ?? [e.message]))); } });
    assert.ok(outcome.length > 3, outcome);
    await accessible(t.page, "the end");
    assert.deepEqual([...new Set(bad)], []);
    quiet(t);
    await t.context.close();
  });
}

test("the lobby's button begins a game, which is played by keys alone in the plain list", async () => {
  const t = await open(browser, link);
  await t.page.waitForSelector(".btn.go");
  await t.page.keyboard.press("Tab");
  await t.page.locator(".btn.go").focus();
  await t.page.keyboard.press("Enter");
  await t.page.waitForSelector(".board");
  await t.page.keyboard.press("l");
  const random = chance(11);
  const began = Date.now();
  let over = false;
  for (let k = 0; k < 4000 && !over; k++) {
    const now = await t.page.evaluate(() => {
      if (document.querySelector("[data-dialog=over]")) return { over: true };
      const list = document.querySelector("[data-list]");
      if (!list) return { none: true };
      const buttons = [...list.querySelectorAll("ol button:not([disabled])")];
      return { options: buttons.length, main: Boolean(list.querySelector("[data-list-main]:not([disabled])")), bar: Boolean(document.querySelector("[data-main]:not([disabled])")), on: list.querySelectorAll("ol [aria-pressed=true]").length, number: Boolean(list.querySelector("input")), idle: Boolean(document.querySelector(".ask.idle")) };
    });
    over = now.over === true;
    if (over) break;
    if (now.none) {
      await t.page.keyboard.press("l");
      continue;
    }
    if (now.idle) {
      await t.page.waitForTimeout(15);
      continue;
    }
    const focus = async (selector, index) => t.page.evaluate(([s, i]) => document.querySelectorAll(s)[i]?.focus(), [selector, index]);
    if (now.main && (now.on > 0 || random() < 0.5)) {
      await focus("[data-list-main]", 0);
      await t.page.keyboard.press("Enter");
    } else if (now.bar && !now.options) await t.page.keyboard.press(" ");
    else if (now.options) {
      await focus("[data-list] ol button:not([disabled])", Math.floor(random() * now.options));
      await t.page.keyboard.press("Enter");
    }
    await t.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))));
    assert.ok(Date.now() - began < 70000, `the game takes too long, ${k} keys`);
  }
  assert.ok(over);
  quiet(t);
  await t.context.close();
});

test("two browsers against each other, one of which loses its page in between", async () => {
  const made = await makeTable(FAMILIES[0], [{ who: "me" }, { who: "invite" }], 9);
  const a = await open(browser, seatUrl(made, 0));
  let b = await open(browser, seatUrl(made, 1));
  await a.page.waitForSelector(".board");
  await b.page.waitForSelector(".board");
  const random = chance(3);
  const step = async (t) => {
    const next = await t.page.evaluate(nextClick, [random(), random()]);
    if (next.x !== undefined) await t.page.mouse.click(next.x, next.y);
    await t.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))));
    return next.over !== undefined;
  };
  for (let k = 0; k < 60; k++) {
    await step(a);
    await step(b);
    if (k === 30) {
      // What was answered by itself is shown after a moment.
      await b.page.waitForTimeout(1200);
      const before = await b.page.locator(".track .n").innerText();
      await b.page.reload();
      await b.page.waitForSelector(".board");
      assert.equal(await b.page.locator(".track .n").innerText(), before);
    }
  }
  await a.page.locator(".say input").fill("good game");
  await a.page.keyboard.press("Enter");
  await b.page.getByRole("tab", { name: /Chat/ }).click();
  await b.page.getByText("good game").waitFor();
  // A concession ends it for both.
  await a.page.keyboard.press("Escape");
  await a.page.getByRole("button", { name: "Menu" }).click();
  await a.page.getByRole("button", { name: "Give up" }).click();
  await a.page.locator("[data-dialog=concede]").getByRole("button", { name: "Give up" }).click();
  await a.page.waitForSelector("[data-dialog=over]");
  await b.page.waitForSelector("[data-dialog=over]");
  quiet(a);
  quiet(b);
  await a.context.close();
  await b.context.close();
});

test("a phone: touches, nothing cut, why not, Japanese", async () => {
  for (const format of FAMILIES) {
    const made = await makeTable(format, [{ who: "me" }, { who: "bot", bot: "greedy" }], SEEDS[format] ?? 1);
    const t = await open(browser, seatUrl(made, 0), { size: PHONE, touch: true });
    await t.page.waitForSelector(".board");
    const random = chance(5);
    const bad = [];
    for (let k = 0; k < 70; k++) {
      const next = await t.page.evaluate(nextClick, [random(), random()]);
      if (next.over !== undefined) break;
      if (next.x !== undefined) await t.page.touchscreen.tap(next.x, next.y);
      await t.page.waitForTimeout(20);
      if (k % 23 === 12) await tidy(t.page, format).catch((e) => bad.push(...(e.actual ?? [e.message])));
    }
    await accessible(t.page, `${format} on a phone`).catch((e) => bad.push(...(e.actual ?? [e.message])));
    if (format === FAMILIES[0]) {
      // The last taps may have opened a pile, a menu or the text of a rule, or ended the game, whose dialog can come later.
      const menu = t.page.getByRole("button", { name: "Menu" });
      for (let k = 0, clicked = false; !clicked; k++) {
        await t.page.keyboard.press("Escape");
        clicked = await menu.click({ timeout: 1000 }).then(() => true, (e) => { if (k === 20) throw e; });
      }
      await t.page.getByRole("button", { name: "日本語" }).click();
      await until(t.page, () => document.documentElement.lang === "ja");
    }
    assert.deepEqual([...new Set(bad)], [], format);
    quiet(t);
    await t.context.close();
  }
});

test("why not: the rule of a card that cannot be used now; an answer is taken back", async () => {
  const made = await makeTable(FAMILIES[0], [{ who: "me" }, { who: "bot", bot: "greedy" }], 5, { sandbox: true });
  const t = await open(browser, seatUrl(made, 0));
  await t.page.waitForSelector(".board");
  // The connection is opened again, so that its frames are counted.
  let answers = 0;
  t.page.on("websocket", (w) => w.on("framesent", (f) => { if (String(f.payload).includes('"t":"answer"')) answers += 1; }));
  await t.page.reload();
  await t.page.waitForSelector(".board");
  const random = chance(2);
  let asked = false, undone = false;
  for (let k = 0; k < 200 && !asked; k++) {
    const found = await t.page.evaluate(() => {
      const bar = document.querySelector(".ask");
      const card = document.querySelector(".hand .card:not(.can):not(.aimable):not(.picked)");
      const acts = document.querySelector(".ask [data-act=why-mode]") && document.querySelector("[data-main]:not([disabled])") && !document.querySelector("[data-menu].at-card");
      return Boolean(bar && card && acts && !document.querySelector(".board .aimable"));
    });
    if (found) {
      await t.page.locator(".hand .card:not(.can):not(.aimable)").first().click();
      await t.page.waitForSelector(".tip");
      const why = await t.page.locator(".why").innerText();
      asked = /\.fz:\d+/.test(why);
      await t.page.keyboard.press("Escape");
    }
    const next = await t.page.evaluate(nextClick, [random(), random()]);
    if (next.over !== undefined) break;
    if (next.x !== undefined) await t.page.mouse.click(next.x, next.y);
    await t.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))));
  }
  assert.ok(asked, "a rule with its file and line was shown");
  await until(t.page, () => document.querySelector("[data-dialog=over]") || !document.querySelector(".ask.idle"));
  const shown = () => t.page.evaluate(() => [document.querySelector(".track .n").textContent, document.querySelectorAll(".hand .card").length, document.querySelector(".ask .q b").textContent].join("|"));
  for (let k = 0; k < 40; k++) {
    await until(t.page, () => document.querySelector("[data-dialog=over]") || !document.querySelector(".ask.idle"));
    const before = await shown(), had = answers;
    const next = await t.page.evaluate(nextClick, [random(), random()]);
    if (next.over !== undefined) break;
    if (next.x !== undefined) await t.page.mouse.click(next.x, next.y);
    await t.page.waitForTimeout(60);
    if (answers !== had + 1 || (await t.page.locator(".ask.idle").count())) continue;
    await t.page.locator(".top").getByRole("button", { name: /Take back/ }).click();
    let after = "";
    for (let w = 0; w < 100 && after !== before; w++) {
      await t.page.waitForTimeout(30);
      after = await shown();
    }
    assert.equal(after, before);
    undone = true;
    break;
  }
  assert.ok(undone);
  quiet(t);
  await t.context.close();
});

test("a game that is over is read from its beginning: by keys and by clicks, as each player, in Japanese", async () => {
  const made = await makeTable(FAMILIES[0], [{ who: "me" }, { who: "bot", bot: "greedy" }], 9, { sandbox: true });
  const t = await open(browser, seatUrl(made, 0));
  await t.page.waitForSelector(".board");
  await t.page.evaluate((key) => sessionStorage.setItem("fizzle.host", key), host);
  await t.page.reload();
  await t.page.waitForSelector(".board");
  const random = chance(3);
  for (let k = 0; k < 60; k++) {
    const next = await t.page.evaluate(nextClick, [random(), random()]);
    if (next.over !== undefined) break;
    if (next.x !== undefined) await t.page.mouse.click(next.x, next.y);
    await t.page.waitForTimeout(15);
  }
  if (!(await t.page.locator("[data-dialog=over]").count())) {
    await t.page.keyboard.press("Escape");
    await t.page.getByRole("button", { name: "Menu" }).click();
    await t.page.getByRole("button", { name: "Give up" }).first().click();
    await t.page.locator("[data-dialog=concede] .btn.main").click();
  }
  await t.page.getByRole("button", { name: "Read the game" }).click();
  await t.page.waitForSelector(".replay .board");
  const at = () => t.page.locator(".replay .pill[role=status]").innerText();
  const [first, all] = (await at()).split(" of ").map(Number);
  assert.ok(first === 0 && all > 5, await at());
  await t.page.keyboard.press("ArrowRight");
  await until(t.page, () => document.querySelector(".replay .pill[role=status]").textContent.startsWith("1 "));
  await t.page.keyboard.press("End");
  await until(t.page, (n) => document.querySelector(".replay .pill[role=status]").textContent.startsWith(`${n} `), all);
  await t.page.getByRole("button", { name: "A turn back" }).click();
  await until(t.page, (n) => !document.querySelector(".replay .pill[role=status]").textContent.startsWith(`${n} `), all);
  await t.page.locator(".steps button").nth(2).click();
  await until(t.page, () => document.querySelector(".replay .pill[role=status]").textContent.startsWith("2 "));
  assert.equal(await t.page.locator(".steps [aria-current]").count(), 1);
  for (const viewer of ["0", "1", "2"]) {
    await t.page.locator(".viewer select").selectOption(viewer);
    await t.page.waitForTimeout(150);
    await tidy(t.page, `as ${viewer}`);
  }
  await t.page.locator(".viewer select").selectOption("-1");
  await t.page.getByRole("button", { name: "日本語" }).click();
  await until(t.page, () => document.documentElement.lang === "ja" && document.querySelector(".replay .where").textContent.includes("記録"));
  await accessible(t.page, "a recorded game");
  quiet(t);
  await t.context.close();
});
