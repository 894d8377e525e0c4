import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../test/helpers/needs.js";
import { browserPath, openBrowser, openPage } from "./demo/browser.js";
import { type Demo, startDemo } from "./demo/demo.js";
import { type Kind, makeThreads } from "./demo/threads.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const hasBrowser = needs(
  browserPath !== undefined,
  "Whether the page is accessible is not tried: there is no Chromium.",
);

/** The screens of the page, by the threads of the demo and what is open in them, with a word that each shows. */
const screens: readonly (readonly [name: string, thread: Kind | undefined, place: string, shows: string])[] = [
  ["the first one", undefined, "", "Ask something"],
  ["an answered thread", "answered", "", "Take train 62"],
  ["a reply that could not be read", "answered", "?turn=1&step=2&part=reply", "could not be read"],
  ["a prompt", "answered", "?turn=1&step=3&part=prompt", "Prompt"],
  ["a limit", "limit", "?turn=2", "Stopped at a limit"],
  ["Markdown", "story", "", "The end."],
  ["an answer that was cut off", "cut", "", "Hønefoss"],
  ["a failed model", "failedModel", "", "refused the API key"],
  ["calls that a person decided on", "refunded", "?turn=1&step=4&part=calls", "44.95"],
  ["documents", "retrieval", "?turn=1&step=1", "3.05 seconds"],
  ["documents of another search", "retrieval", "?turn=2&step=1", "0.08 seconds"],
  ["nothing found", "notFound", "", "I found nothing"],
  ["a question to a person", "asked", "", "Which cup"],
  ["a call that was copied", "copied", "", "4999"],
  ["two calls that wait", "waiting", "", "order 1043"],
];

const views = [
  { width: 1280, height: 800, colorScheme: "light" },
  { width: 1280, height: 800, colorScheme: "dark" },
  { width: 360, height: 740, colorScheme: "light" },
  { width: 2560, height: 1300, colorScheme: "dark" },
] as const;

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** What axe finds in a page, one line a place. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const violations = await page.evaluate<Finding[]>("axe.run(document).then(({ violations }) => violations)");
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary = "" }) => `${impact} ${id} ${target.join(" ")}: ${failureSummary}`),
  );
}

describe.runIf(hasBrowser)("each screen of the page", () => {
  let demo: Demo;
  let browser: Browser;
  let threads: Record<Kind, string>;
  beforeAll(async () => {
    demo = await startDemo({ pace: 1 });
    browser = await openBrowser();
    threads = await makeThreads(demo.url);
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
    await demo?.[Symbol.asyncDispose]();
  });

  test.each(views)("is accessible at $width pixels in a $colorScheme scheme", async ({ colorScheme, ...viewport }) => {
    const { page, complaints, elsewhere } = await openPage(browser, demo.url, { viewport, colorScheme });
    const found: string[] = [];
    for (const [name, thread, place, shows] of screens) {
      await page.goto("about:blank");
      await page.goto(`${demo.url}${thread ? `#/threads/${threads[thread]}${place}` : ""}`);
      await expect.poll(() => page.locator("body").innerText(), { message: name }).toContain(shows);
      await expect.poll(() => page.locator("body").innerText(), { message: name }).not.toContain("Loading…");
      found.push(...(await findings(page)).map((finding) => `${name}: ${finding}`));
      const wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
      if (wide) found.push(`${name}: is wider than its window`);
    }
    await page.keyboard.press("?");
    await page.locator("dialog[open]").waitFor();
    found.push(...(await findings(page)).map((finding) => `the keys: ${finding}`));
    expect(found).toEqual([]);
    expect([complaints, elsewhere]).toEqual([[], []]);
    await page.context().close();
  });

  test("is accessible when it asks for a key", async () => {
    await using locked = await startDemo({ env: { GLASSLOOP_SERVER_KEY: "a-key-of-the-demo" } });
    const { page, elsewhere } = await openPage(browser, locked.url, { colorScheme: "dark" });
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await page.locator("input[type=password]").count()).toBe(1);
    expect([await findings(page), elsewhere]).toEqual([[], []]);
    await page.context().close();
  });
});
