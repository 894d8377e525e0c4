import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { type ToolRuntime, tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver, REMOVE_ALL_MESSAGES, ReducedValue, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { assembleParts } from "../../../src/agent/assemble-parts.js";
import type { Plugin } from "../../../src/core/parts/plugin.js";
import type { AgentStateValues } from "../../../src/core/state/state.js";
import { agentOf } from "../../../src/graph/compile-agent.js";
import { type AgentOptions, continueTurn, streamTurn } from "../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { allOf, piecesOf } from "../../helpers/turn-events.js";
import { dialects, inReact, inToolCalls } from "../../matrix/dialects.js";
import { matrix } from "../../matrix/matrix.js";

const thread = { configurable: { thread_id: "1" } };
const look = tool(({ text }) => `ann@x.org saw ${text}`, {
  name: "look",
  description: "Looks.",
  schema: z.object({ text: z.string() }),
});
interface Seen {
  readonly messages: BaseMessage[];
}

function agentWith(replies: readonly ScriptedReply[], plugins: readonly Plugin[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(replies);
  const checkpointer = new MemorySaver();
  const all = { model, tools: [look], checkpointer, ...options };
  return { model, checkpointer, agent: agentOf({ ...assembleParts(all), plugins }, all) };
}

const said = (messages: readonly BaseMessage[]) => messages.map((message) => `${message.getType()}: ${message.text}`);
const withoutAddress = ({ messages }: Seen) => ({
  messages: messages.flatMap((message): BaseMessage[] => {
    if (!message.text.includes("ann@x.org")) return [];
    const { id } = message;
    const content = message.text.replaceAll("ann@x.org", "[email]");
    if (ToolMessage.isInstance(message)) return [new ToolMessage({ id, content, tool_call_id: message.tool_call_id })];
    return [AIMessage.isInstance(message) ? new AIMessage({ id, content }) : new HumanMessage({ id, content })];
  }),
});

describe.each(matrix(dialects, inReact, inToolCalls))(
  "a hook of an agent that speaks $protocol",
  ({ protocol, act, answer, unreadable }) => {
    const looks = act("look", protocol === "self-ask" ? "it" : { text: "it" });
    const run = (replies: readonly ScriptedReply[], plugins: readonly Plugin[]) =>
      agentWith(replies, plugins, { protocol });

    it("takes something out of questions, results and answers: it is in no prompt and nowhere in the state", async () => {
      const plugin = { name: "pii", beforeModel: withoutAddress, afterModel: withoutAddress };
      const { agent, model } = run(
        [looks, answer("Ask ann@x.org."), answer("Again?"), answer("Yes.")].slice(
          0,
          protocol === "tool-calling" ? 2 : 4,
        ),
        [plugin],
      );
      await agent.invoke({ messages: "Who is ann@x.org, please?" }, thread);
      const { values } = await agent.getState(thread);
      expect(values.answer).toBe("Ask [email].");
      expect(JSON.stringify([values, model.calls.map(({ prompt }) => prompt)])).not.toContain("ann@x.org");
      expect(values.turn.asked).toBe("Who is [email], please?");
      if (protocol === "tool-calling") return;
      await agent.invoke({ messages: "And where does ann@x.org live now?" }, thread);
      expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toContain("ann@x.org");
    });

    it("changes words of a reply that cannot be read, which is no answer for that", async () => {
      const seen = (message: AIMessage) => new AIMessage({ id: message.id ?? "", content: `${message.text} (seen)` });
      const before: Plugin = {
        name: "before",
        wrapModelCall: async (request, next) => seen(await next(request)),
      };
      const after: Plugin = {
        name: "after",
        afterModel: ({ messages }: Seen) => ({ messages: messages.slice(-1).filter(AIMessage.isInstance).map(seen) }),
      };
      for (const plugin of [before, after]) {
        const { agent } = run([unreadable, answer("Fine.")], [plugin]);
        const { answer: given, intermediateSteps } = await agent.invoke({ messages: "Look." }, thread);
        expect([given, intermediateSteps.length]).toEqual(["Fine. (seen)", 1]);
        expect(intermediateSteps[0]?.reply.text).toMatch(/\(seen\)$/);
      }
    });

    it("changes a call, answers a call, and asks a person about one", async () => {
      const asks: Plugin = {
        name: "asks",
        afterModel: {
          canJumpTo: ["model"],
          hook: ({ messages }: Seen) => {
            const last = messages.at(-1);
            const [call] = AIMessage.isInstance(last) ? (last.tool_calls ?? []) : [];
            if (!AIMessage.isInstance(last) || call?.id === undefined) return undefined;
            const decided: unknown = interrupt(`May it ${call.name}?`);
            if (decided === "yes") return undefined;
            if (decided === "no") {
              const refused = new ToolMessage({
                tool_call_id: call.id,
                name: call.name,
                content: "Not that.",
                status: "error",
              });
              return { messages: [refused], jumpTo: "model" };
            }
            // In place, as a middleware of LangChain does it.
            last.tool_calls = [{ ...call, args: { text: decided } }];
            return { messages: [last] };
          },
        },
      };
      const { agent, model } = run([looks, looks, looks, answer("Done.")], [asks]);
      await agent.invoke({ messages: "Look." }, thread);
      for (const resume of ["yes", "no", "the sea"]) await agent.invoke(new Command({ resume }), thread);
      const values: AgentStateValues = (await agent.getState(thread)).values;
      const results = values.messages.filter(ToolMessage.isInstance).map(({ text }) => text);
      expect(results).toEqual(["ann@x.org saw it", "Not that.", "ann@x.org saw the sea"]);
      expect(values.intermediateSteps.flatMap((step) => step.results.map(({ observation }) => observation))).toEqual(
        results,
      );
      expect(values.answer).toBe("Done.");
      for (const text of results) expect(model.calls[3]?.prompt).toContain(text);
      expect(model.calls[3]?.prompt).toContain("the sea");
    });

    it("around a request changes the prompt, the tools, the model and the reply, and may ask none", async () => {
      const other = scriptedModel([looks]);
      const wraps: Plugin = {
        name: "wraps",
        wrapModelCall: async (request, handler) => {
          const { length } = request.messages;
          if (length > 3) return new AIMessage("Made up.");
          if (length > 1)
            return handler({ ...request, messages: request.messages.slice(0, 1), systemPrompt: "Be kind." });
          const { tool_calls: [call] = [] } = await handler({ ...request, model: other, tools: [look] });
          return new AIMessage({ content: "", tool_calls: call && [{ ...call, args: { text: "the sea" } }] });
        },
      };
      const tools = [look, tool(() => "", { name: "hidden", description: "Is not shown.", schema: z.object({}) })];
      const options = { protocol, rephrase: false, ...(protocol !== "self-ask" && { tools }) };
      const { agent, model } = agentWith([answer("Fine.")], [wraps], options);
      const state = await agent.invoke({ messages: "Look." }, thread);
      expect(said(state.messages).slice(1)).toEqual(["ai: ", "tool: ann@x.org saw the sea", "ai: Fine."]);
      expect(state.usage.turn.modelCalls).toBe(2);
      expect(JSON.stringify([other.calls[0]?.prompt, other.calls[0]?.tools ?? []])).not.toContain("Is not shown.");
      expect(model.calls[0]?.prompt).toContain("Be kind.");
      expect(model.calls[0]?.prompt).not.toContain("the sea");
      expect((await agent.invoke({ messages: "And again?" }, thread)).answer).toBe("Made up.");
    });

    it("puts a summary in the place of the question and the first steps: a prompt shows both", async () => {
      const sums: Plugin = {
        name: "sums",
        beforeModel: ({ messages }: Seen) => {
          if (messages.length < 5) return undefined;
          const fields = { id: messages[0]?.id, content: "In sum.", additional_kwargs: { lc_source: "summarization" } };
          const removal = new RemoveMessage({ id: REMOVE_ALL_MESSAGES });
          return { messages: [removal, new HumanMessage(fields), ...messages.slice(-2)] };
        },
      };
      const { agent, model } = run([looks, looks, answer("Done.")], [sums]);
      const { turn, messages } = await agent.invoke({ messages: "What is there?" }, thread);
      expect([turn.asked, messages.length]).toEqual(["What is there?", 4]);
      for (const text of ["In sum.", "What is there?"]) expect(model.calls[2]?.prompt).toContain(text);
      expect(model.calls[2]?.prompt.match(/ann@x\.org saw/g)).toHaveLength(1);
    });

    it("ends a turn before a reply, sees replies that cannot be read, and the next turn is its own", async () => {
      let left = 1;
      const log: string[] = [];
      const limit: Plugin = {
        name: "limit",
        beforeModel: {
          canJumpTo: ["end"],
          hook: () => (left > 0 ? undefined : { jumpTo: "end", messages: [new AIMessage("That is enough.")] }),
        },
        afterModel: ({ messages }: Seen) => {
          left -= 1;
          log.push(messages.at(-1)?.text ?? "");
        },
        afterAgent: ({ messages }: Seen) => {
          left = 1;
          log.push(messages.at(-1)?.text ?? "");
        },
      };
      const { agent } = agentWith([unreadable, answer("Fine.")], [limit], { protocol, rephrase: false });
      const state = await agent.invoke({ messages: "Well?" }, thread);
      expect([state.answer, state.stopReason]).toEqual(["That is enough.", "stop-condition"]);
      expect(said(state.messages)).toEqual(["human: Well?", "ai: That is enough."]);
      expect((await agent.invoke({ messages: "And now?" }, thread)).answer).toBe("Fine.");
      expect(log.slice(1)).toEqual(["That is enough.", "Fine.", "Fine."]);
    });
  },
);

it("hooks run in their order, in no step of their own, with their channels, and what they return whole counts once", async () => {
  const list = new ReducedValue(
    z.array(z.string()).default(() => []),
    {
      inputSchema: z.array(z.string()),
      reducer: (one: string[], two: string[]) => [...one, ...two],
    },
  );
  const plugin = (name: string): Plugin => {
    const note = (place: string) => (state: Seen & { list: string[] }) => ({ ...state, list: [`${name} ${place}`] });
    const own = { beforeAgent: note("beforeAgent"), beforeModel: note("beforeModel"), afterModel: note("afterModel") };
    return { name, stateSchema: new StateSchema({ list }), ...own, afterAgent: note("afterAgent") };
  };
  const replies = [{ tool_calls: [{ name: "look", args: { text: "it" } }] }, "Done."];
  const count = async (plugins: readonly Plugin[]) => {
    const { agent, checkpointer } = agentWith(replies, plugins);
    const state = await agent.invoke({ messages: "Look." }, thread);
    let kept = 0;
    for await (const _ of checkpointer.list(thread)) kept += 1;
    return { kept, list: Reflect.get(state, "list") };
  };
  const [bare, hooked] = [await count([]), await count([plugin("A"), plugin("B")])];
  expect(hooked.kept).toBe(bare.kept);
  const both = (place: string) => [`A ${place}`, `B ${place}`];
  const step = [...both("beforeModel"), ...both("afterModel").reverse()];
  expect(hooked.list).toEqual([...both("beforeAgent"), ...step, ...step, ...both("afterAgent").reverse()]);
});

it("a tool writes the channels of a plug-in with a command", async () => {
  const write = tool(
    (_: object, { toolCallId }: ToolRuntime) =>
      new Command({
        update: { todos: ["one"], messages: [new ToolMessage({ content: "Noted.", tool_call_id: toolCallId })] },
      }),
    { name: "write", description: "Writes.", schema: z.object({}) },
  );
  const plugin = { name: "todos", stateSchema: z.object({ todos: z.array(z.string()).default([]) }) };
  const { agent } = agentWith([{ tool_calls: [{ name: "write", args: {} }] }, "Done."], [plugin], { tools: [write] });
  const state = await agent.invoke({ messages: "Note it." }, thread);
  expect([Reflect.get(state, "todos"), said(state.messages)[2]]).toEqual([["one"], "tool: Noted."]);
});

it("a hook gets its part of the context, changes the last answer, and nothing of it was sent before", async () => {
  const plugin: Plugin = {
    name: "end",
    contextSchema: z.object({ word: z.string().default("Bye.") }),
    afterAgent: ({ messages }: Seen, { context }: { context: { word: string } }) => ({
      messages: [new AIMessage({ id: messages.at(-1)?.id, content: context.word })],
    }),
  };
  const { agent } = agentWith(["Hello."], [plugin]);
  const events = await allOf(streamTurn(agent, { messages: "Say it." }, thread));
  expect(piecesOf(events)).toBe("Bye.");
  const { values } = await agent.getState(thread);
  expect(said(values.messages)).toEqual(["human: Say it.", "ai: Bye."]);
  expect(JSON.stringify(values)).not.toContain("Hello.");
});

it("a turn that a hook ended goes on and takes no step again, and a person decides how it ends", async () => {
  let [isOver, made] = [true, 0];
  const pay = tool(() => `paid ${++made}`, {
    name: "pay",
    description: "Pays.",
    schema: z.object({}),
    metadata: { effects: true },
  });
  const plugin: Plugin = {
    name: "end",
    beforeModel: {
      canJumpTo: ["end"],
      hook: ({ messages }: Seen) => (isOver && messages.length > 2 ? { jumpTo: "end" } : undefined),
    },
    afterAgent: ({ messages }: Seen) => {
      const content: unknown = isOver || interrupt("What does it say?");
      return isOver ? undefined : { messages: [new AIMessage({ id: messages.at(-1)?.id, content: String(content) })] };
    },
  };
  const { agent } = agentWith([{ tool_calls: [{ name: "pay", args: {} }] }, "Done."], [plugin], { tools: [pay] });
  expect((await agent.invoke({ messages: "Pay." }, thread)).stopReason).toBe("stop-condition");
  isOver = false;
  await continueTurn(agent, "1");
  const { answer, intermediateSteps } = await agent.invoke(new Command({ resume: "Paid." }), thread);
  expect([answer, made, intermediateSteps.length]).toEqual(["Paid.", 1, 1]);
});

it("a turn that a hook ended before any reply goes on with the first one", async () => {
  let isOver = true;
  const hook = () => (isOver ? { jumpTo: "end" } : undefined);
  const { agent } = agentWith(["Done."], [{ name: "end", beforeModel: { hook, canJumpTo: ["end"] } }]);
  expect((await agent.invoke({ messages: "Well?" }, thread)).stopReason).toBe("stop-condition");
  isOver = false;
  expect((await continueTurn(agent, "1")).answer).toBe("Done.");
});

it.each<[string, Plugin, RegExp]>([
  [
    "a jump that it did not name",
    { name: "m", beforeAgent: () => ({ jumpTo: "end" }) },
    /m\.beforeAgent jumps to end; name it in canJumpTo/,
  ],
  [
    "a channel of agents",
    { name: "m", stateSchema: z.object({ usage: z.number() }) },
    /m has a channel "usage", and agents have one/,
  ],
])("a plug-in is refused for %s", async (_, plugin, message) => {
  await expect(
    (async () => agentWith(["Hello."], [plugin]).agent.invoke({ messages: "Well?" }, thread))(),
  ).rejects.toThrow(message);
});
