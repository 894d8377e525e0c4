import { tool } from "@langchain/core/tools";
import { humanInTheLoopMiddleware } from "langchain";
import { expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { calculator } from "../../src/tools/calculator/calculator.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";
import { makeThread, question, type Send, served } from "./access/served.js";

const { act, answer } = inReact;
const calculates = act("calculator", "2 + 2");

/** Serves an agent with these replies, on a thread that has asked it once. */
async function asked(replies = [calculates, answer("It is 4.")], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(replies);
  const agent = createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false, ...options });
  const { send } = await served({ agents: { agent } });
  const thread = await makeThread(send);
  const run = async (body: object): Promise<unknown> =>
    (await send("POST", `/threads/${thread}/runs/wait`, { body: { assistant_id: "agent", ...body } })).json();
  const ask = (content: string) => run({ input: { messages: [{ role: "user", content }] } });
  const first = await ask("What is 2 + 2?");
  const path = `/glassloop/threads/${thread}`;
  const read = async (route: string) => (await send("GET", `${path}/${route}`)).json();
  const state = async () => (await send("GET", `/threads/${thread}/state`)).json();
  return { send, thread, path, run, ask, first, read, state };
}

const blocks = z.array(z.object({ text: z.string().default("") }));
const textSchema = z.union([z.string(), blocks.transform((all) => all.map(({ text }) => text).join(""))]);
const messagesSchema = z.object({ messages: z.array(z.object({ content: textSchema })) });
const textsIn = (values: unknown) => messagesSchema.parse(values).messages.map(({ content }) => content);

/** Starts a run of an own route, and waits for its end. Returns the values that are in the state then. */
async function ran(send: Send, path: string, body: object = {}): Promise<unknown> {
  const started = await send("POST", path, { body });
  expect(started.status).toBe(200);
  return (await send("GET", `${started.headers.get("Content-Location")}/join`)).json();
}

test("regenerate and edit run the last turn again, as runs of the thread", async () => {
  const { send, path, thread } = await asked(["It is 5.", "It is 4.", "It is 9."].map(answer));
  expect(textsIn(await ran(send, `${path}/regenerate`))).toEqual(["What is 2 + 2?", "It is 4."]);
  const edited = await ran(send, `${path}/edit`, { question: "What is 3 * 3?" });
  expect(textsIn(edited)).toEqual(["What is 3 * 3?", "It is 9."]);
  expect(await (await send("GET", `/threads/${thread}/runs`)).json()).toMatchObject([{}, {}, { status: "success" }]);
});

test("continue goes on with a turn that ended at a limit, and refuses one that has its answer", async () => {
  const limits = { maxSteps: 1, earlyStopping: "force" } as const;
  const { send, path, first } = await asked([calculates, calculates, answer("It is 4.")], { limits });
  expect(first).toMatchObject({ stopReason: "step-limit" });
  expect(textsIn(await ran(send, `${path}/continue`)).at(-1)).toContain("It is 4.");
  const refused = await send("POST", `${path}/continue`, { body: {} });
  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({ message: expect.stringContaining("did not end at a limit") });
});

test("prompts and statistics tell what a turn did", async () => {
  const { read } = await asked();
  expect(await read("prompts")).toMatchObject([{ exact: true }, { exact: true }]);
  expect(await read("statistics")).toMatchObject({ threads: 1, turns: 1 });
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
  const { send, path, read } = await asked();
  const before = await read("turns");
  const refused = await send("POST", `${path}/continue`, { body: { context: { approve: "never" } } });
  expect(refused.status).toBe(422);
  expect(await read("turns")).toEqual(before);
});

/** Serves an agent that pays, without asking anybody, on a thread that has an answer. Returns what the payments were, too. */
async function paying(...replies: string[]) {
  const paid: number[] = [];
  const pay = tool(({ amount }) => `paid ${paid.push(amount)}`, {
    name: "pay",
    description: "Pays.",
    schema: z.object({ amount: z.number() }),
    metadata: { effects: true },
  });
  const tools = [calculator(), pay];
  return { ...(await asked(["Hello.", ...replies].map(answer), { tools, approve: "never" })), paid };
}

const requestSchema = z.looseObject({ id: z.string(), digest: z.string() });
const asksSchema = z
  .object({ __interrupt__: z.tuple([z.object({ value: z.object({ requests: z.tuple([requestSchema]) }) })]) })
  .transform(({ __interrupt__: [{ value }] }) => value.requests[0]);

const payment = { tool: "pay", input: { amount: 5 } };

/** Orders a payment. Returns what a person is asked about it. */
async function orderPayment(send: Send, path: string): Promise<z.output<typeof requestSchema>> {
  return asksSchema.parse(await ran(send, `${path}/call`, payment));
}

test.each(matrix(dialects, inReact, inToolCalls))(
  "one call is made alone after a turn of $protocol, and joins it",
  async ({ protocol, answer }) => {
    const { send, path, ask, read, state } = await asked([answer("Hello."), answer("It was 42.")], { protocol });
    const call = { tool: "calculator", input: { expression: "7 * 6" } };
    expect(textsIn(await ran(send, `${path}/call`, call))).toEqual(["What is 2 + 2?", "Hello.", "", "42"]);
    expect(await state()).toMatchObject({
      next: [],
      values: { answer: "Hello.", stopReason: "answered", intermediateSteps: [{ results: [{ observation: "42" }] }] },
    });
    expect(await read("prompts")).toHaveLength(1);
    expect(await ask("What was it?")).toMatchObject({ answer: "It was 42.", turn: { number: 2 } });
  },
);

test("a call with effects needs a yes, whatever the agent asks about, and is then made once", async () => {
  const { send, path, run, paid } = await paying();
  const decide = ({ id, digest }: z.output<typeof requestSchema>, type: string) =>
    run({ command: { resume: { [id]: { type, digest } } } });
  const first = await orderPayment(send, path);
  expect(first).toMatchObject({ ...payment, why: expect.stringContaining("after the answer") });
  expect((await send("POST", `${path}/call`, { body: payment })).status).toBe(409);
  await decide(first, "refuse");
  expect(paid).toEqual([]);
  const second = await orderPayment(send, path);
  expect(await decide(second, "approve")).toMatchObject({ answer: "Hello.", stopReason: "answered" });
  expect(await decide(second, "approve")).toMatchObject({ __error__: { error: "NotWaitingError" } });
  expect(paid).toEqual([5]);
});

test("a middleware asks in the form of the agent and in LangChain's, takes answers in both, and a wrong one loses nothing", async () => {
  const middleware = [humanInTheLoopMiddleware({ interruptOn: { calculator: true } })];
  const { run, first } = await asked([calculates, calculates, answer("It is 4.")], { middleware });
  const decide = (resume: object) => run({ command: { resume } });
  const args = { expression: "2 + 2" };
  expect(first).toMatchObject({ __interrupt__: [{ value: { actionRequests: [{ name: "calculator", args }] } }] });
  const request = asksSchema.parse(first);
  expect(request).toMatchObject({ tool: "calculator", input: args, allowed: ["approve", "edit", "refuse"] });
  const wrong = { error: "NotWaitingError", message: expect.stringContaining('"answer" is not possible') };
  expect(await decide({ [request.id]: { type: "answer", answer: "5" } })).toMatchObject({ __error__: wrong });
  const again = asksSchema.parse(await decide({ [request.id]: { type: "refuse", digest: request.digest } }));
  expect(again.id).not.toBe(request.id);
  expect(await decide({ decisions: [{ type: "approve" }] })).toMatchObject({ answer: "It is 4." });
});

test("a question in place of the decision about a call leaves the call undone, and the answer before it as it was", async () => {
  const { send, path, ask, paid, read } = await paying("Yes.");
  await orderPayment(send, path);
  const undone = expect.stringContaining("did not run");
  expect(textsIn(await ask("Well?"))).toEqual(["What is 2 + 2?", "Hello.", "", undone, "Well?", "Yes."]);
  expect(await read("turns")).toMatchObject({
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
  const before = await state();
  const refused = await send("POST", `${path}/call`, { body });
  expect([refused.status, await refused.json()]).toMatchObject([
    status,
    { message: expect.stringContaining(sentence) },
  ]);
  expect(await state()).toEqual(before);
});
