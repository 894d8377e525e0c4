import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { repliesIn } from "../../../src/core/state/decision.js";
import type { AgentStateValues } from "../../../src/core/state/state.js";
import { addModels } from "../../../src/core/state/usage.js";
import { type AgentOptions, approvalRequests, createAgent, decide } from "../../../src/index.js";
import { type ScriptedReplyMaker, scriptedModel } from "../../../src/testing/index.js";
import { putClockOn } from "../../middleware/limits/clock.js";
import { turnOver } from "../../retrieval/scripted-retrieval.js";

const thread = { configurable: { thread_id: "t" } };
const minute = 60_000;
const usage = { input_tokens: 10, output_tokens: 2, total_tokens: 12 };
const calls = (...names: string[]) => ({ tool_calls: names.map((name) => ({ name, args: {} })) });
const toolNamed = (name: string, work: () => unknown, metadata = {}) =>
  tool(async () => `${await work()}`, { name, description: "Works.", schema: z.object({}), metadata });

/** Makes an agent whose tools take two minutes, with an agent in one of them. Each of its replies takes three. */
function slowAgent(
  replies: (ReturnType<ScriptedReplyMaker> | ScriptedReplyMaker)[],
  options: Partial<AgentOptions> = {},
) {
  const slowly = replies.map(
    (reply): ScriptedReplyMaker =>
      (...given) => {
        putClockOn(3 * minute);
        return typeof reply === "function" ? reply(...given) : reply;
      },
  );
  const inner = createAgent({
    model: scriptedModel([calls("count"), "Four."], { usage }),
    tools: [toolNamed("count", () => 4)],
  });
  const tools = [
    toolNamed("look", () => putClockOn(2 * minute)),
    toolNamed("pay", () => putClockOn(2 * minute), { effects: true }),
    toolNamed("ask", async () => (await inner.invoke({ messages: "How many?" })).answer),
  ];
  const own = { tools, modelCalls: { maxRetries: 0 }, checkpointer: new MemorySaver() };
  return createAgent({ model: scriptedModel(slowly, { usage }), ...own, ...options });
}

/** Adds up what the parts of a turn say that they cost. */
function partsOf(state: Pick<AgentStateValues, "intermediateSteps" | "reply" | "quietCalls" | "turn">) {
  const results = state.intermediateSteps.flatMap(({ results }) => results);
  const costs = [
    ...[...repliesIn(state), ...state.quietCalls, ...(state.turn.stopped ? [state.turn.stopped] : [])].map(
      ({ usage = {} }) => usage,
    ),
    ...results.map(({ usage }) => usage?.models ?? {}),
  ];
  const toolCalls = results.reduce((sum, { usage }) => sum + 1 + (usage?.toolCalls ?? 0), 0);
  return { models: costs.reduce(addModels, {}), toolCalls };
}

const turns: [how: string, run: () => Promise<AgentStateValues>][] = [
  [
    "with tools, and an agent in one",
    () => slowAgent([calls("look", "ask"), calls("ask"), "Done."]).invoke({ messages: "Go." }, thread),
  ],
  [
    "with replies that cannot be read",
    () =>
      slowAgent(["Action: look", "Thought", "Final Answer: 4"], { protocol: "react" }).invoke(
        { messages: "Go." },
        thread,
      ),
  ],
  [
    "whose question was made to stand alone, with a model that failed",
    async () => {
      const models = [
        scriptedModel([new Error("gone"), new Error("gone")]),
        scriptedModel(["One.", "Which?", "Two."], { usage }),
      ] as const;
      const agent = createAgent({
        model: models,
        modelCalls: { maxRetries: 0 },
        checkpointer: new MemorySaver(),
        rephrase: true,
      });
      await agent.invoke({ messages: "First?" }, thread);
      return agent.invoke({ messages: "And then?" }, thread);
    },
  ],
  [
    "that goes on after a failure",
    async () => {
      const agent = slowAgent([calls("look"), new Error("gone"), "Done."]);
      await expect(agent.invoke({ messages: "Go." }, thread)).rejects.toThrow("gone");
      return agent.invoke(null, thread);
    },
  ],
  [
    "that was cancelled, when the next one begins",
    async () => {
      const cancelling = new AbortController();
      const cancelled = () => {
        cancelling.abort(new Error("enough"));
        return "too late";
      };
      const agent = slowAgent([calls("look"), cancelled, "Done."]);
      const going = agent.invoke({ messages: "Go." }, { ...thread, signal: cancelling.signal });
      await expect(going).rejects.toThrow("enough");
      await agent.invoke({ messages: "Again." }, thread);
      for await (const { values } of agent.getStateHistory(thread))
        if (values.stopReason === "cancelled") return values;
    },
  ],
  [
    "of a retrieval agent",
    async () =>
      (
        await turnOver(
          ["Ann won."],
          { grading: '{"helpful":[1]}', answer: ["Ann.", "Ann [1]."], check: ['{"right":false}', '{"right":true}'] },
          { grade: true, check: true },
        )
      ).state,
  ],
];

describe("the times in the state", () => {
  it.each(turns)("have the cost of a turn %s in its parts", async (_, run) => {
    const state = await run();
    const { models, toolCalls } = state.usage.turn;
    expect(partsOf(state)).toEqual({ models, toolCalls });
    for (const { times } of [...repliesIn(state), ...state.quietCalls])
      expect(times?.ms).toBeGreaterThanOrEqual(times?.firstMs ?? 0);
    expect(new Set(state.quietCalls.map(({ id }) => id)).size).toBe(state.quietCalls.length);
    expect(JSON.stringify(state.messages)).not.toContain('"times"');
  });

  it("are those of the wall and of a clock that nobody sets", async () => {
    const begun = new Date().toISOString();
    const state = await slowAgent([calls("look", "pay"), "Done."]).invoke({ messages: "Go." }, thread);
    const [step] = state.intermediateSteps;
    const minutes = [step?.reply, ...(step?.results ?? []), state.reply].map((one) =>
      Math.floor((one?.times?.ms ?? 0) / minute),
    );
    // Both tools put the clock on while the other one waits.
    expect(minutes).toEqual([3, 4, 4, 3]);
    const at = [
      begun,
      step?.reply.times?.at,
      step?.results[0]?.times?.at,
      state.reply?.times?.at,
      new Date().toISOString(),
    ];
    expect(at).toEqual(at.toSorted());
  });

  it("are the first ones of a call that another run takes over, with all tries", async () => {
    const agent = slowAgent([new Error("gone"), new Error("gone"), "Done."]);
    await expect(agent.invoke({ messages: "Go." }, thread)).rejects.toThrow("gone");
    const between = new Date().toISOString();
    await expect(agent.invoke(null, thread)).rejects.toThrow("gone");
    const { reply } = await agent.invoke(null, thread);
    expect(reply?.times).toMatchObject({ tries: 3 });
    expect(Math.floor((reply?.times?.ms ?? 0) / minute)).toBe(9);
    expect([reply?.times?.at, between]).toEqual([reply?.times?.at, between].toSorted());
  });

  it("say who decided about a call, when they were asked, and when they decided", async () => {
    const agent = slowAgent([calls("pay", "look"), "Done."], { approve: "effects" });
    const [request] = approvalRequests(await agent.invoke({ messages: "Go." }, thread));
    const forged = { type: "approve", by: "Eve", decided: { by: "Eve" } } as const;
    const again = approvalRequests(
      await agent.invoke(decide({ [request?.id ?? ""]: { type: "approve", digest: "old" } }), thread),
    );
    expect(again).toMatchObject([{ askedAt: request?.askedAt }]);
    await expect(async () => agent.invoke(decide({ [request?.id ?? ""]: forged }), thread)).rejects.toThrow();
    const by = "Ann";
    const state = await agent.invoke(decide({ [request?.id ?? ""]: "approve" }, { by }), thread);
    const results = state.intermediateSteps.flatMap(({ results }) => results);
    expect(results).toMatchObject([{ decided: { askedAt: request?.askedAt, at: expect.any(String), by } }, {}]);
    expect(results[1]).not.toHaveProperty("decided");
  });
});
