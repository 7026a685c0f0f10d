// What the browser tests share: a browser, pages that are watched, axe, checks of the layout.
import { chromium } from "playwright-core";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

const root = join(fileURLToPath(import.meta.url), "..", "..", "..");
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");

/** The program: FIZZLE names it. */
export const program = process.env.FIZZLE ?? ["quick", "debug", "release"].map((p) => join(target, p, "fizzle")).find(existsSync);

/** Starts the program with `serve` and waits for the address it prints that ends in `what` and the key of the host. */
export async function serve(what, args, how = {}) {
  assert.ok(program, "build the program first, or name it in FIZZLE");
  const served = spawn(program, ["serve", ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"], ...how });
  let text = "";
  served.stderr.on("data", (d) => { text += d; });
  const link = await new Promise((done, fail) => {
    served.stdout.on("data", (d) => {
      text += d;
      const found = new RegExp(`http://[^ ]+${what}#host=[0-9a-f]+`).exec(text);
      if (found) done(found[0]);
    });
    served.on("exit", () => fail(new Error(`the server ended: ${text}`)));
    setTimeout(() => fail(new Error(`no link: ${text}`)), 30000).unref();
  });
  return { link, stop: () => { served.removeAllListeners("exit"); served.kill(); } };
}

/** Serves the workbench for a folder with these files. @param {Record<string, string>} files */
export async function serveFolder(files) {
  const folder = join(mkdtempSync(join(tmpdir(), "fizzle-bench-")), "lanterns");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const served = await serve("/bench", [folder, "--keep", join(dirname(folder), "keep")]);
  return { url: served.link, folder, stop: () => { served.stop(); rmSync(dirname(folder), { recursive: true, force: true }); } };
}

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });

/** A page that notes messages on the console, errors, and requests that leave the origin. */
export async function open(browser, url, how = {}) {
  const context = how.context ?? (await browser.newContext({ viewport: how.size ?? WIDE, reducedMotion: how.motion ? "no-preference" : "reduce", hasTouch: how.touch ?? false, isMobile: how.touch ?? false, locale: how.locale ?? "en-GB" }));
  const page = await context.newPage();
  const origin = new URL(url).origin;
  const noted = [];
  page.on("console", (m) => noted.push(`${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => noted.push(`error: ${e.message} ${(e.stack ?? "").split("\n")[1] ?? ""}`));
  page.on("request", (r) => {
    const at = new URL(r.url());
    if (!["data:", "blob:"].includes(at.protocol) && at.origin !== origin && at.origin !== origin.replace("http", "ws")) noted.push(`request: ${r.url()}`);
  });
  await page.addInitScript({ content: axe });
  if (!how.nameless) await page.addInitScript(() => sessionStorage.setItem("fizzle.name", "Aki"));
  await page.goto(url);
  return { page, context, noted };
}

/** Asserts that nothing was noted. */
export const quiet = ({ noted }) => assert.deepEqual(noted, []);

/** Asserts that axe finds nothing. */
export async function accessible(page, what) {
  const found = await page.evaluate(async () => {
    // A page in a frame is tested as a page of its own.
    const result = await globalThis.axe.run(document, { resultTypes: ["violations"], iframes: false });
    return result.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target.join(" ")} ${n.failureSummary ?? ""}`).join(" | ")}`.slice(0, 700));
  });
  assert.deepEqual(found, [], `axe on ${what}`);
}

/** Asserts that no box leaves its parent, no text is cut without a sign of it, nothing scrolls across, cards of a zone do not overlap. */
export async function tidy(page, what) {
  const found = await page.evaluate(() => {
    const bad = [];
    const say = (text, e) => bad.push(`${text}: ${e.tagName.toLowerCase()}.${String(e.className.baseVal ?? e.className).trim().replace(/\s+/g, ".")} “${(e.textContent ?? "").trim().slice(0, 40)}”`);
    const root = document.documentElement;
    if (root.scrollWidth > innerWidth + 1) bad.push(`the page scrolls across: ${root.scrollWidth} > ${innerWidth}`);
    if (root.scrollHeight > innerHeight + 1) bad.push(`the page scrolls down: ${root.scrollHeight} > ${innerHeight}`);
    const shown = (e) => {
      const r = e.getBoundingClientRect();
      return e.checkVisibility() && r.width > 2 && r.height > 2 && getComputedStyle(e).visibility !== "hidden" && !e.closest(".sr");
    };
    for (const e of document.querySelectorAll("#app *")) {
      if (!shown(e)) continue;
      const s = getComputedStyle(e);
      const clipped = (axis) => ["hidden", "clip"].includes(s[`overflow${axis}`]);
      const marked = s.textOverflow === "ellipsis" || (s.webkitLineClamp !== "none" && s.webkitLineClamp !== "") || (s.maskImage !== "none" && s.maskImage !== "");
      const hasText = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
      if (hasText && !marked && clipped("X") && e.scrollWidth > e.clientWidth + 2) say("text is cut across", e);
      if (hasText && !marked && clipped("Y") && e.scrollHeight > e.clientHeight + 3) say("text is cut below", e);
      const box = e.closest(".card, .tile, .wait-item, .btn, .fact, .ask, .sheet, .panel");
      if (box && box !== e && !e.closest(".menu")) {
        const r = e.getBoundingClientRect(), b = box.getBoundingClientRect();
        const scrolls = e.parentElement.closest(".log, .possible, pre, .sheet, .text, .facts, .wait, .hand") && !e.parentElement.closest(".card:not(.hand-card)");
        if (!scrolls && (r.left < b.left - 3 || r.right > b.right + 3 || r.top < b.top - 3 || r.bottom > b.bottom + 3)) say(`leaves its ${box.className.split(" ")[0]}`, e);
      }
    }
    for (const zone of document.querySelectorAll(".board .zone > .in")) {
      const slots = [...zone.querySelectorAll(":scope > .slot > :is(.card, .tile)")].filter(shown);
      const rects = slots.map((e) => e.getBoundingClientRect());
      for (let i = 0; i < rects.length; i++) for (let j = i + 1; j < rects.length; j++) {
        const a = rects[i], b = rects[j];
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3) say("overlaps its neighbour", slots[i]);
      }
    }
    for (const e of document.querySelectorAll(".card .name, .card .foot, .plate .who b, .plate .score")) {
      const r = e.getBoundingClientRect(), box = e.closest(".card, .board")?.getBoundingClientRect();
      if (box && shown(e) && (r.right > box.right + 2 || (e.closest(".card") && r.bottom > box.bottom + 2))) say("is cut", e);
    }
    return [...new Set(bad)].slice(0, 12);
  });
  assert.deepEqual(found, [], `layout of ${what}`);
}

/** Waits until a condition on the page holds. */
export const until = (page, f, arg, timeout = 15000) => page.waitForFunction(f, arg, { timeout, polling: 30 });
