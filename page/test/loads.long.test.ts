import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startLocalServer } from "../../test/helpers/local-server.js";
import { needs } from "../../test/helpers/needs.js";
import { browserPath, openBrowser, openPage } from "./demo/browser.js";
import { type Demo, startDemo } from "./demo/demo.js";
import { makeThread } from "./demo/threads.js";

const hasBrowser = needs(browserPath !== undefined, "The page is not tried: there is no Chromium.");

describe.runIf(hasBrowser)("the page of `glassloop serve`, in Chromium", () => {
  let demo: Demo;
  let browser: Browser;
  let thread: string;
  beforeAll(async () => {
    demo = await startDemo({ pace: 1 });
    browser = await openBrowser();
    thread = await makeThread(demo.url, "answered");
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await demo?.[Symbol.asyncDispose]();
  });

  test.each([
    ["at its address", ""],
    ["at a thread", "#/threads/THREAD"],
    ["at a step", "#/threads/THREAD?turn=1&step=2&part=prompt"],
    ["at a thread that does not exist", "#/threads/none?turn=7&step=3"],
    ["at an address that nobody has made", "#/threads/%E0%A4%A?turn=-1"],
  ])("%s has no errors, breaks no rule of its content security, and asks nobody else", async (_, fragment) => {
    const { page, complaints, elsewhere } = await openPage(browser, demo.url + fragment.replace("THREAD", thread), {
      expected: /the server responded with a status of 404/,
    });
    await expect.poll(() => page.locator("body").innerText()).toContain("How long does the train");
    expect([complaints, elsewhere]).toEqual([[], []]);
    await page.context().close();
  });

  test("its content security refuses code in the page, and code of others", async () => {
    const { page, complaints } = await openPage(browser, demo.url);
    await page.evaluate(`
      document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='document.title=1'><style>*{color:red}</style>");
      const script = document.createElement("script");
      script.src = "http://127.0.0.1:9/code.js";
      document.body.append(script);
    `);
    await expect.poll(() => complaints.filter((text) => text.includes("Content Security Policy"))).toHaveLength(3);
    expect(await page.title()).not.toBe("1");
    await page.context().close();
  });

  test("no page of others can show it in a frame", async () => {
    await using other = await startLocalServer((_, response) => {
      response.setHeader("Content-Type", "text/html").end(`<iframe src="${demo.url}"></iframe>`);
    });
    const { page, complaints } = await openPage(browser, other.origin);
    await expect.poll(() => complaints.join()).toContain("frame-ancestors 'none'");
    await page.context().close();
  });
});
