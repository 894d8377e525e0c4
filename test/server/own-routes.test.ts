import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { calculator } from "../../src/tools/calculator/calculator.js";
import { makeThread, question, type Send, served } from "./access/served.js";
import { agent } from "./engine/open-engine.js";

const calculates = " I calculate\nAction: calculator\nAction Input: 2 + 2";
const answers = (answer: string) => ` I know\nFinal Answer: ${answer}`;

/** Serves an agent with these replies, on a thread that has asked once. */
async function asked(
  ...replies: string[]
): Promise<{ readonly send: Send; readonly path: string; readonly thread: string }> {
  const { send } = await served({ agents: { agent: agent(...replies) } });
  const thread = await makeThread(send);
  await (await send("POST", `/threads/${thread}/runs/wait`, { body: question })).text();
  return { send, thread, path: `/glassloop/threads/${thread}` };
}

const blocks = z.array(z.object({ text: z.string().default("") }));
const textSchema = z.union([z.string(), blocks.transform((all) => all.map(({ text }) => text).join(""))]);

/** Starts a run of an own route, and waits for its end. Returns the messages that are in the state then. */
async function ran(send: Send, path: string, body: object = {}): Promise<string[]> {
  const started = await send("POST", path, { body });
  expect(started.status).toBe(200);
  const run = started.headers.get("Content-Location");
  const ended = z.object({ messages: z.array(z.object({ content: textSchema })) });
  return ended.parse(await (await send("GET", `${run}/join`)).json()).messages.map(({ content }) => content);
}

test("regenerate and edit run the last turn again, as runs of the thread", async () => {
  const { send, path, thread } = await asked(answers("It is 5."), answers("It is 4."), answers("It is 9."));
  expect(await ran(send, `${path}/regenerate`)).toEqual(["What is 2 + 2?", "It is 4."]);
  expect(await ran(send, `${path}/edit`, { question: "What is 3 * 3?" })).toEqual(["What is 3 * 3?", "It is 9."]);
  expect(await (await send("GET", `/threads/${thread}/runs`)).json()).toMatchObject([{}, {}, { status: "success" }]);
});

test("continue goes on with a turn that ended at a limit, and refuses one that has its answer", async () => {
  const model = scriptedModel([calculates, calculates, answers("It is 4.")]);
  const limits = { maxSteps: 1, earlyStopping: "force" } as const;
  const limited = createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false, limits });
  const { send } = await served({ agents: { agent: limited } });
  const thread = await makeThread(send);
  const ended = await send("POST", `/threads/${thread}/runs/wait`, { body: question });
  expect(await ended.json()).toMatchObject({ stopReason: "step-limit" });
  const path = `/glassloop/threads/${thread}`;
  expect((await ran(send, `${path}/continue`)).at(-1)).toContain("It is 4.");
  const refused = await send("POST", `${path}/continue`, { body: {} });
  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({ message: expect.stringContaining("did not end at a limit") });
});

test("prompts, history and statistics tell what a turn did", async () => {
  const { send, path } = await asked();
  const prompts = await (await send("GET", `${path}/prompts`)).json();
  expect(prompts).toMatchObject([{ exact: true }, { exact: true }]);
  expect(await (await send("GET", `${path}/history`)).json()).toMatchObject({ turns: [{ asked: "What is 2 + 2?" }] });
  expect(await (await send("GET", `${path}/statistics`)).json()).toMatchObject({ threads: 1, turns: 1 });
});

test("a thread without a turn of an agent has none of it", async () => {
  const { send } = await served();
  const path = `/glassloop/threads/${await makeThread(send)}`;
  for (const route of ["regenerate", "edit", "continue"]) {
    expect((await send("POST", `${path}/${route}`, { body: { question: "Why?" } })).status).toBe(404);
  }
  expect((await send("GET", `${path}/prompts`)).status).toBe(404);
});

test("a run that is refused leaves the turn ended", async () => {
  const { send, path } = await asked(...Array(20).fill(calculates));
  const before = await (await send("GET", `${path}/history`)).text();
  const refused = await send("POST", `${path}/continue`, { body: { context: { approve: "never" } } });
  expect(refused.status).toBe(422);
  expect(await (await send("GET", `${path}/history`)).text()).toBe(before);
});
