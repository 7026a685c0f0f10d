// Makes the pictures of the book from the real page: FIZZLE=PROGRAM node pictures.mjs [OUT]. The games are the same each time, up to the thoughts of the bot.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { launch, open, PHONE, serveFolder, WIDE } from "./lib.mjs";

const out = process.argv[2] ?? new URL("../../docs/pictures", import.meta.url).pathname;
mkdirSync(out, { recursive: true });
const served = spawn(process.env.FIZZLE ?? "fizzle", ["serve"], { stdio: ["ignore", "pipe", "inherit"] });
const link = await new Promise((done) => {
  let text = "";
  served.stdout.on("data", (d) => {
    text += d;
    const found = /http:\/\/\S+#host=\S+/.exec(text);
    if (found) done(found[0]);
  });
});
const base = new URL(link).origin, host = new URL(link).hash.slice(6);
const headers = { Authorization: `Bearer ${host}` };
const post = async (path, body) => (await fetch(base + path, { method: "POST", headers, body })).json();
const table = (format, seats, seed) => post("/api/table", JSON.stringify({ format, seed, sandbox: true, seats }));
const browser = await launch();

/** Answers what is pending, by the main button or the first thing that can be used, for so many clicks. */
async function play(page, clicks) {
  for (let k = 0; k < clicks; k++) {
    await page.evaluate((even) => {
      const shown = (e) => e && e.checkVisibility() && !e.disabled;
      const menu = document.querySelector(".menu.at-card button");
      const can = [...document.querySelectorAll(".board .can, .board .aimable:not(.picked), .tray .option:not(.picked)")].find(shown);
      const main = [...document.querySelectorAll("[data-main]")].find(shown);
      const plain = [...document.querySelectorAll(".ask:not(.idle) .buttons .btn:not(.ghost):not([data-menu])")].filter(shown).at(-1);
      (menu ?? (even ? can ?? main : main ?? can) ?? plain)?.click();
    }, k % 2 === 0);
    await page.waitForTimeout(60);
  }
  await page.keyboard.press("Escape");
  await page.waitForTimeout(600);
}

async function shot(name, url, size, prepare) {
  const t = await open(browser, url, { size });
  await prepare(t.page);
  await t.page.screenshot({ path: `${out}/${name}.jpg`, type: "jpeg", quality: 80 });
  await t.context.close();
}

const seats = [{ who: "me", name: "Aki" }, { who: "bot", bot: "greedy" }];
const seat = (made) => `${base}/#table=${made.name}&as=seat&key=${made.links[0].key}`;
await shot("lobby", link, WIDE, (page) => page.waitForSelector(".formats"));
const duel = await table("duel_magic", seats, 4);
await shot("table", seat(duel), WIDE, async (page) => { await page.waitForSelector(".board"); await play(page, 44); });
await shot("table-phone", seat(await table("magic", seats, 4)), PHONE, async (page) => { await page.waitForSelector(".board"); await play(page, 70); });
const bots = await table("magic", [{ who: "bot", bot: "greedy" }, { who: "bot", bot: "greedy" }], 5);
await new Promise((done) => setTimeout(done, 8000));
const trace = await (await fetch(`${base}/api/trace/${bots.name}`, { headers })).arrayBuffer();
const { id, steps } = await post("/api/replay?lang=en", trace);
await shot("replay", `${base}/#host=${host}`, WIDE, async (page) => {
  await page.waitForSelector(".formats");
  await page.goto(`${base}/#replay=${id}`);
  await page.waitForSelector(".replay .board");
  await page.locator(".steps button").nth(Math.floor(steps.length / 3)).click();
  await page.waitForTimeout(500);
});
const bench = await serveFolder({
  "pack.fz": "/// Lanterns: small fires.\npack lanterns { edition 2; extends duel_masters }\n",
  "cards.fz": `/// A lantern that burns what is small.
card "Lantern Fox" {
  creature  fire  cost 3  race "Fire Bird"  power 2000
  speed_attacker
  when this enters battle {
    destroy 1 creature of opponent with power <= 2000
    then draw 1
  }
  when this is put into graveyard from battle {
    you may put this into your mana
  }
}

card "Paper Lantern" {
  spell  light  cost 2
  shield_trigger
  does { tap 1 creature of opponent }
}
`,
  "scenarios.fz": `scenario "the fox burns what is small, and draws" {
  format duel_masters
  position {
    A: { hand "Lantern Fox" as fox; mana 3 "Lantern Fox"; deck 5 "Lantern Fox" }
    B: { battle "Lantern Fox" as prey; deck 5 "Lantern Fox" }
  }
  at A's turn.main
  A summons fox
  expect prey in graveyard
}
`,
});
await shot("bench", bench.url, WIDE, async (page) => {
  await page.locator(".strip .ok, .strip .no").first().waitFor();
  await page.getByRole("button", { name: /^Try it/ }).click();
  const frame = page.frameLocator(".try iframe");
  await frame.locator(".hand .can").first().click();
  await frame.locator(".ask .btn.main").click();
  await frame.locator(".half.mine .zone.row .card", { hasText: "Lantern Fox" }).waitFor();
  await page.waitForTimeout(900);
});
await browser.close();
bench.stop();
served.kill();
