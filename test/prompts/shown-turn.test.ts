import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { type Dialect, dialects, inReact } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";

const thread = { configurable: { thread_id: "1" } };
const echo = tool(({ text }) => `echo of ${text}`, {
  name: "echo",
  description: "Says a text.",
  schema: z.object({ text: z.string() }),
});
const text = (message?: ScriptedReply) => String(message);

/**
 * Changes the messages of a turn before its last prompt is written: a question, an unreadable reply, a call and its result, twice
 * over, after an earlier turn.
 */
async function promptsAround(
  { protocol, act, answer, unreadable }: Dialect,
  change: (all: BaseMessage[]) => BaseMessage[],
) {
  const calls = ["one", "two"].map((word) => act("echo", { text: word }));
  const replies = [answer("Hello."), text(calls[0]), unreadable, text(calls[1]), new Error("away"), answer("Done.")];
  const model = scriptedModel(replies);
  const checkpointer = new MemorySaver();
  const agent = createAgent({ model, tools: [echo], protocol, rephrase: false, checkpointer });
  await agent.invoke({ messages: "Who is there?" }, thread);
  await expect(agent.invoke({ messages: "Echo it." }, thread)).rejects.toThrow("away");
  const { messages } = (await agent.getState(thread)).values;
  await agent.updateState(thread, { messages: change(messages) }, "act");
  const state = await agent.invoke(null, thread);
  const [before = "", after = ""] = model.calls.slice(-2).map(({ prompt }) => prompt);
  return { before, after, state };
}

/** What is shown of the messages after a change: who asked, who answered, what was called. */
const changes: readonly {
  readonly what: string;
  readonly change: (all: BaseMessage[]) => BaseMessage[];
  readonly shows?: string;
  readonly hides?: string;
  readonly grows?: boolean;
  /** True if the model has to write its inputs as text. */
  readonly asText?: true;
}[] = [
  { what: "nothing: the prompt is the same, byte for byte", change: () => [], grows: true },
  {
    what: "a call of an older version, which has its written input as one text: the prompt is the same",
    change: ([, , , call]) => {
      const { id, content, tool_calls: [made] = [] } = call as AIMessage;
      const args = { input: JSON.stringify(made?.args) };
      return [new AIMessage({ id, content, tool_calls: made && [{ ...made, args }] })];
    },
    grows: true,
    asText: true,
  },
  {
    what: "words of a person: the prompt grows",
    change: () => [new HumanMessage("Be quick.")],
    shows: "Be quick.",
    grows: true,
  },
  {
    what: "the question",
    change: ([, , { id } = new HumanMessage("")]) => [new HumanMessage({ id, content: "Say it." })],
    shows: "Say it.",
    hides: "Echo it.",
  },
  {
    what: "an earlier answer",
    change: ([, { id } = new AIMessage("")]) => [new AIMessage({ id, content: "Good day." })],
    shows: "Good day.",
    hides: "Hello.",
  },
  {
    what: "a result",
    change: (all) =>
      all
        .filter(ToolMessage.isInstance)
        .slice(0, 1)
        .map((result) => new ToolMessage({ ...result, content: "***" })),
    shows: "***",
    hides: "echo of one",
  },
  {
    what: "a call",
    change: ([, , , { id } = new AIMessage(""), result]) => {
      const { tool_call_id } = result as ToolMessage;
      return [
        new AIMessage({ id, content: "", tool_calls: [{ id: tool_call_id, name: "echo", args: { text: "uno" } }] }),
      ];
    },
    shows: "uno",
  },
  {
    what: "a step that was taken out, with the unreadable replies before it",
    change: (all) => all.slice(5).map(({ id = "" }) => new RemoveMessage({ id })),
    shows: "echo of one",
    hides: "echo of two",
  },
  {
    what: "a result that was taken out",
    change: (all) => all.slice(-1).map(({ id = "" }) => new RemoveMessage({ id })),
    shows: "This call has no result.",
    hides: "echo of two",
  },
];

describe.each(
  matrix(
    dialects.filter(({ protocol }) => protocol !== "tool-calling"),
    inReact,
  ),
)("a prompt of $protocol is made of messages. It shows", (dialect) => {
  const writesObjects = dialect.protocol === "structured-chat";
  it.each(changes.filter(({ asText }) => !(asText && writesObjects)))(
    "$what",
    async ({ change, shows = "", hides, grows }) => {
      const { before, after, state } = await promptsAround(dialect, change);
      expect(after).toContain(shows);
      if (hides) expect([before.includes(hides), after.includes(hides)]).toEqual([true, false]);
      if (grows) expect(after.slice(0, before.length)).toBe(before);
      const called = state.messages.flatMap((message) =>
        AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [],
      );
      for (const { args } of called) expect(Object.keys(args)).toEqual([args.input ? "input" : "text"]);
    },
  );
});

it("a prompt shows a reply of a person as it was written", async () => {
  const model = scriptedModel([new Error("away"), "Final Answer: Done."]);
  const agent = createAgent({ model, tools: [echo], protocol: "react", checkpointer: new MemorySaver() });
  await expect(agent.invoke({ messages: "Echo it." }, thread)).rejects.toThrow("away");
  const written = "I look.\nAction: echo\nAction Input: one";
  const reply = { text: written, toolCalls: [], invalidToolCalls: [] };
  await agent.updateState(thread, { reply }, "plan");
  await agent.invoke(null, thread);
  expect(model.calls.at(-1)?.prompt).toContain(written);
});
