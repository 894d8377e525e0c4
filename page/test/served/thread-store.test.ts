import { tool } from "@langchain/core/tools";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent } from "../../../src/index.js";
import { type ScriptedReply, type ScriptedReplyMaker, scriptedModel } from "../../../src/testing/index.js";
import { calculator } from "../../../src/tools/calculator/calculator.js";
import { type ThreadState, ThreadStore } from "../../src/client/thread-store.js";
import { type Served, serve, until } from "./served.js";

const calculates = { tool_calls: [{ name: "calculator", args: { expression: "2 + 2" } }] };
const pays = { tool_calls: [{ name: "pay", args: { to: "Ann" } }] };
const pay = tool(({ to }) => `Paid ${to}.`, {
  ...{ name: "pay", description: "Pays.", schema: z.object({ to: z.string() }) },
  metadata: { effects: true, approve: true },
});

function agentOf(replies: (ScriptedReply | ScriptedReplyMaker)[], options: Partial<AgentOptions> = {}) {
  return createAgent({
    model: scriptedModel(replies),
    ...{ tools: [calculator(), pay], protocol: "tool-calling", rephrase: false, ...options },
  });
}

const serveReplies = (replies: (ScriptedReply | ScriptedReplyMaker)[], options: Partial<AgentOptions> = {}) =>
  serve({ agent: agentOf(replies, options) });

/** A page on which a thread is open. */
function opened(served: Served, id?: string): ThreadStore {
  const store = new ThreadStore(served, id);
  onTestFinished(store.open());
  return store;
}

/** Tells whether no run is in hand, and all turns are kept. */
const isSettled = ({ run, turns }: ThreadState) =>
  run === undefined && turns.length > 0 && turns.every(({ kept }) => kept);
const answers = ({ turns }: ThreadState) => turns.map(({ answer }) => answer);

/** A reply that a test lets come, word by word. */
function gate() {
  let open = () => {};
  const opens = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opens };
}

test("a question makes a thread, its turn grows, and is kept", async () => {
  const served = await serveReplies([calculates, "It is **4**."]);
  const store = opened(served);
  const seen: ThreadState[] = [];
  store.watch(() => seen.push(store.get()));
  expect(await store.ask("What is 2 + 2?", "agent")).toBe(true);
  const { turns, listed, problem } = await until(store, isSettled);
  expect(problem).toBeUndefined();
  const steps = [{ kind: "action", calls: [{ tool: "calculator", result: "4" }] }, { kind: "finish" }];
  const asked = { number: 1, asked: "What is 2 + 2?", answer: "It is **4**.", stopReason: "answered" };
  expect(turns).toMatchObject([{ ...asked, kept: { isWhole: true }, steps }]);
  expect(listed).toMatchObject({ graph: "agent" });
  // The turn that is kept takes the place of the one that ran.
  const lengths = seen.map((state) => state.turns[0]?.steps.length ?? 0);
  expect(lengths).toEqual([...lengths].sort());
  expect(seen.every((state) => state.turns.length <= 1)).toBe(true);
  const again = opened(served, store.get().id);
  expect(answers(await until(again, isSettled))).toEqual(["It is **4**."]);
});

test("a page that is loaded in the middle, and another one, show each word once", async () => {
  const { open, opens } = gate();
  const served = await serveReplies([
    calculates,
    async () => {
      await opens;
      return "It is four.";
    },
  ]);
  const store = opened(served);
  await store.ask("What is 2 + 2?", "agent");
  const { id } = await until(store, ({ turns }) => turns[0]?.steps[1]?.asked !== undefined);
  const other = opened(served, id);
  const { turns, run } = await until(other, (state) => state.turns[0]?.steps.length === 2);
  expect(turns).toMatchObject([{ steps: [{ calls: [{ result: "4" }] }, {}], now: { node: "plan" } }]);
  expect(run).toBe(store.get().run);
  open();
  for (const one of [store, other]) expect(answers(await until(one, isSettled))).toEqual(["It is four."]);
});

test("a call is decided with the digest of what was shown, and the turn goes on where it is shown", async () => {
  const served = await serveReplies([pays, "Done."]);
  const store = opened(served);
  await store.ask("Pay Ann.", "agent");
  const { turns, id } = await until(store, isSettled);
  const [question] = turns[0]?.waiting ?? [];
  if (question?.type !== "approval") return expect.fail("Nothing waits.");
  const [request] = question.requests;
  expect(request).toMatchObject({ tool: "pay", written: { to: "Ann" }, schema: { type: "object" } });
  const other = opened(served, id);
  await until(other, isSettled);
  const decision = (digest: string | undefined) => ({ [request?.id ?? ""]: { type: "approve", digest } });
  expect(await other.answer(question.interrupt, decision(request?.digest), "agent")).toBe(true);
  for (const one of [store, other]) {
    const done = await until(one, (state) => isSettled(state) && answers(state)[0] !== undefined);
    expect(done.turns).toMatchObject([
      { waiting: [], steps: [{ calls: [{ decision: { type: "approve" }, result: "Paid Ann." }] }, {}] },
    ]);
  }
  await store.answer(question.interrupt, decision(request?.digest), "agent");
  const late = await until(store, ({ problem }) => problem !== undefined);
  expect(late.problem).toMatch(/^The thread .* does not wait for this decision/);
});

test("what was written until a stop stays, and a question that came meanwhile is answered", async () => {
  const { opens } = gate();
  const served = await serveReplies([
    async (_, { signal }) => {
      await Promise.race([opens, new Promise((_, reject) => signal?.addEventListener("abort", reject))]);
      return "Never.";
    },
    "Second.",
  ]);
  const store = opened(served);
  await store.ask("First?", "agent");
  await until(store, ({ turns }) => turns[0]?.now?.node === "plan");
  await store.ask("Second?", "agent");
  await store.stop();
  const { turns } = await until(store, (state) => isSettled(state) && state.turns.length === 2);
  expect(turns).toMatchObject([
    { number: 1, asked: "First?", stopReason: "cancelled" },
    { number: 2, answer: "Second." },
  ]);
});

test("an answer is made anew, a turn goes on after its limit, and one that failed says why", async () => {
  const replies = ["One.", "Two.", calculates, calculates, "Four.", new Error("The model is out of order.")];
  const served = await serveReplies(replies, { limits: { maxSteps: 1, earlyStopping: "force" } });
  const store = opened(served);
  await store.ask("First?", "agent");
  await until(store, isSettled);
  await store.regenerate();
  await until(store, (state) => isSettled(state) && answers(state)[0] === "Two.");
  expect(store.get().branches).toMatchObject([{ turn: 1, answer: "One." }]);
  await store.ask("Second?", "agent");
  const limited = await until(store, (state) => isSettled(state) && state.turns.length === 2);
  expect(limited.turns[1]).toMatchObject({ stopReason: "step-limit" });
  await store.goOn();
  const further = await until(store, (state) => isSettled(state) && state.turns[1]?.stopReason === "answered");
  expect(further.turns).toMatchObject([{ answer: "Two." }, { answer: "Four." }]);
  await store.ask("Third?", "agent");
  const failed = await until(store, (state) => isSettled(state) && state.turns.length === 3);
  const error = { message: expect.stringContaining("out of order") };
  expect(failed.turns[2]).toMatchObject({ stopReason: "failed", error });
  const again = opened(served, store.get().id);
  expect((await until(again, isSettled)).turns[2]).toMatchObject({ stopReason: "failed", error });
});

test("a run that is undone leaves what was there before", async () => {
  const { opens } = gate();
  const served = await serveReplies(["One.", () => opens.then(() => "Never.")]);
  const store = opened(served);
  await store.ask("First?", "agent");
  await until(store, isSettled);
  await store.regenerate();
  const { run, id } = await until(store, ({ turns }) => turns[0]?.now?.node === "plan");
  await served.send(`threads/${id}/runs/${run}/cancel?action=rollback`, { method: "POST" });
  expect(answers(await until(store, isSettled))).toEqual(["One."]);
});

test("a thread on which another program works is followed by its steps", async () => {
  const { open, opens } = gate();
  const served = await serveReplies(["One."]);
  const { checkpointer } = served.threads;
  const agent = agentOf([calculates, () => opens.then(() => "Two.")], { checkpointer });
  const store = opened(served);
  await store.ask("First?", "agent");
  const { id = "" } = await until(store, isSettled);
  const working = agent.invoke({ messages: "Second?" }, { configurable: { thread_id: id } });
  const { turns } = await until(store, (state) => state.turns[1]?.steps[0]?.calls[0]?.status !== undefined);
  expect(turns[1]).toMatchObject({ asked: "Second?", steps: [{ calls: [{ result: "4" }] }] });
  open();
  await working;
  expect(answers(await until(store, (state) => answers(state)[1] !== undefined))).toEqual(["One.", "Two."]);
});

test("older turns come when they are wanted, and long texts whole", async () => {
  const long = "a".repeat(50_000);
  const served = await serveReplies([long, ...Array.from({ length: 24 }, (_, n) => `Answer ${n + 2}.`)]);
  const agent = agentOf([long, ...Array.from({ length: 24 }, (_, n) => `Answer ${n + 2}.`)], {
    checkpointer: served.threads.checkpointer,
  });
  for (let n = 1; n <= 25; n += 1)
    await agent.invoke({ messages: `Question ${n}` }, { configurable: { thread_id: "long" } });
  const store = opened(served, "long");
  const first = await until(store, isSettled);
  expect(first.turns.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, n) => n + 6));
  expect(first.hasOlder).toBe(true);
  await Promise.all([store.loadOlder(), store.loadOlder()]);
  expect(store.get().turns).toHaveLength(25);
  expect(store.get().hasOlder).toBe(false);
  expect(store.get().turns[0]?.answer).toHaveLength(20_000);
  await store.loadWhole(1);
  expect(store.get().turns[0]).toMatchObject({ answer: long, kept: { isWhole: true } });
});

test("what the server refuses is said in its words, and a question that was lost is asked once", async () => {
  const served = await serveReplies(["One."]);
  const store = opened(served);
  expect(await store.ask("First?", "nobody")).toBe(false);
  expect(store.get().problem).toContain("nobody");
  const lost: Served = {
    ...served,
    requests: Object.assign(Object.create(served.requests), {
      post: async (path: string, body: object, headers: Record<string, string>) => {
        const answer = await served.requests.post(path, body, headers);
        if (path.endsWith("/runs") && !isLost) {
          isLost = true;
          throw new TypeError("Failed to fetch");
        }
        return answer;
      },
    }),
  };
  let isLost = false;
  const other = opened(lost);
  expect(await other.ask("First?", "agent")).toBe(false);
  expect(other.get().problem).toContain("does not answer");
  expect(await other.ask("First?", "agent")).toBe(true);
  const { turns } = await until(other, isSettled);
  expect(turns).toMatchObject([{ number: 1, answer: "One." }]);
});
