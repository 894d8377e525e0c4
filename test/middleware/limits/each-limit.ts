import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, continueTurn, createAgent, promptsOf } from "../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { dialects } from "../../matrix/dialects.js";
import { putClockOn } from "./clock.js";

export const thread = { configurable: { thread_id: "t" } };

/** A tool with another result for each input, or always the same. */
export function lookup({ takes = 0, results = (text: string): string => `about ${text}` } = {}) {
  const inputs: string[] = [];
  const look = tool(
    async ({ text }) => {
      inputs.push(text);
      if (takes > 0) putClockOn(takes);
      return results(text);
    },
    { name: "look", description: "Looks something up.", schema: z.object({ text: z.string() }) },
  );
  return { look, inputs };
}

/** The protocol of the quick tests. The long ones try the others. */
export const isQuick = (protocol: string) => protocol === "react";

/** Tries each limit with models that speak these protocols. */
export function describeLimits(isMeant: (protocol: string) => boolean): void {
  describe.each(dialects.filter(({ protocol }) => isMeant(protocol)))(
    "at a limit an agent that speaks $protocol",
    ({ protocol, act, answer, unreadable }) => {
      const steps = Array.from({ length: 3 }, (_, n) => act("look", { text: `thing ${n}` }));
      const long = (text: string) => (text === "thing 1" ? "much ".repeat(960) : text);
      const loop = Array.from({ length: 3 }, () => act("look", { text: "thing" }));

      const prices = { "glassloop-scripted": { input: 1, output: 1 } };

      interface Limit {
        readonly stopReason: string;
        readonly options: Partial<AgentOptions>;
        /** The replies until the limit is reached. */
        readonly until: readonly ScriptedReply[];
        /** The time that each call of the tool takes, in milliseconds. */
        readonly takes?: number;
        readonly results?: (text: string) => string;
        /** The number of calls that the tool gets. */
        readonly calls: number;
        readonly why: RegExp;
      }

      const stepLimit: Limit = {
        stopReason: "step-limit",
        options: { limits: { maxSteps: 2 } },
        until: steps,
        calls: 2,
        why: /after 2 steps/,
      };
      const limits: Limit[] = [
        stepLimit,
        {
          stopReason: "tool-call-limit",
          options: { limits: { maxToolCalls: { look: 1 } } },
          until: steps.slice(0, 2),
          calls: 1,
          why: /1 call of look/,
        },
        {
          stopReason: "tool-call-limit",
          options: { limits: { maxToolCalls: 2 } },
          until: steps,
          calls: 2,
          why: /2 calls of look/,
        },
        { stopReason: "repeats", options: {}, until: loop, calls: 2, why: /again and again/ },
        {
          stopReason: "model-call-limit",
          options: { limits: { maxModelCalls: 3 } },
          until: steps.slice(0, 2),
          calls: 2,
          why: /the 3 model calls/,
        },
        {
          stopReason: "token-limit",
          options: { limits: { maxTokens: 4_000 } },
          until: steps.slice(0, 2),
          results: long,
          calls: 2,
          why: /the 4000 tokens/,
        },
        {
          stopReason: "cost-limit",
          options: { limits: { maxDollars: 0.004, prices } },
          until: steps.slice(0, 2),
          results: long,
          calls: 2,
          why: /the 0.004 US dollars/,
        },
        {
          stopReason: "time-limit",
          options: { limits: { maxTurnMs: 100_000 } },
          until: steps.slice(0, 1),
          takes: 85_000,
          calls: 1,
          why: /the 100 s/,
        },
        {
          stopReason: "stop-condition",
          options: {
            limits: { stopWhen: ({ state }) => state.intermediateSteps.length === 2 && "two things were found" },
          },
          until: steps.slice(0, 2),
          calls: 2,
          why: /two things were found/,
        },
        {
          stopReason: "unreadable",
          options: { limits: { maxUnreadable: 2 } },
          until: [unreadable, unreadable],
          calls: 0,
          why: /last 2 replies could not be read/,
        },
      ];

      function agentAt(
        { options, takes, results }: Limit,
        replies: readonly ScriptedReply[],
        checkpointer: MemorySaver,
      ) {
        const { look, inputs } = lookup({ ...(takes && { takes }), ...(results && { results }) });
        const model = scriptedModel(replies);
        const agent = createAgent({ model, tools: [look], protocol, checkpointer, rephrase: false, ...options });
        return { agent, model, inputs };
      }

      it.each(limits)(
        "($stopReason) gives the best answer from its observations, and can be continued without paying for a step again",
        async (limit) => {
          const { until, calls, stopReason, why, options } = limit;
          const saver = new MemorySaver();
          const { agent, model, inputs } = agentAt(limit, [...until, answer("So far.")], saver);
          const ended = await agent.invoke({ messages: "What is there?" }, thread);
          expect(ended).toMatchObject({ stopReason, answer: "So far.", decision: { why: expect.stringMatching(why) } });
          expect(inputs).toHaveLength(calls);
          expect(ended.messages.at(-1)?.text).toBe("So far.");
          const [last, before] = [model.calls.at(-1)?.prompt ?? "", model.calls.at(-2)?.prompt ?? ""];
          expect(last).toMatch(why);
          expect(last.startsWith(before)).toBe(true);
          model.assertComplete();

          // A long prompt needs more tokens than it left.
          const limits = { ...options.limits, maxTokens: 20_000, maxDollars: 1, prices };
          const more = agentAt({ ...limit, options: { limits } }, [answer("All of it."), answer("Next.")], saver);
          const state = await continueTurn(more.agent, "t");
          expect(state).toMatchObject({ stopReason: "answered", answer: "All of it.", turn: { number: 1 } });
          // The call that was not made is made now, without asking the model for it again.
          expect(more.inputs).toHaveLength(["step-limit", "tool-call-limit", "repeats"].includes(stopReason) ? 1 : 0);
          expect(state.usage.turn.modelCalls).toBe(until.length + 2);
          expect(state.messages.map(({ text }) => text)).not.toContain("So far.");
          expect(more.model.calls.at(-1)?.prompt).not.toMatch(/No more calls will be made/);
          for await (const { exact } of promptsOf(more.agent, "t")) expect(exact).toBe(true);
          const { chatHistory } = await more.agent.invoke({ messages: "And now?" }, thread);
          const [id, end] = [ended.messages[0]?.id, state.messages.at(-1)?.id];
          expect(chatHistory.turns).toMatchObject([{ id, end, answer: "All of it.", stopReason: "answered" }]);
          more.model.assertComplete();
        },
      );

      it("says why, also in the next turn, if the model gives no answer even then", async () => {
        const replies = [...steps, act("look", { text: "more" }), answer("Next.")];
        const { agent, model, inputs } = agentAt(stepLimit, replies, new MemorySaver());
        const { answer: told, stopReason } = await agent.invoke({ messages: "What is there?" }, thread);
        expect(told).toMatch(/^I stopped without an answer: .*after 2 steps/);
        expect(inputs).toHaveLength(2);
        const { chatHistory } = await agent.invoke({ messages: "And now?" }, thread);
        expect(chatHistory.turns).toMatchObject([{ answer: told, stopReason }]);
        model.assertComplete();
      });
    },
  );
}
