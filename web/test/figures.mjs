// Measures the page for docs/performance.md: opening it with nothing cached, and the time from a click to the next paint. FIZZLE=PROGRAM node figures.mjs
import { launch, open, serve, WIDE } from "./lib.mjs";
import { start } from "./fake_server.mjs";

const ROUNDS = 15, CLICKS = 30;
const median = (all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];
const most = (all) => Math.max(...all);
const browser = await launch();

/** Opens an address in a new context. Returns when what is looked for was there, in ms since the navigation, and by how much the page has shifted. */
async function cold(url, selector) {
  const context = await browser.newContext({ viewport: WIDE });
  const page = await context.newPage();
  await page.addInitScript((wanted) => {
    localStorage.setItem("fizzle.name", "Aki");
    window.shift = 0;
    new PerformanceObserver((list) => { for (const e of list.getEntries()) window.shift += e.value; }).observe({ type: "layout-shift", buffered: true });
    const look = () => { if (document.querySelector(wanted)) requestAnimationFrame(() => { window.there ??= performance.now(); }); else requestAnimationFrame(look); };
    look();
  }, selector);
  await page.goto(url);
  await page.waitForFunction(() => window.there !== undefined);
  await page.waitForTimeout(300);
  const found = await page.evaluate(() => ({ there: window.there, shift: window.shift }));
  await context.close();
  return found;
}

/** The time from a click that opens a menu to the next paint (multiples of 8 ms), and what of it is script, with so many more cards on the board. */
async function clicks(base, more) {
  const t = await open(browser, `${base}#table=duel&as=seat&key=x`);
  await t.page.waitForSelector(".board");
  if (more) {
    const objects = {}, list = [];
    for (let k = 0; k < more; k++) {
      objects[5000 + k] = { card: k % 3 ? "コアキャリバー" : "アクア・サーファー", owner: k % 2, in: "battle", look: { stat: String(1000 + (k % 40)) } };
      list.push(5000 + k);
    }
    const before = await t.page.evaluate(() => document.querySelectorAll(".board .card").length);
    const frame = { t: "step", n: 3, events: [], patch: { objects, zones: { battle: { list } } } };
    await t.page.evaluate(async ([text]) => { const { send } = await import("/table/socket.js"); send({ t: "chat", text }); }, [`!${JSON.stringify(frame)}`]);
    await t.page.waitForFunction((n) => document.querySelectorAll(".board .card").length > n, before);
  }
  const cards = await t.page.evaluate(() => document.querySelectorAll(".board .card, .board .tile").length);
  await t.page.evaluate(() => {
    window.times = [];
    new PerformanceObserver((list) => {
      for (const e of list.getEntries()) if (e.name === "click") window.times.push([e.duration, e.processingEnd - e.processingStart]);
    }).observe({ type: "event", durationThreshold: 16 });
  });
  const target = t.page.locator("header .pill[aria-haspopup=dialog]");
  for (let k = 0; k < CLICKS; k++) {
    await target.click();
    await t.page.waitForSelector("[data-dialog=menu]");
    await t.page.keyboard.press("Escape");
    await t.page.waitForTimeout(60);
  }
  const times = await t.page.evaluate(() => window.times);
  await t.context.close();
  // What is not reported took less than 16 ms.
  while (times.length < CLICKS) times.push([16, 0]);
  return { cards, paint: times.map(([all]) => all), script: times.map(([, script]) => script) };
}

const served = await serve("/", []);
const base = new URL(served.link).origin, host = new URL(served.link).hash.slice(6);
const newTable = async () => {
  const body = JSON.stringify({ format: "magic", seed: 4, sandbox: true, seats: [{ who: "me" }, { who: "bot", bot: "random" }] });
  const made = await (await fetch(`${base}/api/table`, { method: "POST", headers: { Authorization: `Bearer ${host}` }, body })).json();
  return `${base}/#table=${made.name}&as=seat&key=${made.links[0].key}`;
};
for (const [what, url, selector] of [["the lobby", async () => served.link, ".formats"], ["a table", newTable, ".board"]]) {
  const found = [];
  for (let k = 0; k < ROUNDS; k++) found.push(await cold(await url(), selector));
  const there = found.map((f) => f.there);
  console.log(`${what}: ${median(there).toFixed(0)} ms (most ${most(there).toFixed(0)}), shift ${most(found.map((f) => f.shift)).toFixed(3)}`);
}
served.stop();
const fake = await start();
for (const more of [0, 260]) {
  const { cards, paint, script } = await clicks(`http://127.0.0.1:${fake.port}/`, more);
  console.log(`${cards} cards: a click to the next paint ${median(paint)} ms (most ${most(paint)}), of it script ${median(script).toFixed(1)} ms (most ${most(script).toFixed(1)})`);
}
await fake.stop();
await browser.close();
