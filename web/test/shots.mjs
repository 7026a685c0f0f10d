// Pictures of fixtures, for looking at: node shots.mjs OUT [names…]
import { chromium } from "playwright-core";
import { mkdirSync } from "node:fs";
import { start } from "./fake_server.mjs";

const [out = "out", ...names] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const server = await start();
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
for (const [w, h] of [[1440, 900], [390, 844]]) {
  const context = await browser.newContext({ viewport: { width: w, height: h }, reducedMotion: "reduce", hasTouch: w < 500 });
  for (const name of names.length ? names : ["duel", "wide", "places"]) {
    const page = await context.newPage();
    page.on("console", (m) => console.log(name, w, m.type(), m.text()));
    page.on("pageerror", (e) => console.log(name, w, "ERROR", e.message));
    await page.goto(`http://127.0.0.1:${server.port}/${name === "lobby" ? "#host=h" : `#table=${name}&as=seat&key=x`}`);
    await page.waitForTimeout(500);
    await page.screenshot({ path: `${out}/${name}-${w}.png` });
    await page.close();
  }
  await context.close();
}
await browser.close();
await server.stop();
