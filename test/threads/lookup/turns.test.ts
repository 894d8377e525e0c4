import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import type { AgentOptions } from "../../../src/agent/options.js";
import { ThreadError } from "../../../src/base/errors.js";
import type { AgentTool } from "../../../src/core/parts/tools.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import type { Threads } from "../../../src/threads/open.js";
import { calculator } from "../../../src/tools/calculator/calculator.js";
import { regenerate } from "../../../src/turns/go-back.js";
import { streamTurn } from "../../../src/turns/stream-turn.js";
import { coded } from "../../helpers/coded.js";
import { databases, sqlite } from "../../matrix/databases.js";
import { inReact } from "../../matrix/dialects.js";
import { matrix } from "../../matrix/matrix.js";
import { at, openKind } from "../open-kind.js";

const { act, answer } = inReact;

function agentOn({ checkpointer }: Threads, ...replies: ScriptedReply[]) {
  const model = scriptedModel(replies);
  return createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false, checkpointer });
}

describe.each(matrix(databases, sqlite))("turns in $name", (kind) => {
  test("are read in pages, with each step in a line and the branches that were left", async () => {
    const { threads } = await openKind(kind);
    const replies = [
      answer("Hello!"),
      act("calculator", "2+2"),
      " Hm\nAction: calculator",
      answer("Four."),
      answer("4."),
      answer("Bye!"),
    ];
    const agent = agentOn(threads, ...replies);
    await agent.invoke({ messages: "Say hello" }, at("t"));
    await agent.invoke({ messages: "What is 2 + 2?" }, at("t"));
    await regenerate(agent, "t");
    await agent.invoke({ messages: "Bye" }, at("t"));
    const newest = await threads.turns("t", { limit: 2 });
    expect(newest).toMatchObject({
      turns: [
        {
          number: 2,
          asked: "What is 2 + 2?",
          answer: "4.",
          stopReason: "answered",
          next: [],
          usage: { modelCalls: 1 },
        },
        { number: 3, answer: "Bye!", steps: [{ kind: "finish", calls: [] }] },
      ],
      hasOlder: true,
      branches: [{ turn: 2, answer: "Four." }],
    });
    const [{ leaf = "", parent = "" } = {}] = newest.branches;
    const [second] = newest.turns;
    const older = await threads.turns("t", { before: second?.begin ?? "" });
    expect(older).toMatchObject({ turns: [{ number: 1, answer: "Hello!" }], hasOlder: false, branches: [] });
    const left = await threads.turns("t", { checkpoint: leaf, limit: 1 });
    expect(left).toMatchObject({ turns: [{ number: 2, answer: "Four.", end: leaf }], branches: [{ parent, turn: 3 }] });
    expect(left.turns[0]?.steps).toMatchObject([
      { kind: "action", calls: [{ tool: "calculator", input: "2+2", status: "success", result: "4" }] },
      { kind: "unparseable", why: expect.any(String), calls: [] },
      { kind: "finish", calls: [] },
    ]);
    expect(await threads.turn("t", 2)).toMatchObject({ number: 2, answer: "4." });
    expect(await threads.turn("t", 2, leaf)).toMatchObject({
      end: leaf,
      steps: [{}, {}, { reply: { id: expect.any(String) } }],
    });
    expect(await threads.turn("t", 4)).toBeUndefined();
    await expect(threads.turns("t", { before: "x" })).rejects.toThrow(coded(ThreadError, "checkpoint-not-kept"));
  });
});

test.each(matrix(databases, sqlite))(
  "in $name a turn has the steps of agents in its tools, and in theirs",
  async (kind) => {
    const { threads } = await openKind(kind);
    const call = (...names: string[]): ScriptedReply => ({
      tool_calls: names.map((name) => ({ name, args: { input: name } })),
    });
    const agentOf = (replies: ScriptedReply[], tools: AgentTool[] = [], options: Partial<AgentOptions> = {}) =>
      createAgent({ model: scriptedModel(replies), protocol: "tool-calling", rephrase: false, tools, ...options });
    const toolOf = (name: string, agent: ReturnType<typeof agentOf>) =>
      tool(async () => (await agent.invoke({ messages: `To ${name}` })).answer ?? "", {
        ...{ name, description: name, schema: z.object({ input: z.string() }) },
      });
    const deepest = toolOf("deepest", agentOf(["Deep."]));
    const middle = toolOf("middle", agentOf([call("deepest"), "Middle."], [deepest]));
    const other = toolOf("other", agentOf(["Other."]));
    const replies = [call("other", "middle"), call("calculator"), "Done."];
    const outer = agentOf(replies, [middle, other, calculator()], { checkpointer: threads.checkpointer });
    await outer.invoke({ messages: "Go" }, at("t"));
    const { steps = [] } = (await threads.turn("t", 1)) ?? {};
    const [first, ...others] = steps.map(({ decision, inner }) => ({
      ids: decision?.kind === "action" ? decision.actions.map(({ id }) => id) : [],
      inner: inner?.map(({ asked, answer, call, steps }) => [asked, answer, call, steps.length]).sort(),
    }));
    const [ofOther, ofMiddle] = first?.ids ?? [];
    expect(first?.inner).toEqual([
      ["To deepest", "Deep.", ofMiddle, 1],
      ["To middle", "Middle.", ofMiddle, 2],
      ["To other", "Other.", ofOther, 1],
    ]);
    expect(others.map(({ inner }) => inner)).toEqual([undefined, undefined]);
    // The beginning of the turn is pruned, up to the calls of its first step.
    const { checkpoints } = (await threads.turn("t", 1)) ?? { checkpoints: [] };
    const { at: since = "" } = checkpoints.find(({ nodes }) => nodes.includes("act")) ?? {};
    await threads.prune({ thread: "t", keepSince: new Date(since) });
    const left = await threads.turn("t", 1);
    const numbers = (all: typeof checkpoints) => all.map(({ checkpoint, step }) => [checkpoint, step]);
    expect(numbers(left?.checkpoints ?? [])).toEqual(numbers(checkpoints.filter(({ at }) => at >= since)));
    expect(left?.steps.map(({ inner }) => inner)).toEqual([undefined, undefined, undefined]);
  },
);

test("the checkpoints of a reply with many calls are those of its step", async () => {
  const { threads } = await openKind(sqlite);
  const calls = (count: number) => ({
    tool_calls: Array.from({ length: count }, (_, n) => ({ name: "calculator", args: { expression: `${n}+1` } })),
  });
  const model = scriptedModel([calls(1), calls(12), "Done."]);
  const options = { model, tools: [calculator()], rephrase: false };
  const agent = createAgent({ ...options, checkpointer: threads.checkpointer });
  await agent.invoke({ messages: "Add" }, at("t"));
  const { checkpoints = [] } = (await threads.turn("t", 1)) ?? {};
  const steps = checkpoints.map(({ nodes, step }) => [nodes.join(), step]);
  expect(steps.slice(-8)).toEqual(
    [1, 2, 3].flatMap((step) => ["plan", "parse", ...(step < 3 ? ["act"] : [])].map((node) => [node, step])),
  );
});

test("a turn that was stopped tells what was shown of its answer", async () => {
  const { threads } = await openKind(sqlite);
  const model = scriptedModel(["One, two, three, four and five."]);
  const agent = createAgent({ model, tools: [calculator()], rephrase: false, checkpointer: threads.checkpointer });
  const stop = new AbortController();
  let shown = "";
  await (async () => {
    for await (const event of streamTurn(agent, { messages: "Count" }, { ...at("t"), signal: stop.signal })) {
      if (event.type === "answer-delta") shown += event.text;
      if (shown.includes("two")) stop.abort();
    }
  })().catch(() => {});
  const told = { answer: shown, stopReason: "cancelled" };
  expect(shown).toMatch(/^One, two/);
  expect(await threads.turn("t", 1)).toMatchObject(told);
  expect((await threads.turns("t")).turns).toMatchObject([told]);
});

test("a turn that waits shows the call that was not made, and a graph of others has one turn without a number", async () => {
  const { threads } = await openKind(sqlite);
  const model = scriptedModel([act("calculator", "2+2")]);
  const asking = { model, tools: [calculator()], protocol: "react", rephrase: false, approve: "always" } as const;
  await createAgent({ ...asking, checkpointer: threads.checkpointer }).invoke({ messages: "Go" }, at("waiting"));
  const calls = [{ tool: "calculator", input: "2+2", status: undefined, result: undefined }];
  expect((await threads.turns("waiting")).turns).toMatchObject([{ number: 1, next: ["act"], steps: [{ calls }] }]);
  const echo = new StateGraph(MessagesAnnotation).addNode("echo", () => ({})).addEdge(START, "echo");
  await echo.compile({ checkpointer: threads.checkpointer }).invoke({ messages: [] }, at("foreign"));
  expect((await threads.turns("foreign")).turns).toMatchObject([{ number: 0, asked: undefined, steps: [] }]);
});
