import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  continueTurn,
  createAgent,
  NoTurnToContinueError,
  promptsOf,
  reopenTurn,
  streamTurn,
} from "../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { allOf } from "../../helpers/turn-events.js";
import { dialects } from "../dialects.js";

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const thread = { configurable: { thread_id: "t" } };

/** A tool with another result for each input, or always the same. */
function lookup({ delay = 0, results = (text: string): string => `about ${text}` } = {}) {
  const inputs: string[] = [];
  const look = tool(
    async ({ text }) => {
      inputs.push(text);
      await wait(delay);
      return results(text);
    },
    { name: "look", description: "Looks something up.", schema: z.object({ text: z.string() }) },
  );
  return { look, inputs };
}

describe.each(dialects)("at a limit an agent that speaks $protocol", ({ protocol, act, answer, unreadable }) => {
  const steps = Array.from({ length: 6 }, (_, n) => act("look", { text: `thing ${n}` }));
  const loop = Array.from({ length: 6 }, () => act("look", { text: "thing" }));

  interface Limit {
    readonly stopReason: string;
    readonly options: Partial<AgentOptions>;
    /** The replies until the limit is reached. */
    readonly until: readonly ScriptedReply[];
    readonly delay?: number;
    readonly results?: (text: string) => string;
    /** The number of calls that the tool gets. */
    readonly calls: number;
    readonly why: RegExp;
  }

  const limits: Limit[] = [
    { stopReason: "step-limit", options: { maxSteps: 2 }, until: steps.slice(0, 3), calls: 2, why: /after 2 steps/ },
    {
      stopReason: "tool-call-limit",
      options: { maxToolCalls: { look: 1 } },
      until: steps.slice(0, 2),
      calls: 1,
      why: /1 call of look/,
    },
    {
      stopReason: "tool-call-limit",
      options: { maxToolCalls: 2 },
      until: steps.slice(0, 3),
      calls: 2,
      why: /2 calls of look/,
    },
    { stopReason: "repeats", options: {}, until: loop.slice(0, 3), calls: 2, why: /again and again/ },
    {
      stopReason: "model-call-limit",
      options: { maxModelCalls: 3 },
      until: steps.slice(0, 2),
      calls: 2,
      why: /the 3 model calls/,
    },
    {
      stopReason: "token-limit",
      options: { maxTokens: 4_000 },
      until: steps.slice(0, 2),
      results: (text) => (text === "thing 1" ? "much ".repeat(960) : text),
      calls: 2,
      why: /the 4000 tokens/,
    },
    {
      stopReason: "cost-limit",
      options: { maxDollars: 0.004, prices: { "glassloop-scripted": { input: 1, output: 1 } } },
      until: steps.slice(0, 2),
      results: (text) => (text === "thing 1" ? "much ".repeat(960) : text),
      calls: 2,
      why: /the 0.004 US dollars/,
    },
    {
      stopReason: "time-limit",
      options: { maxTurnMs: 1_000 },
      until: steps.slice(0, 1),
      delay: 850,
      calls: 1,
      why: /the 1 s/,
    },
    {
      stopReason: "stop-condition",
      options: { stopWhen: ({ state }) => state.intermediateSteps.length === 2 && "two things were found" },
      until: steps.slice(0, 2),
      calls: 2,
      why: /two things were found/,
    },
    {
      stopReason: "unreadable",
      options: { maxUnreadable: 2 },
      until: [unreadable, unreadable],
      calls: 0,
      why: /last 2 replies could not be read/,
    },
  ];

  function agentAt(
    { options, delay, results }: Limit,
    replies: readonly ScriptedReply[],
    checkpointer = new MemorySaver(),
  ) {
    const { look, inputs } = lookup({ ...(delay && { delay }), ...(results && { results }) });
    const model = scriptedModel(replies);
    const agent = createAgent({ model, tools: [look], protocol, checkpointer, rephrase: false, ...options });
    return { agent, model, inputs };
  }

  it.each(limits)("($stopReason) gives the best answer from what it saw, and the next turn knows it", async (limit) => {
    const { until, stopReason, calls, why } = limit;
    const { agent, model, inputs } = agentAt(limit, [...until, answer("Two things."), answer("Next.")]);
    const state = await agent.invoke({ messages: "What is there?" }, thread);
    expect(state).toMatchObject({ stopReason, answer: "Two things.", decision: { why: expect.stringMatching(why) } });
    expect(inputs).toHaveLength(calls);
    expect(state.messages.at(-1)?.text).toBe("Two things.");
    const [last, before] = [model.calls.at(-1)?.prompt ?? "", model.calls.at(-2)?.prompt ?? ""];
    expect(last).toMatch(why);
    expect(last.startsWith(before)).toBe(true);
    for await (const { exact } of promptsOf(agent, "t")) expect(exact).toBe(true);
    expect(state.chatHistory.turns).toMatchObject([{ question: "What is there?", answer: "Two things.", stopReason }]);
    const next = await createAgent({ model, checkpointer: agent.checkpointer || undefined, rephrase: false }).invoke(
      { messages: "And now?" },
      thread,
    );
    expect(next.answer).toContain("Next.");
    expect(model.calls.at(-1)?.prompt).toMatch(/What is there\?.*Two things\. \(The turn ended here at a limit/s);
    model.assertComplete();
  });

  it.each(limits)("($stopReason) says why, if the model gives no answer even then", async (limit) => {
    const { until, stopReason, why, calls } = limit;
    const { agent, model, inputs } = agentAt(limit, [...until, act("look", { text: "more" })]);
    const state = await agent.invoke({ messages: "What is there?" }, thread);
    expect(state).toMatchObject({ stopReason, answer: expect.stringMatching(/^I stopped without an answer: /) });
    expect(state.answer).toMatch(why);
    expect(inputs).toHaveLength(calls);
    model.assertComplete();
  });

  it.each(limits)("($stopReason) only says why, if it is forced", async (limit) => {
    const { until, stopReason, options } = limit;
    // Nothing is kept back for a last call.
    const beyond: Partial<Record<string, ScriptedReply[]>> = { "model-call-limit": steps.slice(2, 3) };
    const lower: Partial<Record<string, Partial<AgentOptions>>> = {
      "time-limit": { maxTurnMs: 500 },
      "token-limit": { maxTokens: 2_000 },
      "cost-limit": { maxDollars: 0.002 },
    };
    const forced = { ...options, ...lower[stopReason], earlyStopping: "force" as const };
    const { agent, model } = agentAt({ ...limit, options: forced }, [...until, ...(beyond[stopReason] ?? [])]);
    const state = await agent.invoke({ messages: "What is there?" }, thread);
    expect(state).toMatchObject({ stopReason, answer: expect.stringMatching(/^I stopped without an answer: /) });
    expect(state.chatHistory.turns).toMatchObject([{ answer: state.answer, stopReason }]);
    model.assertComplete();
  });

  it.each(limits)(
    "($stopReason) can be continued: no step is paid again, and the new answer replaces the old one",
    async (limit) => {
      const { until, calls, stopReason } = limit;
      const refused = ["step-limit", "tool-call-limit", "repeats"].includes(stopReason) ? 1 : 0;
      const saver = new MemorySaver();
      const { agent, inputs } = agentAt(limit, [...until, answer("So far.")], saver);
      const ended = await agent.invoke({ messages: "What is there?" }, thread);
      // A long prompt needs more tokens than it left.
      const more = {
        ...limit.options,
        maxTokens: 20_000,
        maxDollars: 1,
        prices: { "glassloop-scripted": { input: 1, output: 1 } },
      };
      const {
        agent: again,
        model,
        inputs: added,
      } = agentAt({ ...limit, options: more }, [answer("All of it.")], saver);
      const state = await continueTurn(again, "t");
      expect(state).toMatchObject({ stopReason: "answered", answer: "All of it.", turn: { number: 1 } });
      // The call that was not made is made now, without asking the model for it again.
      expect([inputs.length, added.length]).toEqual([calls, refused]);
      expect(state.usage.turn.modelCalls).toBe(until.length + 2);
      expect(state.messages.map(({ text }) => text)).not.toContain("So far.");
      expect(state.chatHistory.turns).toMatchObject([{ answer: "All of it.", stopReason: "answered" }]);
      expect(state.chatHistory.turns[0]?.messages?.[0]?.id).toBe(ended.messages[0]?.id);
      expect(model.calls.at(-1)?.prompt).not.toMatch(/No more calls will be made/);
      for await (const { exact } of promptsOf(again, "t")) expect(exact).toBe(true);
      model.assertComplete();
    },
  );
});

describe("a follow-up question", () => {
  const replies = ["One.", "What is next?", "Two."];
  const asked = async (options: Partial<AgentOptions>, model = scriptedModel(replies)) => {
    const agent = createAgent({ model, checkpointer: new MemorySaver(), ...options });
    await agent.invoke({ messages: "First?" }, thread);
    return agent.invoke({ messages: "And next?" }, thread);
  };

  it("is made to stand on its own, if there is room for that", async () => {
    expect(await asked({ maxModelCalls: 3 })).toMatchObject({ question: "What is next?", answer: "Two." });
  });

  it("stays as it is, if the call would take the room of the answer", async () => {
    const model = scriptedModel(["One.", "Two."]);
    expect(await asked({ maxModelCalls: 1 }, model)).toMatchObject({ question: "And next?", answer: "Two." });
  });

  it("stays as it is, if the model does not give another one in the time of the turn", async () => {
    const late = async () => {
      await wait(5_000);
      return "Late.";
    };
    const model = scriptedModel(["One.", late, "Two."]);
    const state = await asked({ maxTurnMs: 400 }, model);
    expect(state).toMatchObject({ question: "And next?", answer: "Two.", stopReason: "time-limit" });
  });

  it("fails with the model, if that does not answer in the time of its own", async () => {
    const late = async () => {
      await wait(5_000);
      return "Late.";
    };
    const model = scriptedModel(["One.", late]);
    await expect(asked({ timeouts: { totalMs: 100 }, maxRetries: 0 }, model)).rejects.toThrow(/within 100 ms/);
  });
});

describe("a turn that is continued", () => {
  const call = (text: string) => ({ tool_calls: [{ name: "look", args: { text } }] });
  const calls = (...texts: string[]) => texts.map(call);

  it("gets its limits anew each time, and so always goes on", async () => {
    const { look, inputs } = lookup();
    const model = scriptedModel([...calls("a", "b"), "One.", ...calls("c"), "Two.", "Three."]);
    const agent = createAgent({ model, tools: [look], maxSteps: 1, checkpointer: new MemorySaver() });
    expect((await agent.invoke({ messages: "?" }, thread)).answer).toBe("One.");
    expect((await continueTurn(agent, "t")).answer).toBe("Two.");
    const state = await continueTurn(agent, "t");
    expect(state).toMatchObject({ answer: "Three.", stopReason: "answered", intermediateSteps: { length: 3 } });
    expect(inputs).toEqual(["a", "b", "c"]);
    expect(state.messages.filter((message) => message.getType() === "ai" && message.text)).toHaveLength(1);
  });

  it("goes on with an unreadable reply by correcting it", async () => {
    const broken = { invalid_tool_calls: [{ name: "look", args: "{", error: "no JSON" }] };
    const model = scriptedModel([broken, "Bad.", "Good."]);
    const { look } = lookup();
    const agent = createAgent({ model, tools: [look], maxUnreadable: 1, checkpointer: new MemorySaver() });
    expect((await agent.invoke({ messages: "?" }, thread)).stopReason).toBe("unreadable");
    const agentWithMore = createAgent({
      model,
      tools: [look],
      maxUnreadable: 3,
      checkpointer: agent.checkpointer || undefined,
    });
    expect(await continueTurn(agentWithMore, "t")).toMatchObject({ answer: "Good.", stopReason: "answered" });
  });

  it("can be streamed, and tells that it goes on", async () => {
    const { look } = lookup();
    const model = scriptedModel([...calls("a", "b"), "One.", "Two."]);
    const agent = createAgent({ model, tools: [look], maxSteps: 1, checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "?" }, thread);
    const events = await allOf(streamTurn(agent, null, await reopenTurn(agent, "t")));
    expect(events[0]).toMatchObject({ type: "turn-start", resumed: true });
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "answered" });
  });

  it("is one that stopped, too", async () => {
    const { look } = lookup();
    const model = scriptedModel([...calls("a"), "One."]);
    const agent = createAgent({ model, tools: [look], checkpointer: new MemorySaver() });
    await agent.invoke({ messages: "?" }, { ...thread, interruptBefore: ["act"] });
    expect((await continueTurn(agent, "t")).answer).toBe("One.");
  });

  it("is refused if there is nothing to continue", async () => {
    const agent = createAgent({ model: scriptedModel(["One."]), checkpointer: new MemorySaver() });
    await expect(continueTurn(agent, "t")).rejects.toThrow(NoTurnToContinueError);
    await agent.invoke({ messages: "?" }, thread);
    await expect(continueTurn(agent, "t")).rejects.toThrow(/did not end at a limit \(answered\)/);
  });
});
