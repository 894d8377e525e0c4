import { readFile, stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath } from "../../graphs/chat-page.js";
import { needs } from "../../helpers/needs.js";
import type { ServerReply } from "../../helpers/openai-server.js";
import { runProgram } from "../fake-io.js";
import { type WorkingFolder, workingFolder } from "../run-cli.js";
import { scriptedServer, squareRoot, squareRootReplies } from "../scripted-server.js";

let folder: WorkingFolder;
beforeAll(async () => {
  folder = await workingFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Writes the page of a thread. Returns its path. */
async function pageOf(thread: string, questions: readonly string[], replies: readonly ServerReply[]): Promise<string> {
  await using model = await scriptedServer(replies);
  const db = ["--db", `sqlite:${folder.path}/threads.db`];
  for (const question of questions) await runProgram(["ask", "-q", ...model.options, ...db, "-t", thread, question]);
  const file = `${folder.path}/${thread}.html`;
  const result = await runProgram(["threads", "show", thread, ...db, "--html", file]);
  expect(result).toEqual({ exitCode: 0, stdout: "", stderr: `Written to ${file}\n` });
  const again = await runProgram(["threads", "show", thread, ...db, "--html", file]);
  expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("it exists already. Give the name") });
  return file;
}

const attack = [
  "<script>document.title = 'drawn'; fetch('http://127.0.0.1:9/a')</script>",
  "<img src=http://127.0.0.1:9/b onerror=\"document.title='drawn'\">",
  "</pre></title></style><svg onload=alert(1)><a href=javascript:alert(1)>x</a>",
  "\"><iframe srcdoc='x'></iframe><style>@import url(http://127.0.0.1:9/c)</style>\u202e\u0007",
].join(" ");

const hasBrowser = needs(browserPath !== undefined, "The page of a thread is not tried: there is no Chromium.");

/** The page of a thread in a real browser. */
describe.runIf(hasBrowser)("the page of a thread, in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());

  /** Opens a page. Returns it, with all that it asked for, and its complaints. */
  async function open(file: string) {
    const page = await browser.newPage();
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => void asked.push(request.url()));
    page.on("console", (message) => void complaints.push(message.text()));
    page.on("pageerror", (error) => void complaints.push(error.message));
    page.on("dialog", (dialog) => void complaints.push(dialog.message()));
    await page.goto(pathToFileURL(file).href);
    return { page, asked, complaints };
  }

  test("shows questions, answers, steps, prompts, times and the path through the graph, and sends no request", async () => {
    const file = await pageOf("roots", [squareRoot], squareRootReplies);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { page, asked, complaints } = await open(file);
    const text = await page.locator("body").innerText();
    expect(text).toContain(`1. ${squareRoot}`);
    expect(text).toContain("The square root of 25 is 5.");
    expect(text).toMatch(/answered · 2 model calls · [\d,]+ tokens/);
    expect(await page.locator("summary", { hasText: "Prompt to" }).count()).toBe(2);
    expect(await page.locator("svg").nth(0).getAttribute("aria-label")).toBe(
      "The way through the graph: start, rephrase-question, plan, parse, act, plan, parse, end",
    );
    expect(await page.locator("svg").nth(0).locator(".box").count()).toBe(6);
    expect(await page.locator("svg").nth(1).locator(".bar").count()).toBe(7);
    await page.locator("summary", { hasText: "act" }).first().click();
    await expect.poll(() => page.locator("details[open] h4", { hasText: "intermediateSteps" }).isVisible()).toBe(true);
    expect(await page.evaluate('getComputedStyle(document.querySelector("h2")).borderTopStyle')).toBe("solid");
    expect([asked, complaints]).toEqual([[pathToFileURL(file).href], []]);
  });

  test("hides nothing of a call, and leaves emojis in words", async () => {
    const hidden = "2+2\u{e0101}\u3164\u007f";
    const replies = [` So.\nAction: calculator\nAction Input: ${hidden}`, " So.\nFinal Answer: 4 ❤️"];
    const file = await pageOf("hidden", ["Sum? ❤️"], replies);
    const html = await readFile(file, "utf8");
    expect(html).not.toMatch(/[\u{e0101}\u3164\u007f]/u);
    const { page } = await open(file);
    const shown = await page.locator("pre", { hasText: String.raw`2+2\u{e0101}\u{3164}\u{7f}` }).count();
    expect(shown).toBeGreaterThan(2);
    expect(await page.locator(".said").innerText()).toBe("4 ❤️");
  });

  test("shows a hostile thread as text", async () => {
    const hostile = ` ${attack}\nAction: calculator\nAction Input: ${attack}`;
    const file = await pageOf("hostile", [attack, "And?"], [hostile, ` Yes\nFinal Answer: ${attack}`, attack, attack]);
    const { page, asked, complaints } = await open(file);
    await page.waitForTimeout(300);
    expect(await page.locator("script, img, iframe, a, [onload], [onerror], [style]").count()).toBe(0);
    expect(await page.locator("style").count()).toBe(1);
    expect(await page.title()).not.toBe("drawn");
    expect(await readFile(file, "utf8")).not.toMatch(/[\u202e]|[^\P{Cc}\n\t]/u);
    expect(await page.locator("h2").first().innerText()).toContain(String.raw`\u{202e}\u{7}`);
    expect([asked, complaints]).toEqual([[pathToFileURL(file).href], []]);
  });
});
