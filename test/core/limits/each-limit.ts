import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { type AgentOptions, continueTurn, createAgent, promptsOf } from "../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { dialects } from "../../matrix/dialects.js";

/** Puts the clock of this process on, until the test ends. */
export function putClockOn(milliseconds: number): void {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + milliseconds);
  onTestFinished(() => clock.mockRestore());
}

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
      const steps = Array.from({ length: 6 }, (_, n) => act("look", { text: `thing ${n}` }));
      const loop = Array.from({ length: 6 }, () => act("look", { text: "thing" }));

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

      const limits: Limit[] = [
        {
          stopReason: "step-limit",
          options: { limits: { maxSteps: 2 } },
          until: steps.slice(0, 3),
          calls: 2,
          why: /after 2 steps/,
        },
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
          until: steps.slice(0, 3),
          calls: 2,
          why: /2 calls of look/,
        },
        { stopReason: "repeats", options: {}, until: loop.slice(0, 3), calls: 2, why: /again and again/ },
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
          results: (text) => (text === "thing 1" ? "much ".repeat(960) : text),
          calls: 2,
          why: /the 4000 tokens/,
        },
        {
          stopReason: "cost-limit",
          options: { limits: { maxDollars: 0.004, prices: { "glassloop-scripted": { input: 1, output: 1 } } } },
          until: steps.slice(0, 2),
          results: (text) => (text === "thing 1" ? "much ".repeat(960) : text),
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
        checkpointer = new MemorySaver(),
      ) {
        const { look, inputs } = lookup({ ...(takes && { takes }), ...(results && { results }) });
        const model = scriptedModel(replies);
        const agent = createAgent({ model, tools: [look], protocol, checkpointer, rephrase: false, ...options });
        return { agent, model, inputs };
      }

      /** Asks one more question, of an agent without limits. */
      function askedNext({ checkpointer }: ReturnType<typeof createAgent>, model: ReturnType<typeof scriptedModel>) {
        const agent = createAgent({ model, checkpointer: checkpointer || undefined, rephrase: false });
        return agent.invoke({ messages: "And now?" }, thread);
      }

      it.each(limits)(
        "($stopReason) gives the best answer from its observations, and the next turn has this answer",
        async (limit) => {
          const { until, stopReason, calls, why } = limit;
          const { agent, model, inputs } = agentAt(limit, [...until, answer("Two things."), answer("Next.")]);
          const state = await agent.invoke({ messages: "What is there?" }, thread);
          expect(state).toMatchObject({
            stopReason,
            answer: "Two things.",
            decision: { why: expect.stringMatching(why) },
          });
          expect(inputs).toHaveLength(calls);
          expect(state.messages.at(-1)?.text).toBe("Two things.");
          const [last, before] = [model.calls.at(-1)?.prompt ?? "", model.calls.at(-2)?.prompt ?? ""];
          expect(last).toMatch(why);
          expect(last.startsWith(before)).toBe(true);
          for await (const { exact } of promptsOf(agent, "t")) expect(exact).toBe(true);
          const next = await askedNext(agent, model);
          expect(next.answer).toContain("Next.");
          expect(next.chatHistory.turns).toMatchObject([
            { question: "What is there?", answer: "Two things.", stopReason },
          ]);
          expect(model.calls.at(-1)?.prompt).toMatch(
            /What is there\?.*Two things\.\n\(The turn ended here at a limit/s,
          );
          model.assertComplete();
        },
      );

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
        const lower: Partial<Record<string, AgentOptions["limits"]>> = {
          "time-limit": { maxTurnMs: 50_000 },
          "token-limit": { maxTokens: 2_000 },
          "cost-limit": { maxDollars: 0.002 },
        };
        const forced: Partial<AgentOptions> = {
          ...options,
          limits: { ...options.limits, ...lower[stopReason], earlyStopping: "force" },
        };
        const replies = [...until, ...(beyond[stopReason] ?? []), answer("Next.")];
        const { agent, model } = agentAt({ ...limit, options: forced }, replies);
        const state = await agent.invoke({ messages: "What is there?" }, thread);
        expect(state).toMatchObject({ stopReason, answer: expect.stringMatching(/^I stopped without an answer: /) });
        const { chatHistory } = await askedNext(agent, model);
        expect(chatHistory.turns).toMatchObject([{ answer: state.answer, stopReason }]);
        model.assertComplete();
      });

      it.each(limits)(
        "($stopReason) can be continued: no step is paid for again, and the new answer replaces the old one",
        async (limit) => {
          const { until, calls, stopReason } = limit;
          const refused = ["step-limit", "tool-call-limit", "repeats"].includes(stopReason) ? 1 : 0;
          const saver = new MemorySaver();
          const { agent, inputs } = agentAt(limit, [...until, answer("So far.")], saver);
          const ended = await agent.invoke({ messages: "What is there?" }, thread);
          // A long prompt needs more tokens than it left.
          const more = {
            ...limit.options,
            limits: {
              ...limit.options.limits,
              maxTokens: 20_000,
              maxDollars: 1,
              prices: { "glassloop-scripted": { input: 1, output: 1 } },
            },
          };
          const {
            agent: again,
            model,
            inputs: added,
          } = agentAt({ ...limit, options: more }, [answer("All of it."), answer("Next.")], saver);
          const state = await continueTurn(again, "t");
          expect(state).toMatchObject({ stopReason: "answered", answer: "All of it.", turn: { number: 1 } });
          // The call that was not made is made now, without asking the model for it again.
          expect([inputs.length, added.length]).toEqual([calls, refused]);
          expect(state.usage.turn.modelCalls).toBe(until.length + 2);
          expect(state.messages.map(({ text }) => text)).not.toContain("So far.");
          expect(model.calls.at(-1)?.prompt).not.toMatch(/No more calls will be made/);
          for await (const { exact } of promptsOf(again, "t")) expect(exact).toBe(true);
          const { chatHistory } = await askedNext(again, model);
          const [question, last] = [ended.messages[0]?.id, state.messages.at(-1)?.id];
          expect(chatHistory.turns).toMatchObject([
            { id: question, end: last, answer: "All of it.", stopReason: "answered" },
          ]);
          model.assertComplete();
        },
      );
    },
  );
}
