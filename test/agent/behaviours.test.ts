import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent, streamTurn } from "../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { allOf, piecesOf, stepsIn } from "../helpers/turn-events.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";

const add = tool(({ a, b }) => String(a + b), {
  name: "add",
  description: "Adds two numbers.",
  schema: z.object({ a: z.number(), b: z.number() }),
});
const echo = tool(({ text }) => `echo of ${text}`, {
  name: "echo",
  description: "Says a text again.",
  schema: z.object({ text: z.string() }),
});
const broken = tool(
  ({ text }): string => {
    throw new RangeError(`no ${text} today`);
  },
  { name: "broken", description: "Never works.", schema: z.object({ text: z.string() }) },
);
const direct = tool(({ text }) => `straight: ${text}`, {
  name: "direct",
  description: "Answers itself.",
  schema: z.object({ text: z.string() }),
  returnDirect: true,
});
const tools = [add, echo, broken, direct];
const thread = (id: string) => ({ configurable: { thread_id: id } });
const firstAction = expect.stringMatching(/^[0-9a-f]{12}-1$/);

describe.each(matrix(dialects, inReact, inToolCalls))(
  "an agent that speaks $protocol",
  ({ protocol, act, answer, unreadable, oneTool }) => {
    /** All of the tools, or the one that matters where the protocol has one. */
    const offer = (tool: (typeof tools)[number]) => ({ tools: oneTool ? [tool] : tools });

    function agentWith(replies: readonly ScriptedReply[], options: Partial<AgentOptions> = {}) {
      const model = scriptedModel(replies);
      return { model, agent: createAgent({ model, tools, protocol, checkpointer: new MemorySaver(), ...options }) };
    }

    it("answers without a tool", async () => {
      const { agent, model } = agentWith([answer("Four.")]);
      const state = await agent.invoke({ messages: "What is 2 + 2?" }, thread("1"));
      expect(state).toMatchObject({ answer: "Four.", stopReason: "answered", intermediateSteps: [] });
      expect(state.messages.map((message) => [message.getType(), message.text])).toEqual([
        ["human", "What is 2 + 2?"],
        ["ai", "Four."],
      ]);
      model.assertComplete();
    });

    it("runs a tool, shows the model what it returned, and answers", async () => {
      const { agent, model } = agentWith([act("add", { a: 2, b: 2 }), answer("Four.")], offer(add));
      const state = await agent.invoke({ messages: "What is 2 + 2?" }, thread("1"));
      expect(state.answer).toBe("Four.");
      expect(state.intermediateSteps).toMatchObject([
        {
          decision: { kind: "action" },
          results: [{ action: { tool: "add", id: firstAction }, observation: "4", status: "success" }],
        },
      ]);
      expect(model.calls[1]?.prompt).toContain("4");
      expect(state.usage.turn).toMatchObject({ modelCalls: 2, toolCalls: 1 });
      model.assertComplete();
    });

    it("shows a tool step in messages as an AI message with its tool call and tool message", async () => {
      const { agent } = agentWith([act("echo", { text: "hello" }, "I shall echo"), answer("Done.")], offer(echo));
      const { messages } = await agent.invoke({ messages: "Echo hello" }, thread("1"));
      // A native call has the id that its provider gave.
      const id = protocol === "tool-calling" ? "native" : `${messages[1]?.id}-1`;
      expect(messages).toMatchObject([
        { type: "human" },
        { type: "ai", tool_calls: [{ id, name: "echo" }] },
        { type: "tool", tool_call_id: id, name: "echo", content: "echo of hello", status: "success" },
        { type: "ai", content: "Done.", id: expect.stringMatching(/^[0-9a-f]{12}$/) },
      ]);
    });

    it("takes several steps, and each prompt starts with the one before, byte for byte", async () => {
      const { agent, model } = agentWith(
        [
          act("echo", { text: "one" }),
          unreadable,
          act("echo", { text: "two" }),
          act("missing", { text: "three" }),
          answer("Done."),
        ],
        offer(echo),
      );
      const state = await agent.invoke({ messages: "Count" }, thread("1"));
      expect(state.intermediateSteps).toHaveLength(4);
      const prompts = model.calls.map((call) => call.prompt);
      for (const [index, prompt] of prompts.slice(1).entries())
        expect(prompt.startsWith(prompts[index] ?? "-")).toBe(true);
      expect(new Set(prompts).size).toBe(prompts.length);
    });

    it("names the available tools when the model calls one that does not exist", async () => {
      const { agent, model } = agentWith([act("missing", { a: 2 }), answer("Done.")], offer(echo));
      const state = await agent.invoke({ messages: "What is 2 - 2?" }, thread("1"));
      expect(state.intermediateSteps[0]?.results[0]).toMatchObject({ action: { tool: "missing" }, status: "error" });
      expect(model.calls[1]?.prompt).toMatch(
        oneTool ? /no tool named "missing".*echo/ : /no tool named "missing".*add, echo, broken, direct/,
      );
    });

    it("shows the class and message of a tool's error as the observation, without the stack", async () => {
      const { agent, model } = agentWith([act("broken", { text: "luck" }), answer("Done.")], offer(broken));
      const state = await agent.invoke({ messages: "Try it" }, thread("1"));
      const observation = state.intermediateSteps[0]?.results[0]?.observation ?? "";
      expect(observation).toContain("RangeError: no luck today");
      expect(observation).not.toMatch(/\n\s+at /);
      expect(model.calls[1]?.prompt).toContain(observation);
    });

    it("shows the schema's complaint as the observation of an input that the schema refuses", async () => {
      const { agent } = agentWith(
        [act("add", { a: "two", b: 2 }), act("add", { a: 2, b: 2 }), answer("Four.")],
        offer(add),
      );
      const state = await agent.invoke({ messages: "What is 2 + 2?" }, thread("1"));
      expect(state.intermediateSteps[0]?.results[0]).toMatchObject({ status: "error" });
      expect(state.intermediateSteps[0]?.results[0]?.observation).toMatch(/add was not run.*"a".*expected number/);
      expect(state.answer).toBe("Four.");
    });

    it("reads numbers in quotes, and runs the tool with them", async () => {
      const { agent } = agentWith([act("add", { a: "2", b: 2 }), answer("Four.")], offer(add));
      const state = await agent.invoke({ messages: "What is 2 + 2?" }, thread("1"));
      expect(state.intermediateSteps[0]?.results).toMatchObject([{ observation: "4", status: "success" }]);
    });

    it("corrects an unparseable reply, and goes on with the next one", async () => {
      const { agent, model } = agentWith([unreadable, answer("Four.")], offer(add));
      const state = await agent.invoke({ messages: "What is 2 + 2?" }, thread("1"));
      expect(state).toMatchObject({ answer: "Four.", stopReason: "answered" });
      const [step] = state.intermediateSteps;
      if (step?.decision.kind !== "unparseable") throw new Error("the first step should be unreadable");
      expect(model.calls[1]?.prompt).toContain(step.decision.correction);
    });

    it("gives up after three unreadable replies in a row, with a reason", async () => {
      const replies = [unreadable, act("add", { a: 1, b: 1 }), unreadable, unreadable, unreadable, answer("Two.")];
      const { agent, model } = agentWith(replies, {
        ...offer(add),
        limits: { earlyStopping: "force" },
        rephrase: false,
      });
      const state = await agent.invoke({ messages: "What is 2 + 2?" }, thread("1"));
      expect(state.stopReason).toBe("unreadable");
      expect(state.answer).toMatch(/last 3 replies could not be read/);
      expect(state.messages.at(-1)?.text).toBe(state.answer);
      const { chatHistory } = await agent.invoke({ messages: "Well?" }, thread("1"));
      expect(chatHistory.turns).toMatchObject([{ answer: state.answer, stopReason: "unreadable" }]);
      expect(model.calls.at(-1)?.prompt).toMatch(/could not be read\.\s\(The turn ended here at a limit, before the/);
      model.assertComplete();
    });

    it("accepts another limit of unreadable replies", async () => {
      const { agent } = agentWith([unreadable, answer("Two.")], { limits: { maxUnreadable: 1 }, ...offer(add) });
      const state = await agent.invoke({ messages: "What is 2 + 2?" }, thread("1"));
      expect(state).toMatchObject({ stopReason: "unreadable", answer: "Two." });
    });

    it("ends at its step limit with a sentence, long before LangGraph's recursion limit", async () => {
      const steps = Array.from({ length: 16 }, (_, n) => act("echo", { text: `${n}` }));
      const { agent, model } = agentWith(steps, { ...offer(echo), limits: { earlyStopping: "force" } });
      const state = await agent.invoke({ messages: "Go on" }, thread("1"));
      expect(state.stopReason).toBe("step-limit");
      expect(state.answer).toMatch(/after 15 steps/);
      expect(state.intermediateSteps).toHaveLength(15);
      model.assertComplete();
    });

    it("lets the model answer after its last step", async () => {
      const { agent } = agentWith([act("echo", { text: "1" }), answer("Done.")], {
        limits: { maxSteps: 1 },
        ...offer(echo),
      });
      const state = await agent.invoke({ messages: "Go on" }, thread("1"));
      expect(state).toMatchObject({ answer: "Done.", stopReason: "answered" });
    });

    it("ends with the observation of a tool that returns directly", async () => {
      const { agent, model } = agentWith([act("direct", { text: "yes" })], offer(direct));
      const state = await agent.invoke({ messages: "Say it" }, thread("1"));
      expect(state).toMatchObject({ answer: "straight: yes", stopReason: "returned" });
      expect(state.messages.map((message) => message.getType())).toEqual(["human", "ai", "tool", "ai"]);
      model.assertComplete();
    });

    it("remembers an answer that a tool gave", async () => {
      const { agent, model } = agentWith([act("direct", { text: "yes" }), answer("It said yes.")], {
        rephrase: false,
        ...offer(direct),
      });
      await agent.invoke({ messages: "Say it" }, thread("1"));
      const { chatHistory } = await agent.invoke({ messages: "What did it say?" }, thread("1"));
      expect(chatHistory.turns).toMatchObject([
        { question: "Say it", answer: "straight: yes", stopReason: "returned" },
      ]);
      expect(model.calls[1]?.prompt).toContain("straight: yes");
    });

    it("goes on when a tool that returns directly fails", async () => {
      const { agent } = agentWith([act("direct", { text: 1 }), answer("Done.")], offer(direct));
      const state = await agent.invoke({ messages: "Say it" }, thread("1"));
      expect(state).toMatchObject({ answer: "Done.", stopReason: "answered" });
    });

    it("rephrases a follow-up question, shows both versions, and keeps the person's words", async () => {
      const replies = [
        answer("54 °F."),
        '"What is 54 °F in Celsius?"',
        act("echo", { text: "12.2" }),
        answer("12.2 °C."),
      ];
      const { agent, model } = agentWith([...replies, "Which scale is the older one?", answer("Fahrenheit.")], {
        ...offer(echo),
        rephrase: true,
      });
      await agent.invoke({ messages: "How warm is it?" }, thread("1"));
      const state = await agent.invoke({ messages: "And in Celsius?" }, thread("1"));
      expect(state).toMatchObject({
        question: "What is 54 °F in Celsius?",
        turn: { number: 2, asked: "And in Celsius?" },
      });
      expect(model.calls[1]?.prompt).toMatch(/Q: How warm is it\?\nA: 54 °F\.\nFollow Up Input: And in Celsius\?/);
      // The earlier turn, the person's words, and after them the standalone question.
      for (const { prompt } of model.calls.slice(2, 4))
        expect(prompt).toMatch(
          /How warm is it\?\n(?:A: )?54 °F\.[\s\S]*And in Celsius\?\n(?:Standalone question|Question|The question in full): What is 54 °F in Celsius\?/,
        );
      expect(state.messages.filter((message) => message.getType() === "human").at(-1)?.text).toBe("And in Celsius?");
      expect(state.usage).toMatchObject({ turn: { modelCalls: 3 }, thread: { modelCalls: 4 } });
      const { chatHistory } = await agent.invoke({ messages: "And the older one?" }, thread("1"));
      expect(chatHistory.turns.at(-1)).toMatchObject({ question: "And in Celsius?", answer: "12.2 °C." });
      // A standalone question belongs to the prompts of its own turn only.
      expect(model.calls.at(-1)?.prompt).not.toContain("What is 54 °F in Celsius?");
      model.assertComplete();
    });

    it("rephrases by default in a text protocol, and not with native calls", async () => {
      const native = protocol === "tool-calling";
      const { agent, model } = agentWith([answer("54 °F."), ...(native ? [] : ["In Celsius?"]), answer("12.2 °C.")]);
      await agent.invoke({ messages: "How warm is it?" }, thread("1"));
      const state = await agent.invoke({ messages: "And in Celsius?" }, thread("1"));
      expect(state).toMatchObject({ question: native ? "And in Celsius?" : "In Celsius?", answer: "12.2 °C." });
      expect(model.calls.at(-1)?.prompt).toMatch(/How warm is it\?\n(?:A: )?54 °F\.[\s\S]*And in Celsius\?/);
      model.assertComplete();
    });

    it("answers the person's words if the call that rephrases them fails", async () => {
      const { agent, model } = agentWith([answer("54 °F."), new Error("down"), answer("12.2 °C.")], {
        rephrase: true,
        modelCalls: { maxRetries: 0 },
      });
      await agent.invoke({ messages: "How warm is it?" }, thread("1"));
      const state = await agent.invoke({ messages: "And in Celsius?" }, thread("1"));
      expect(state).toMatchObject({ question: "And in Celsius?", answer: "12.2 °C.", stopReason: "answered" });
      expect(model.calls.at(-1)?.prompt).toMatch(/How warm is it\?\n(?:A: )?54 °F\.[\s\S]*And in Celsius\?/);
      model.assertComplete();
    });

    it("does not rephrase small talk", async () => {
      const { agent, model } = agentWith([answer("54 °F."), answer("You are welcome.")], { rephrase: true });
      await agent.invoke({ messages: "How warm is it?" }, thread("1"));
      const state = await agent.invoke({ messages: "Thanks!" }, thread("1"));
      expect(state).toMatchObject({ question: "Thanks!", answer: "You are welcome." });
      model.assertComplete();
    });

    it("does not rephrase with rephrase: false, and shows the model the conversation instead", async () => {
      const { agent, model } = agentWith([answer("54 °F."), answer("12.2 °C.")], { rephrase: false });
      await agent.invoke({ messages: "How warm is it?" }, thread("1"));
      const state = await agent.invoke({ messages: "And in Celsius?" }, thread("1"));
      expect(state).toMatchObject({ question: "And in Celsius?", answer: "12.2 °C." });
      expect(model.calls[1]?.prompt).toContain("54 °F.");
    });

    it("shows the model the user's instructions and the day", async () => {
      const { agent, model } = agentWith([answer("Arr.")], { instructions: "Talk like a pirate.", currentDate: true });
      const state = await agent.invoke({ messages: "Hello, who are you?" }, thread("1"));
      expect(model.calls[0]?.prompt).toContain("Talk like a pirate.");
      expect(model.calls[0]?.prompt).toContain(state.turn.startedAt.slice(0, 10));
    });

    it("resumes a thread of another agent on the same checkpointer", async () => {
      const checkpointer = new MemorySaver();
      const first = agentWith([answer("54 °F.")], { checkpointer });
      await first.agent.invoke({ messages: "How warm is it?" }, thread("1"));
      const replies = ["What is 54 °F in Celsius?", answer("12.2 °C.")];
      const second = agentWith(replies, { checkpointer, rephrase: true });
      const state = await second.agent.invoke({ messages: "And in Celsius?" }, thread("1"));
      expect(state).toMatchObject({ answer: "12.2 °C.", turn: { number: 2 } });
      expect(state.messages).toHaveLength(4);
    });

    it("resumes after its last finished node when the model failed, without a second model call", async () => {
      const { agent, model } = agentWith(
        [act("add", { a: 2, b: 2 }), new Error("the model is down"), answer("Four.")],
        offer(add),
      );
      await expect(agent.invoke({ messages: "What is 2 + 2?" }, thread("1"))).rejects.toThrow("the model is down");
      expect((await agent.getState(thread("1"))).next).toEqual(["plan"]);
      const state = await agent.invoke(null, thread("1"));
      expect(state).toMatchObject({ answer: "Four.", turn: { number: 1 } });
      model.assertComplete();
    });

    it("works without a checkpointer, and then keeps nothing", async () => {
      const { agent, model } = agentWith([answer("One."), answer("Two.")], { checkpointer: undefined });
      await agent.invoke({ messages: "First?" });
      const state = await agent.invoke({ messages: "Second?" });
      expect(state).toMatchObject({ answer: "Two.", turn: { number: 1 } });
      model.assertComplete();
    });

    it("streams events, and the answer while the model writes it", async () => {
      const { agent } = agentWith(
        [act("echo", { text: "hi" }, "I shall echo"), answer("It said hi to you.")],
        offer(echo),
      );
      const events = await allOf(streamTurn(agent, { messages: "Echo hi" }, thread("1")));
      expect(stepsIn(events)).toMatchObject([
        { type: "question", asked: "Echo hi", question: "Echo hi" },
        { type: "thought", text: "I shall echo" },
        { type: "action", id: firstAction, tool: "echo" },
        { type: "observation", id: firstAction, text: "echo of hi", status: "success" },
        { type: "answer", text: "It said hi to you.", stopReason: "answered" },
      ]);
      expect(piecesOf(events)).toBe("It said hi to you.");
    });

    it("stops at its signal, in a model call and in a tool, and can be resumed", async () => {
      const controller = new AbortController();
      let seen: AbortSignal | undefined;
      const slow = tool(
        async (_, config) => {
          seen = config.signal;
          controller.abort(new Error("enough"));
          await new Promise((_resolve, reject) =>
            config.signal?.addEventListener("abort", () => reject(new Error("stopped")), { once: true }),
          );
          return "never";
        },
        { name: "slow", description: "Waits.", schema: z.object({}) },
      );
      const { agent } = agentWith([act("slow", {}), answer("Done.")], { tools: [slow] });
      await expect(agent.invoke({ messages: "Wait" }, { ...thread("1"), signal: controller.signal })).rejects.toThrow(
        "enough",
      );
      expect(seen?.aborted).toBe(true);
      expect((await agent.getState(thread("1"))).next).toEqual(["act"]);
    });
  },
);
