import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent, streamTurn } from "../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { textTool } from "../helpers/tools.js";
import { allOf, piecesOf, stepsIn } from "../helpers/turn-events.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";

const add = tool(({ a, b }) => String(a + b), {
  name: "add",
  description: "Adds two numbers.",
  schema: z.object({ a: z.number(), b: z.number() }),
});
const echo = textTool("echo", (text) => `echo of ${text}`);
const broken = textTool("broken", (text) => {
  throw new RangeError(`no ${text} today`);
});
const direct = textTool("direct", (text) => `straight: ${text}`, { returnDirect: true });
const tools = [add, echo, broken, direct];
const thread = { configurable: { thread_id: "1" } };
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

    it("answers without a tool, and keeps nothing without a checkpointer", async () => {
      const { agent, model } = agentWith([answer("One."), answer("Four.")], { checkpointer: undefined });
      await agent.invoke({ messages: "First?" });
      const state = await agent.invoke({ messages: "What is 2 + 2?" });
      expect(state).toMatchObject({
        answer: "Four.",
        stopReason: "answered",
        intermediateSteps: [],
        turn: { number: 1 },
        messages: [
          { type: "human", content: "What is 2 + 2?" },
          { type: "ai", content: "Four." },
        ],
      });
      model.assertComplete();
    });

    it("runs a tool, shows the model what it returned, and has the call and its result in messages", async () => {
      const { agent, model } = agentWith([act("echo", { text: "hello" }), answer("Done.")], offer(echo));
      const state = await agent.invoke({ messages: "Echo hello" }, thread);
      const result = { action: { tool: "echo", id: firstAction }, observation: "echo of hello", status: "success" };
      expect(state).toMatchObject({
        answer: "Done.",
        intermediateSteps: [{ decision: { kind: "action" }, results: [result] }],
        usage: { turn: { modelCalls: 2, toolCalls: 1 } },
      });
      expect(model.calls[1]?.prompt).toContain("echo of hello");
      // A native call has the id that its provider gave.
      const id = protocol === "tool-calling" ? "native" : `${state.messages[1]?.id}-1`;
      expect(state.messages).toMatchObject([
        { type: "human" },
        { type: "ai", tool_calls: [{ id, name: "echo" }] },
        { type: "tool", tool_call_id: id, name: "echo", content: "echo of hello", status: "success" },
        { type: "ai", content: "Done.", id: expect.stringMatching(/^[0-9a-f]{12}$/) },
      ]);
      model.assertComplete();
    });

    it("takes as many steps as it may, names the tools after a call of none, and only adds to its prompt", async () => {
      const replies = [
        act("echo", { text: "one" }),
        unreadable,
        act("echo", { text: "two" }),
        act("missing", { text: "three" }),
        answer("Done."),
      ];
      const { agent, model } = agentWith(replies, { ...offer(echo), limits: { maxSteps: 4 } });
      const state = await agent.invoke({ messages: "Count" }, thread);
      expect(state).toMatchObject({ answer: "Done.", stopReason: "answered", intermediateSteps: { length: 4 } });
      const [missing] = state.intermediateSteps.at(-1)?.results ?? [];
      expect(missing).toMatchObject({ action: { tool: "missing" }, status: "error" });
      const names = oneTool ? /no tool named "missing".*echo/ : /no tool named "missing".*add, echo, broken, direct/;
      expect(model.calls.at(-1)?.prompt).toMatch(names);
      const prompts = model.calls.map((call) => call.prompt);
      for (const [index, prompt] of prompts.slice(1).entries())
        expect(prompt.startsWith(prompts[index] ?? "-")).toBe(true);
      expect(new Set(prompts).size).toBe(prompts.length);
    });

    it("shows the class and message of a tool's error as the observation, without the stack", async () => {
      const { agent, model } = agentWith([act("broken", { text: "luck" }), answer("Done.")], offer(broken));
      const state = await agent.invoke({ messages: "Try it" }, thread);
      const observation = state.intermediateSteps[0]?.results[0]?.observation ?? "";
      expect(observation).toContain("RangeError: no luck today");
      expect(observation).not.toMatch(/\n\s+at /);
      expect(model.calls[1]?.prompt).toContain(observation);
    });

    it("shows the schema's complaint about an input, reads numbers in quotes, and runs the tool with them", async () => {
      const replies = [act("add", { a: "two", b: 2 }), act("add", { a: "2", b: 2 }), answer("Four.")];
      const { agent } = agentWith(replies, offer(add));
      const state = await agent.invoke({ messages: "What is 2 + 2?" }, thread);
      expect(state.answer).toBe("Four.");
      expect(state.intermediateSteps.map(({ results }) => results)).toMatchObject([
        [{ observation: expect.stringMatching(/add was not run.*"a".*expected number/), status: "error" }],
        [{ observation: "4", status: "success" }],
      ]);
    });

    it("corrects an unparseable reply, and gives up after three in a row, with a reason", async () => {
      const replies = [unreadable, act("add", { a: 1, b: 1 }), unreadable, unreadable, unreadable, answer("Two.")];
      const { agent, model } = agentWith(replies, {
        ...offer(add),
        limits: { earlyStopping: "force" },
        rephrase: false,
      });
      const state = await agent.invoke({ messages: "What is 2 + 2?" }, thread);
      const [step] = state.intermediateSteps;
      if (step?.decision.kind !== "unparseable") throw new Error("the first step should be unreadable");
      expect(model.calls[1]?.prompt).toContain(step.decision.correction);
      expect(state.stopReason).toBe("unreadable");
      expect(state.answer).toMatch(/last 3 replies could not be read/);
      expect(state.messages.at(-1)?.text).toBe(state.answer);
      const { chatHistory } = await agent.invoke({ messages: "Well?" }, thread);
      expect(chatHistory.turns).toMatchObject([{ answer: state.answer, stopReason: "unreadable" }]);
      expect(model.calls.at(-1)?.prompt).toMatch(/could not be read\.\s\(The turn ended here at a limit, before the/);
      model.assertComplete();
    });

    it("goes on when a tool that returns directly fails, else ends with its result and remembers that", async () => {
      const replies = [act("direct", { text: 1 }), act("direct", { text: "yes" }), answer("It said yes.")];
      const { agent, model } = agentWith(replies, { ...offer(direct), rephrase: false });
      const state = await agent.invoke({ messages: "Say it" }, thread);
      expect(state).toMatchObject({ answer: "straight: yes", stopReason: "returned" });
      const types = ["human", "ai", "tool", "ai", "tool", "ai"];
      expect(state.messages.map((message) => message.getType())).toEqual(types);
      const { chatHistory } = await agent.invoke({ messages: "What did it say?" }, thread);
      const turn = { question: "Say it", answer: "straight: yes", stopReason: "returned" };
      expect(chatHistory.turns).toMatchObject([turn]);
      expect(model.calls.at(-1)?.prompt).toContain("straight: yes");
      model.assertComplete();
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
        // With native calls a question is rephrased only on request.
        ...(protocol === "tool-calling" && { rephrase: true }),
      });
      await agent.invoke({ messages: "How warm is it?" }, thread);
      const state = await agent.invoke({ messages: "And in Celsius?" }, thread);
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
      const { chatHistory } = await agent.invoke({ messages: "And the older one?" }, thread);
      expect(chatHistory.turns.at(-1)).toMatchObject({ question: "And in Celsius?", answer: "12.2 °C." });
      // A standalone question belongs to the prompts of its own turn only.
      expect(model.calls.at(-1)?.prompt).not.toContain("What is 54 °F in Celsius?");
      model.assertComplete();
    });

    it("answers the person's words if the call that rephrases them fails, and does not rephrase small talk", async () => {
      const replies = [answer("54 °F."), new Error("down"), answer("12.2 °C."), answer("You are welcome.")];
      const { agent, model } = agentWith(replies, { rephrase: true, modelCalls: { maxRetries: 0 } });
      await agent.invoke({ messages: "How warm is it?" }, thread);
      const state = await agent.invoke({ messages: "And in Celsius?" }, thread);
      expect(state).toMatchObject({ question: "And in Celsius?", answer: "12.2 °C.", stopReason: "answered" });
      expect(model.calls.at(-1)?.prompt).toMatch(/How warm is it\?\n(?:A: )?54 °F\.[\s\S]*And in Celsius\?/);
      const thanked = await agent.invoke({ messages: "Thanks!" }, thread);
      expect(thanked).toMatchObject({ question: "Thanks!", answer: "You are welcome." });
      model.assertComplete();
    });

    it("streams events, and the answer while the model writes it", async () => {
      const { agent } = agentWith(
        [act("echo", { text: "hi" }, "I shall echo"), answer("It said hi to you.")],
        offer(echo),
      );
      const events = await allOf(streamTurn(agent, { messages: "Echo hi" }, thread));
      expect(stepsIn(events)).toMatchObject([
        { type: "question", asked: "Echo hi", question: "Echo hi" },
        { type: "thought", text: "I shall echo" },
        { type: "action", id: firstAction, tool: "echo" },
        { type: "observation", id: firstAction, text: "echo of hi", status: "success" },
        { type: "answer", text: "It said hi to you.", stopReason: "answered" },
      ]);
      expect(piecesOf(events)).toBe("It said hi to you.");
    });
  },
);

function agentInReact(replies: readonly ScriptedReply[], options: Partial<AgentOptions>) {
  return createAgent({ model: scriptedModel(replies), protocol: "react", checkpointer: new MemorySaver(), ...options });
}

it("an agent ends at its step limit with a sentence, long before LangGraph's recursion limit", async () => {
  const steps = Array.from({ length: 16 }, (_, n) => inReact.act("echo", { text: `${n}` }));
  const agent = agentInReact(steps, { tools: [echo], limits: { earlyStopping: "force" } });
  const state = await agent.invoke({ messages: "Go on" }, thread);
  expect(state).toMatchObject({ stopReason: "step-limit", intermediateSteps: { length: 15 } });
  expect(state.answer).toMatch(/after 15 steps/);
});

it("a tool gets the signal of its run, and the run can be resumed", async () => {
  const controller = new AbortController();
  let seen: AbortSignal | undefined;
  const slow = tool(
    (_, { signal }) => {
      seen = signal;
      controller.abort(new Error("enough"));
      return new Promise<string>(() => {});
    },
    { name: "slow", description: "Waits.", schema: z.object({}) },
  );
  const agent = agentInReact([inReact.act("slow", {})], { tools: [slow] });
  const { signal } = controller;
  await expect(agent.invoke({ messages: "Wait" }, { ...thread, signal })).rejects.toThrow("enough");
  expect(seen?.aborted).toBe(true);
  expect((await agent.getState(thread)).next).toEqual(["act"]);
});
