import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, type Hooks, streamTurn } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { allOf } from "../helpers/turn-events.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";

const look = tool(({ text }) => `saw ${text}`, {
  name: "look",
  description: "Looks.",
  schema: z.object({ text: z.string() }),
});
const hurried = (messages: readonly BaseMessage[]) =>
  messages.map((message) => {
    if (!HumanMessage.isInstance(message)) return message;
    return new HumanMessage({ id: message.id, content: message.text.replace("Look.", "Look fast.") });
  });
const withoutKey = (text: string) => text.replace("sesame", "***");
const twice = (result: unknown) => (ToolMessage.isInstance(result) ? `${result.text} twice` : "");

/** The table of the page about hooks. */
const middleware: Record<keyof Hooks, [Hooks, ReturnType<typeof createMiddleware>]> = {
  beforeModel: [
    { beforeModel: ({ messages }) => hurried(messages) },
    createMiddleware({
      name: "before",
      wrapModelCall: (request, handler) => handler({ ...request, messages: hurried(request.messages) }),
    }),
  ],
  afterModel: [
    { afterModel: ({ reply }) => ({ ...reply, text: withoutKey(reply.text) }) },
    createMiddleware({
      name: "after",
      afterModel: ({ messages }) => {
        const last = messages.at(-1);
        if (!AIMessage.isInstance(last) || !last.text.includes("sesame")) return undefined;
        return { messages: [new AIMessage({ id: last.id, content: withoutKey(last.text) })] };
      },
    }),
  ],
  wrapToolCall: [
    { wrapToolCall: async (_, run) => twice(await run()) },
    createMiddleware({
      name: "around",
      wrapToolCall: async (request, handler) => {
        const content = twice(await handler(request));
        return new ToolMessage({ tool_call_id: request.toolCall.id ?? "", content });
      },
    }),
  ],
};

/** What differs between two runs that are the same. */
const ofOneRun = { turn: "", time: "", id: "", milliseconds: 0 };

describe.each(matrix(dialects, inReact, inToolCalls))(
  "for an agent that speaks $protocol",
  ({ protocol, act, answer }) => {
    it.each(Object.entries(middleware))("the hook %s as a middleware has its prompts and events", async (_, pair) => {
      const runs = [{ hooks: pair[0] }, { middleware: [pair[1]] }].map(async (options) => {
        const model = scriptedModel([
          act("look", protocol === "self-ask" ? "it" : { text: "it" }),
          answer("It is sesame."),
        ]);
        const agent = createAgent({ model, tools: [look], protocol, ...options });
        const events = await allOf(streamTurn(agent, { messages: "Look." }));
        return [model.calls.map(({ prompt }) => prompt), events.map((event) => ({ ...event, ...ofOneRun }))];
      });
      const [ours, theirs] = await Promise.all(runs);
      expect(theirs).toEqual(ours);
    });
  },
);
