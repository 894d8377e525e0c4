import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { ChatOpenAI } from "@langchain/openai";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listen } from "../../src/cli/serve/node-server.js";
import { askHuman, calculator, createAgent, openThreads } from "../../src/index.js";
import { serveAgents } from "../../src/server/index.js";
import { held } from "../helpers/held.js";
import { needs } from "../helpers/needs.js";
import { type OpenAIServer, type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";
import { browserPath, serveChatPage } from "./chat-page.js";

const sum = sumOf("2+2");
const question: ServerReply = { text: "I ask.", toolCalls: [{ name: "ask_human", args: { question: "For when?" } }] };

function sumOf(expression: string): ServerReply {
  return { text: "I calculate.", toolCalls: [{ name: "calculator", args: { expression } }] };
}

/** The replies of the model to questions, in order. A question that is made to stand on its own stays as it is. */
const script: ServerReply[] = [];

function reply(prompt: string): ServerReply {
  const [, followUp] = /^Follow Up Input: (.*)$/m.exec(prompt) ?? [];
  return followUp ?? script.shift() ?? { status: 500, message: "The script has ended." };
}

let model: OpenAIServer;
let server: AsyncDisposable & { readonly url: string };
let site: Awaited<ReturnType<typeof serveChatPage>>;
let browser: Browser;
let address: string;

/** Serves an agent that asks a person before each call. @param page The site of the page. */
async function startServer(page: string): Promise<typeof server> {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-chat-"));
  const threads = await openThreads(`sqlite:${folder}/threads.db`);
  const configuration = { baseURL: model.url };
  const agent = createAgent({
    model: new ChatOpenAI({ model: "gpt-4o-mini", apiKey: "key", configuration, maxRetries: 0 }),
    tools: [calculator(), askHuman()],
    approve: "always",
  });
  const listening = await listen({ host: "localhost", port: 0 });
  const served = await serveAgents({ agents: { agent }, threads, origins: [page] });
  listening.serve(served);
  return {
    url: `http://localhost:${listening.port}`,
    async [Symbol.asyncDispose]() {
      await served.close(0);
      await listening[Symbol.asyncDispose]();
      await threads.close();
      await rm(folder, { recursive: true });
    },
  };
}

const hasBrowser = needs(browserPath !== undefined, "The chat page is not tried: there is no Chromium.");

/** The chat page in a real browser, before our server. Without Chromium (Debian: `apt install chromium`) it is left out. */
describe.runIf(hasBrowser)("the chat page, in Chromium", () => {
  beforeAll(async () => {
    model = await startOpenAIServer(({ body }) => reply(String(body.messages.at(-1)?.content)));
    site = await serveChatPage();
    server = await startServer(site.url);
    browser = await chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] });
    address = `${site.url}/?server=${encodeURIComponent(server.url)}`;
  }, 600_000);

  beforeEach(() => void script.splice(0));

  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    await model?.close();
  });

  async function open(url = address): Promise<{ page: Page; hosts: Set<string>; problems: string[] }> {
    const page = await browser.newPage();
    page.setDefaultTimeout(100_000);
    const hosts = new Set<string>();
    const problems: string[] = [];
    page.on("request", (request) => hosts.add(new URL(request.url()).hostname));
    page.on("pageerror", ({ message }) => problems.push(message));
    await page.goto(url);
    return { page, hosts, problems };
  }

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const askButton = (page: Page) => button(page, "Ask");
  const saidIn = async (page: Page) => {
    const texts = await page.locator("li p, li code, li pre").allInnerTexts();
    return texts.map((text) => text.trim());
  };

  async function ask(page: Page, question: string): Promise<void> {
    await page.getByLabel("Question", { exact: true }).fill(question);
    await askButton(page).click();
  }

  /** Waits for an answer, and for the end of its run. */
  async function answered(page: Page, answer: string): Promise<void> {
    await page.getByText(answer, { exact: true }).waitFor();
    await askButton(page).waitFor();
  }

  test("shows tokens as they come, steps and an approval in the second turn, and sends no other request", async () => {
    const { page, hosts, problems } = await open();
    const { hold, release } = held();
    script.push({ text: "Hello to you, and to all.", hold }, sum, "It is four.");
    await ask(page, "Hello?");
    await page.getByText(/^Hello to/).waitFor();
    expect(await page.getByText("Hello to you, and to all.").count()).toBe(0);
    release();
    await answered(page, "Hello to you, and to all.");
    await ask(page, "What is 2+2?");
    await button(page, "Approve").waitFor();
    expect(await saidIn(page)).toEqual([
      "Hello?",
      "Hello to you, and to all.",
      "What is 2+2?",
      "I calculate.",
      'calculator({"expression":"2+2"})',
    ]);
    await button(page, "Approve").click();
    await answered(page, "It is four.");
    expect((await saidIn(page)).slice(3)).toEqual([
      "I calculate.",
      'calculator({"expression":"2+2"})',
      "4",
      "It is four.",
    ]);
    expect([...hosts]).toEqual(["localhost"]);
    expect(problems).toEqual([]);
  });

  test("runs an edited call, refuses a call with a reason, and answers a question with text", async () => {
    const { page, problems } = await open();
    script.push(sumOf("2+2\u200b"), "It is six.");
    await ask(page, "What is 2+2?");
    const input = page.getByLabel("Input", { exact: true });
    expect(await input.inputValue()).toBe('{"expression":"2+2\\u200b"}');
    await input.fill('{"expression":');
    expect(await button(page, "Run as edited").isDisabled()).toBe(true);
    await input.fill('{"expression":3}');
    await button(page, "Run as edited").click();
    await page.getByText(/^The new input does not fit calculator/).waitFor();
    await input.fill('{"expression":"3+3"}');
    await button(page, "Run as edited").click();
    await answered(page, "It is six.");
    script.push(sum, "Then not.");
    await ask(page, "And 2+2?");
    await page.getByLabel("Words", { exact: true }).fill("Not today.");
    await button(page, "Refuse").click();
    await answered(page, "Then not.");
    script.push(question, "Booked.");
    await ask(page, "A table, please.");
    await page.getByLabel("Words", { exact: true }).fill("Tonight at 8.");
    await button(page, "Answer").click();
    await answered(page, "Booked.");
    const [edited, refused, answer] = await page.locator("li.tool pre").allInnerTexts();
    expect(edited).toMatch(/^6\s.*A person changed the input/);
    expect(refused).toContain("A person refused this call of calculator: Not today.");
    expect(answer).toBe("Tonight at 8.");
    expect(problems).toEqual([]);
  });

  test("accepts the first decision about a call, and shows an error for another one", async () => {
    const { page } = await open();
    script.push(sum, "It is four.");
    await ask(page, "What is 2+2?");
    await button(page, "Approve").waitFor();
    const { page: second } = await open(page.url());
    await button(second, "Approve").waitFor();
    await button(page, "Approve").dblclick();
    await answered(page, "It is four.");
    script.push(sumOf("3+3"), "It is six.");
    await ask(page, "And 3+3?");
    await button(page, "Approve").waitFor();
    await button(second, "Approve").click();
    await second.getByText(/^Your decision was not taken\. .* is answered already/).waitFor();
    await second.locator("fieldset").getByText('calculator({"expression":"3+3"})').waitFor();
    await Promise.all([page, second].map((tab) => button(tab, "Approve").click()));
    await Promise.all([page, second].map((tab) => answered(tab, "It is six.")));
    const alerts = await Promise.all([page, second].map((tab) => tab.getByRole("alert").allInnerTexts()));
    expect(alerts.flat()).toEqual([expect.stringMatching(/^Your decision was not taken\./)]);
    for (const tab of [page, second]) expect(await tab.locator("li.tool pre").allInnerTexts()).toEqual(["4", "6"]);
    expect(script).toEqual([]);
  });

  test("edits a question, answers again, and switches between the branches", async () => {
    const { page, problems } = await open();
    script.push("One.", "Two.", "Two again.");
    await ask(page, "First?");
    await answered(page, "One.");
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Edited question").fill("Second?");
    await page.getByRole("button", { name: "Send" }).click();
    await answered(page, "Two.");
    expect(await saidIn(page)).toEqual(["Second?", "Two."]);
    await page.getByRole("button", { name: "Answer again" }).click();
    await answered(page, "Two again.");
    expect(await saidIn(page)).toEqual(["Second?", "Two again."]);
    script.push(sum, "It is four.");
    await ask(page, "What is 2+2?");
    await button(page, "Approve").click();
    await answered(page, "It is four.");
    expect((await saidIn(page)).slice(0, 4)).toEqual(["Second?", "Two again.", "What is 2+2?", "I calculate."]);
    await page.locator("li.human").first().getByRole("button", { name: "Earlier branch" }).click();
    await page.getByText("One.", { exact: true }).waitFor();
    expect(await saidIn(page)).toEqual(["First?", "One."]);
    await page.locator("li.human").first().getByRole("button", { name: "Later branch" }).click();
    await page.getByText("Two again.", { exact: true }).waitFor();
    await page.locator("li.ai").first().getByRole("button", { name: "Earlier branch" }).click();
    await page.getByText("Two.", { exact: true }).waitFor();
    expect(await saidIn(page)).toEqual(["Second?", "Two."]);
    expect(problems).toEqual([]);
  });

  test("shows the rest once after a reload in the middle of a run", async () => {
    const { page, problems } = await open();
    const answer = "This answer is long, so that it is still on its way when the page is loaded again.";
    const { hold, release } = held();
    script.push({ text: answer, hold });
    await ask(page, "Long?");
    await page.getByText(/^This answer/).waitFor();
    await page.reload();
    release();
    await answered(page, answer);
    expect(await saidIn(page)).toEqual(["Long?", answer]);
    expect(problems).toEqual([]);
  });

  test("stops a run, and goes on with the next question", async () => {
    const { page, problems } = await open();
    script.push({ text: "This answer is never said to its end.", hold: new Promise(() => {}) }, "Better.");
    await ask(page, "Long?");
    await page.getByText(/^This answer/).waitFor();
    await button(page, "Stop").click();
    await ask(page, "And now?");
    await answered(page, "Better.");
    const runs = new Client({ apiUrl: server.url }).runs.list(new URL(page.url()).searchParams.get("thread") ?? "");
    expect((await runs).map(({ status }) => status).sort()).toEqual(["interrupted", "success"]);
    const said = await saidIn(page);
    expect([said.at(0), said.slice(-2)]).toEqual(["Long?", ["And now?", "Better."]]);
    expect(problems).toEqual([]);
  });

  test("shows an error, and goes on", async () => {
    const { page } = await open();
    script.push({ status: 401, message: "Incorrect API key provided." }, "Better.");
    await ask(page, "Hello?");
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("API key");
    await ask(page, "And now?");
    await answered(page, "Better.");
    script.push(sum, { status: 401, message: "Incorrect API key provided." });
    await ask(page, "What is 2+2?");
    await button(page, "Approve").click();
    await page.getByRole("alert").waitFor();
    await page.getByText("4", { exact: true }).waitFor();
    // The decision was taken, and its call has run.
    expect(await page.getByRole("alert").innerText()).toMatch(/^(?!Your decision).*API key/);
    expect(await button(page, "Approve").count()).toBe(0);
  });
});
