import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../test/helpers/needs.js";
import { browserPath, openBrowser, openPage, type WatchedPage } from "./demo/browser.js";
import { type Demo, startDemo } from "./demo/demo.js";
import { questions } from "./demo/replies.js";
import { demoClient, type Kind, makeThreads } from "./demo/threads.js";

const hasBrowser = needs(browserPath !== undefined, "The page is not tried: there is no Chromium.");

/** The whole page in a real browser, before a real server. */
describe.runIf(hasBrowser)("the page, in Chromium", () => {
  let demo: Demo;
  let threads: Record<Kind, string>;
  let browser: Browser;
  beforeAll(async () => {
    [demo, browser] = await Promise.all([startDemo({ pace: 25 }), openBrowser()]);
    threads = await makeThreads(demo.url);
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
    await demo?.[Symbol.asyncDispose]();
  });

  /** Opens the page at an address, and closes it after a use. It must not have complained, nor asked elsewhere. */
  async function use(
    address: string,
    action: (page: Page) => Promise<void>,
    options: BrowserContextOptions & { readonly expected?: RegExp } = {},
  ): Promise<void> {
    const watched: WatchedPage = await openPage(browser, `${demo.url}#/${address}`, options);
    try {
      await action(watched.page);
      expect(watched).toMatchObject({ complaints: [], elsewhere: [] });
    } finally {
      await watched.page.context().close();
    }
  }
  const rows = (page: Page) => page.locator(".thread");
  const row = (page: Page, kind: Kind) => page.locator(`.thread[data-thread="${threads[kind]}"]`);
  const head = (page: Page) => page.locator(".top h1");
  const field = (page: Page) => page.locator(".talk textarea");
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.closest("[class]")?.className ?? "");
  const place = (page: Page) => page.evaluate(() => location.hash);

  test("lists the threads, those that wait for a person first", () =>
    use("", async (page) => {
      await rows(page).first().waitFor();
      expect(await page.locator(".threads h2").allInnerTexts()).toEqual(["Waits for you · 3", "Today"]);
      expect(await rows(page).first().innerText()).toMatch(/calls? waits?/);
      expect(await row(page, "limit").innerText()).toMatch(/at a limit\s+\d\d:\d\d\s+\$0\.\d+/);
      expect(await row(page, "failedModel").innerText()).toContain("failed");
      expect(await page.locator(".threads footer").innerText()).toBe(`${new URL(demo.url).host} · 0.1.0`);
    }));

  test("opens a thread by a click and by its address, and Back comes back", async () => {
    await use("", async (page) => {
      await row(page, "limit").click();
      await expect.poll(() => head(page).innerText()).toBe(questions.train);
      expect(await place(page)).toBe(`#/threads/${threads.limit}`);
      expect(await row(page, "limit").getAttribute("aria-current")).toBe("true");
      expect(await page.title()).toBe(`● at a limit – ${questions.train}`);
      await page.locator(".line", { hasText: "fares" }).first().click();
      await expect.poll(() => place(page)).toMatch(/\?turn=\d&step=\d$/);
      await expect.poll(() => focused(page)).toContain("step");
      await page.goBack();
      await page.goBack();
      await expect.poll(() => head(page).innerText()).toBe("Glassloop");
      await page.goForward();
      await expect.poll(() => head(page).innerText()).toBe(questions.train);
    });
    await use(`threads/${threads.limit}?turn=1&step=2`, async (page) => {
      await expect.poll(() => page.locator(".step-pane h2").first().innerText()).toBe("Step 2");
      await expect.poll(() => page.locator(".line[aria-current]").first().innerText()).toContain("could not be read");
    });
  });

  test("shows a thread of the list that its address names, and marks it", async () => {
    await using many = await startDemo({ pace: 0 });
    const client = demoClient(many.url);
    const first = await client.newThread();
    for (let count = 0; count < 60; count++) await client.newThread();
    const { page } = await openPage(browser, `${many.url}#/threads/${first}`);
    await rows(page).first().waitFor();
    await rows(page).first().focus();
    await page.keyboard.press("End");
    await expect.poll(() => page.locator(".thread:focus").count()).toBe(1);
    await expect
      .poll(async () => {
        await page.keyboard.press("End");
        return page.locator(".thread:focus").getAttribute("data-thread");
      })
      .toBe(first);
    expect(await page.locator(".thread:focus").getAttribute("aria-current")).toBe("true");
    await page.context().close();
  });

  test("says which thread is not there, with a way back", () =>
    use(
      "threads/nowhere",
      async (page) => {
        await page.locator(".talk", { hasText: "This thread cannot be shown" }).waitFor();
        await page.getByRole("button", { name: "To the threads" }).click();
        await expect.poll(() => focused(page)).toBe("thread");
      },
      { expected: /404/ },
    ));

  test("says that a thread was deleted while it is shown", () =>
    use(
      "",
      async (page) => {
        const client = demoClient(demo.url);
        const thread = await client.newThread();
        await page.goto(`${demo.url}#/threads/${thread}`);
        await page.locator(`.thread[data-thread="${thread}"]`).waitFor();
        await fetch(new URL(`threads/${thread}`, demo.url), { method: "DELETE" });
        await page.getByText("This thread was deleted.").waitFor();
        await expect.poll(() => page.locator(`.thread[data-thread="${thread}"]`).count()).toBe(0);
      },
      { expected: /404/ },
    ));

  test("shows the messages of a graph that is no agent", async () => {
    await using other = await startDemo({ agents: "other-graph.mjs" });
    const thread = await demoClient(other.url).ask("echo", "Hello?");
    const { page, complaints } = await openPage(browser, `${other.url}#/threads/${thread}`);
    await page.getByText("The graph of this thread is no agent of Glassloop").waitFor();
    expect(await page.locator(".talk article").allInnerTexts()).toEqual(["human\nHello?", "ai\nI heard: Hello?"]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("keeps what is shown when a part of the page breaks", () =>
    use(
      `threads/${threads.limit}`,
      async (page) => {
        await page.route("**/glassloop/threads?*", async (route) => {
          const response = await route.fetch();
          const { threads: listed, ...rest } = await response.json();
          const broken = listed.map((thread: object) => ({ ...thread, title: { no: "text" } }));
          await route.fulfill({ response, json: { ...rest, threads: broken } });
        });
        await page.reload();
        await page.getByRole("alert").filter({ hasText: "The list of threads cannot be shown" }).waitFor();
        await page.locator(".line", { hasText: "fares" }).first().waitFor();
        await page.unroute("**/glassloop/threads?*");
        await page.getByRole("button", { name: "Load the page again" }).click();
        await rows(page).first().waitFor();
      },
      { expected: /Minified React error|valid as a React child/ },
    ));

  test("searches the texts of the threads", () =>
    use("", async (page) => {
      await rows(page).first().waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("/");
      await page.keyboard.type("cube", { delay: 20 });
      await expect.poll(() => rows(page).count()).toBe(2);
      await page.keyboard.type(" zebra");
      await page.getByText("Nothing found for “cube zebra”.").waitFor();
      expect(await rows(page).count()).toBe(0);
      await page.locator("#thread-search").fill("");
      await expect.poll(() => rows(page).count()).toBeGreaterThan(5);
    }));

  test("follows in a second tab what is asked in the first", () =>
    use("", (first) =>
      use("", async (second) => {
        await rows(second).first().waitFor();
        const before = await rows(second).evaluateAll((all) => all.map((one) => one.getAttribute("data-thread")));
        await first.locator("select").selectOption("trips");
        await field(first).fill(questions.story);
        await field(first).press("Enter");
        await expect.poll(() => head(first).innerText()).toBe(questions.story);
        const id = decodeURIComponent((await place(first)).replace("#/threads/", ""));
        expect(before).not.toContain(id);
        const made = second.locator(`.thread[data-thread="${id}"]`);
        await expect.poll(() => made.innerText()).toContain("running");
        await made.click();
        await second.locator(".turn", { hasText: "It took 34 years" }).waitFor();
        expect(await second.locator(".turn", { hasText: "The end." }).count()).toBe(0);
        await second.locator(".turn", { hasText: "The end." }).waitFor();
        for (const page of [first, second]) {
          await expect.poll(() => page.locator(".top .chip").innerText()).toBe("Answered");
          await expect.poll(() => page.locator(".only-spoken[role=status]").innerText()).toBe("Answered.");
        }
        const texts = () => Promise.all([first, second].map((page) => page.locator("article.turn").innerText()));
        await expect.poll(async () => new Set(await texts()).size).toBe(1);
      }),
    ));

  test("stays readable when the server is killed in the middle of words, and goes on when it is back", () =>
    use(
      "",
      async (page) => {
        await page.locator("select").selectOption("trips");
        await field(page).fill(questions.story);
        await field(page).press("Enter");
        await page.locator(".turn", { hasText: "It took 34 years" }).waitFor();
        await demo.kill();
        await page
          .locator(".server-bar", { hasText: `The server at ${new URL(demo.url).host} does not answer.` })
          .waitFor();
        await expect.poll(() => page.locator(".server-bar").innerText()).toMatch(/Trying again/);
        expect(await page.locator(".talk").innerText()).toContain("It took 34 years");
        await demo.restart();
        await page
          .getByRole("button", { name: "Try now" })
          .click({ timeout: 5000 })
          .catch(() => {});
        await expect.poll(() => page.locator(".server-bar").count()).toBe(0);
        await page.locator(".turn", { hasText: "The end." }).waitFor();
        await expect.poll(() => page.locator(".top .chip").innerText()).toBe("Answered");
        const text = await page.locator(".talk").innerText();
        for (const words of ["It took 34 years", "In numbers", "Who has seen Finse", "The end."])
          expect(text.split(words)).toHaveLength(2);
      },
      { expected: /ERR_|Failed to (?:load|fetch)|network/i },
    ));

  test("goes from the list to a part of a step and back with keys only", () =>
    use("", async (page) => {
      await rows(page).first().waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("g");
      await page.keyboard.press("t");
      expect(await focused(page)).toBe("thread");
      for (let turns = 0; !(await row(page, "refunded").evaluate((one) => one === document.activeElement)); turns++) {
        expect(turns).toBeLessThan(20);
        await page.keyboard.press("ArrowDown");
      }
      await page.keyboard.press("Enter");
      await expect.poll(() => head(page).innerText()).toBe(questions.broken);
      await page.locator(".line").first().waitFor();
      await page.keyboard.press("j");
      await expect.poll(() => page.locator(".step-pane h2").first().innerText()).toBe("Step 1");
      await page.keyboard.press("j");
      await expect.poll(() => page.locator(".step-pane h2").first().innerText()).toBe("Step 2");
      await page.keyboard.press("4");
      await expect.poll(() => place(page)).toMatch(/step=2&part=calls$/);
      await page.keyboard.press("Escape");
      await expect.poll(() => place(page)).toMatch(/step=2$/);
      await page.keyboard.press("k");
      await expect.poll(() => place(page)).toMatch(/step=1$/);
      await page.keyboard.press("Escape");
      await expect.poll(() => place(page)).toMatch(/turn=1$/);
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      await page.keyboard.press("j");
      await page.keyboard.press("Escape");
      await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
      expect(await place(page)).toMatch(/turn=1$/);
    }));

  test("has one pane and four tabs on a narrow page", () =>
    use(
      "?part=threads",
      async (page) => {
        const shown = async () => {
          const panes = { threads: ".threads", talk: ".talk", loop: ".loop-pane", step: ".step-pane" };
          const seen = await Promise.all(
            Object.entries(panes).map(async ([name, pane]) => ((await page.locator(pane).isVisible()) ? [name] : [])),
          );
          return seen.flat();
        };
        const tab = () => page.locator(".tabs [aria-current]").innerText();
        await row(page, "limit").click();
        await expect.poll(shown).toEqual(["talk"]);
        expect(await tab()).toBe("Talk");
        await page.locator(".line", { hasText: "fares" }).first().click();
        await expect.poll(shown).toEqual(["step"]);
        await page.goBack();
        await expect.poll(shown).toEqual(["talk"]);
        for (const pane of ["Loop", "Step", "Threads", "Talk"]) {
          await page.locator(".tabs").getByRole("button", { name: pane }).click();
          await expect.poll(shown).toEqual([pane.toLowerCase()]);
          expect(await tab()).toBe(pane);
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
        }
      },
      { viewport: { width: 360, height: 740 } },
    ));

  test("shows the threads over the conversation where they have no room of their own", () =>
    use(
      `threads/${threads.limit}`,
      async (page) => {
        await expect.poll(() => head(page).innerText()).toBe(questions.train);
        expect(await page.locator(".threads").isVisible()).toBe(false);
        await page.locator(".top").getByRole("button", { name: "Threads" }).click();
        await expect.poll(() => focused(page)).toBe("thread");
        await page.keyboard.press("Escape");
        await expect.poll(() => page.locator(".threads").isVisible()).toBe(false);
        expect(await place(page)).toBe(`#/threads/${threads.limit}`);
      },
      { viewport: { width: 1000, height: 740 } },
    ));

  test("offers no question to somebody who may only read", () =>
    use("", async (page) => {
      await page.route("**/glassloop/about*", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), caller: { may: ["read"] } } });
      });
      await page.reload();
      await row(page, "waiting").click();
      await page.locator(".line").first().waitFor();
      expect(await field(page).count()).toBe(0);
      expect(await page.getByRole("button", { name: /^(?:Ask|Approve|Refuse|Again)/ }).count()).toBe(0);
    }));

  test("asks for the key of the server, says when it is wrong, and keeps it for the tab", async () => {
    await using locked = await startDemo({ pace: 1, env: { GLASSLOOP_SERVER_KEY: "right" } });
    const { page, complaints } = await openPage(browser, `${locked.url}#/threads/t1`, { expected: /401|404/ });
    await page.getByLabel(/asks for a key/).fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByText("The server does not take this key.").waitFor();
    await page.getByLabel(/asks for a key/).fill("right");
    await page.keyboard.press("Enter");
    await page.getByText("No threads yet").waitFor();
    expect(await place(page)).toBe("#/threads/t1");
    await page.reload();
    await page.getByText("No threads yet").waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
