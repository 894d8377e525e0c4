import { tool } from "@langchain/core/tools";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { calculator } from "../../src/tools/calculator/calculator.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";
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

test("the events of a turn can be read after its end", async () => {
  const { send } = await served();
  const thread = await makeThread(send);
  const run = await send("POST", `/threads/${thread}/runs/wait`, { body: { ...question, stream_mode: "custom" } });
  await run.text();
  const events = await send("GET", `${run.headers.get("Content-Location")}/stream`);
  const data = (await events.text()).split("\n").filter((line) => line.startsWith("data: {"));
  const types = data.map((line) => z.object({ type: z.string().optional() }).parse(JSON.parse(line.slice(6))).type);
  expect(types).toEqual(expect.arrayContaining(["turn-start", "action", "observation", "answer", "turn-end"]));
});

test("a thread without a turn of an agent has none of it", async () => {
  const { send } = await served();
  const path = `/glassloop/threads/${await makeThread(send)}`;
  for (const route of ["regenerate", "edit", "continue", "call"]) {
    const body = { question: "Why?", tool: "calculator", input: {} };
    expect((await send("POST", `${path}/${route}`, { body })).status).toBe(404);
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

/** Serves an agent that pays, without asking anybody, on a thread that has an answer. Returns what the payments were. */
async function paying(...replies: string[]) {
  const paid: number[] = [];
  const pay = tool(({ amount }) => `paid ${paid.push(amount)}`, {
    name: "pay",
    description: "Pays.",
    schema: z.object({ amount: z.number() }),
    metadata: { effects: true },
  });
  const model = scriptedModel([answers("Hello."), ...replies]);
  const payer = createAgent({
    model,
    tools: [calculator(), pay],
    protocol: "react",
    rephrase: false,
    approve: "never",
  });
  const { send } = await served({ agents: { agent: payer } });
  const thread = await makeThread(send);
  const run = async (body: object): Promise<unknown> =>
    (await send("POST", `/threads/${thread}/runs/wait`, { body: { assistant_id: "agent", ...body } })).json();
  await run({ input: { messages: [{ role: "user", content: "Hi" }] } });
  return { send, run, paid, path: `/glassloop/threads/${thread}`, state: `/threads/${thread}/state` };
}

const requestSchema = z.looseObject({ id: z.string(), digest: z.string() });
const asksSchema = z
  .object({ __interrupt__: z.tuple([z.object({ value: z.object({ requests: z.tuple([requestSchema]) }) })]) })
  .transform(({ __interrupt__: [{ value }] }) => value.requests[0]);

const payment = { tool: "pay", input: { amount: 5 } };

/** Orders a payment. Returns what a person is asked about it. */
async function orderPayment(send: Send, path: string): Promise<z.output<typeof requestSchema>> {
  const run = (await send("POST", `${path}/call`, { body: payment })).headers.get("Content-Location");
  return asksSchema.parse(await (await send("GET", `${run}/join`)).json());
}

test.each(matrix(dialects, inReact, inToolCalls))(
  "one call is made alone after a turn of $protocol, and joins it",
  async ({ protocol, answer }) => {
    const model = scriptedModel([answer("Hello."), answer("It was 42.")]);
    const calculates = createAgent({ model, tools: [calculator()], protocol, rephrase: false });
    const { send } = await served({ agents: { agent: calculates } });
    const thread = await makeThread(send);
    const run = async (content: string): Promise<unknown> => {
      const body = { assistant_id: "agent", input: { messages: [{ role: "user", content }] } };
      return (await send("POST", `/threads/${thread}/runs/wait`, { body })).json();
    };
    await run("Hi");
    const path = `/glassloop/threads/${thread}`;
    const call = { tool: "calculator", input: { expression: "7 * 6" } };
    expect(await ran(send, `${path}/call`, call)).toEqual(["Hi", "Hello.", "", "42"]);
    expect(await (await send("GET", `/threads/${thread}/state`)).json()).toMatchObject({
      next: [],
      values: { answer: "Hello.", stopReason: "answered", intermediateSteps: [{ results: [{ observation: "42" }] }] },
    });
    expect(await (await send("GET", `${path}/prompts`)).json()).toHaveLength(1);
    expect(await run("What was it?")).toMatchObject({ answer: "It was 42.", turn: { number: 2 } });
  },
);

test("a call with effects needs a yes, whatever the agent asks about, and is then made once", async () => {
  const { send, path, run, paid } = await paying();
  const decide = ({ id, digest }: z.output<typeof requestSchema>, type: string) =>
    run({ command: { resume: { [id]: { type, digest } } } });
  const first = await orderPayment(send, path);
  expect(first).toMatchObject({ ...payment, why: expect.stringContaining("outside a turn") });
  expect((await send("POST", `${path}/call`, { body: payment })).status).toBe(409);
  await decide(first, "refuse");
  expect(paid).toEqual([]);
  const second = await orderPayment(send, path);
  expect(await decide(second, "approve")).toMatchObject({ answer: "Hello.", stopReason: "answered" });
  expect(await decide(second, "approve")).toMatchObject({ __error__: { error: "NotWaitingError" } });
  expect(paid).toEqual([5]);
});

test("a question in place of the decision about a call leaves the call undone, and the answer before it as it was", async () => {
  const { send, path, run, paid } = await paying(answers("Yes."));
  await orderPayment(send, path);
  const after = z.object({ messages: z.array(z.object({ content: textSchema })) });
  const { messages } = after.parse(await run({ input: { messages: [{ role: "user", content: "Well?" }] } }));
  expect(messages.map(({ content }) => content)).toEqual([
    "Hi",
    "Hello.",
    "",
    expect.stringContaining("did not run"),
    "Well?",
    "Yes.",
  ]);
  expect(await (await send("GET", `${path}/history`)).json()).toMatchObject({
    turns: [{ answer: "Hello.", stopReason: "answered" }, { answer: "Yes." }],
  });
  expect(paid).toEqual([]);
});

test.each<[string, object, status: number, sentence: string]>([
  ["an unknown tool", { tool: "fly", input: {} }, 422, 'no tool "fly". Its tools: calculator, pay.'],
  ["an input that does not fit", { tool: "pay", input: { amount: "5" } }, 422, "expected number"],
  ["an input that is no object", { tool: "pay", input: "5" }, 400, "at input"],
  ["no tool", { input: {} }, 400, "at tool"],
])("a call of %s is refused, and changes nothing", async (_, body, status, sentence) => {
  const { send, path, state } = await paying();
  const before = await (await send("GET", state)).text();
  const refused = await send("POST", `${path}/call`, { body });
  expect([refused.status, await refused.json()]).toMatchObject([
    status,
    { message: expect.stringContaining(sentence) },
  ]);
  expect(await (await send("GET", state)).text()).toBe(before);
});
