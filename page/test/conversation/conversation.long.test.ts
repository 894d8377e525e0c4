import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, openBrowser, openPage, type WatchedPage } from "../demo/browser.js";
import { type Demo, startDemo } from "../demo/demo.js";
import { questions } from "../demo/replies.js";
import { demoClient, makeThread } from "../demo/threads.js";

/** So long a page may take for what a person waits for, on a busy machine. */
const PATIENCE = { timeout: 90_000 };

describe.skipIf(browserPath === undefined)("The conversation in a browser", () => {
  let demo: Demo;
  let browser: Browser;
  beforeAll(async () => {
    [demo, browser] = await Promise.all([startDemo({ pace: 30 }), openBrowser()]);
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
    await demo?.[Symbol.asyncDispose]();
  });

  /** Opens a thread, or the beginning of a new one, does something, and looks whether the page did what it should not. */
  async function withPage(
    thread: string | undefined,
    look: (page: Page, talk: Locator) => Promise<void>,
  ): Promise<void> {
    const watched: WatchedPage = await openPage(browser, `${demo.url}${thread ? `#/threads/${thread}` : ""}`);
    try {
      await look(watched.page, watched.page.locator(".talk"));
      expect(watched).toMatchObject({ complaints: [], elsewhere: [] });
    } finally {
      await watched.page.context().close();
    }
  }
  const ask = async (page: Page, question: string) => {
    await page.locator(".composer textarea").fill(question);
    await page.locator(".composer textarea").press("Enter");
  };
  const answerOf = (page: Page) => page.locator(".turn").last().locator(".markdown").last();

  test("a question is answered word by word, also over a reload in the middle, each word once", () =>
    withPage(undefined, async (page, talk) => {
      await talk.getByLabel("Agent").selectOption("trips");
      await ask(page, questions.story);
      await talk.getByText("1875").waitFor(PATIENCE);
      expect(await answerOf(page).innerText()).not.toContain("The end.");
      await page.reload();
      await talk.getByText("The end.").waitFor(PATIENCE);
      const words = await page.locator(".turn").innerText();
      expect(words.match(/The end\.|1875|It took 34 years/g)).toEqual(["It took 34 years", "1875", "The end."]);
    }));

  test("a turn is stopped, asked again, and a second question waits in sight", () =>
    withPage(undefined, async (page, talk) => {
      await talk.getByLabel("Agent").selectOption("trips");
      await ask(page, questions.story);
      await talk.getByText("It took 34 years").waitFor(PATIENCE);
      await talk.getByRole("button", { name: "Stop" }).click();
      await talk.getByRole("button", { name: "Ask again" }).click(PATIENCE);
      await talk.getByRole("button", { name: "Stop" }).waitFor(PATIENCE);
      await ask(page, questions.cut);
      await talk.getByText("Waits its turn:").waitFor(PATIENCE);
      await talk.getByText("The token limit cut this answer off.").waitFor(PATIENCE);
      expect(await page.locator(".turn h2").allInnerTexts()).toEqual([questions.story, questions.cut]);
    }));

  test("the newest turn is answered again", async () => {
    const thread = await makeThread(demo.url, "answered");
    await withPage(thread, async (page, talk) => {
      await talk.getByRole("button", { name: "Again", exact: true }).click(PATIENCE);
      await talk.getByRole("button", { name: "Stop" }).waitFor(PATIENCE);
      await talk.getByRole("button", { name: "Again", exact: true }).waitFor(PATIENCE);
      expect(await page.locator(".turn").count()).toBe(1);
      expect(await answerOf(page).innerText()).toContain("Take train 62");
    });
  });

  test("calls are refused with words and approved, by keyboard", async () => {
    const thread = await makeThread(demo.url, "copied");
    await withPage(thread, async (page, talk) => {
      await page.locator(".card").waitFor(PATIENCE);
      await page.keyboard.press("r");
      await page.keyboard.type("look at the order");
      await page.reload();
      await page.locator(".card textarea").waitFor(PATIENCE);
      expect(await page.locator(".card textarea").inputValue()).toBe("look at the order");
      await page.keyboard.press("r");
      await page.keyboard.press("Enter");
      await talk.getByText("you refused it: look at the order").waitFor(PATIENCE);
      await talk.getByText("2 of 2").waitFor(PATIENCE);
      await page.keyboard.press("a");
      await page.keyboard.press("Enter");
      await talk.getByText("You approved it.").waitFor(PATIENCE);
      await page.keyboard.press("a");
      await page.keyboard.press("Enter");
      await talk.getByText("The refund is made").waitFor(PATIENCE);
    });
  });

  test("a question of the model is answered", async () => {
    const thread = await makeThread(demo.url, "asked");
    await withPage(thread, async (_, talk) => {
      await talk.getByLabel("Your answer").fill("the blue one");
      await talk.getByLabel("Your answer").press("Enter");
      await talk.getByText("Thank you.").waitFor(PATIENCE);
    });
  });

  test("what somebody else decided first is told, and what was typed stays", async () => {
    const thread = await makeThread(demo.url, "waiting");
    await withPage(thread, async (page, talk) => {
      await page.locator(".card").first().waitFor(PATIENCE);
      await page.keyboard.press("r");
      await page.keyboard.type("I think");
      await demoClient(demo.url).decide("support", thread, {});
      const card = talk.getByLabel("Decided by somebody else");
      await card.waitFor(PATIENCE);
      await expect.poll(() => card.innerText(), PATIENCE).toContain("refund: you approved it.");
      expect(await card.locator("textarea").inputValue()).toBe("I think");
    });
  });

  test("a turn goes on after a limit", async () => {
    const thread = await makeThread(demo.url, "limit");
    await withPage(thread, async (_, talk) => {
      await talk.getByRole("button", { name: "Go on" }).click(PATIENCE);
      await talk.getByRole("button", { name: "Again", exact: true }).waitFor(PATIENCE);
    });
  });
});
