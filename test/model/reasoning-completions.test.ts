import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { reasoningIn } from "../../src/middleware/reasoning/read-reasoning.js";
import { loadModel } from "../../src/model/models.js";
import { type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";

const thoughts = ["  First «🦊»\n\n look. ", "Then\tlook \\n again.\n", "Now I know."];
const look = tool(() => "seen", { name: "look", description: "Looks.", schema: z.object({}) });

/** Two steps with a tool, and an answer, each with its reasoning. */
function replies(reasoning: (thought: string) => Record<string, string>): ServerReply[] {
  const calls = [0, 1].map((n) => ({ toolCalls: [{ name: "look", args: {}, id: `call_${n}` }] }));
  return [...calls, { text: "Done." }].map((reply, n) => ({ ...reply, reasoning: reasoning(thoughts[n] ?? "") }));
}

/** Runs a turn with two steps, and a follow-up. Returns the assistant's messages of each request, and those of the turn. */
async function assistantMessages(script: readonly ServerReply[], streaming: boolean) {
  await using server = await startOpenAIServer([...script, "Again."]);
  const model = await loadModel("thinker", { baseUrl: server.url, streaming });
  const asked = model.bindTools?.([look]) ?? model;
  const messages: BaseMessage[] = [new SystemMessage("Look."), new HumanMessage("?")];
  const turn: BaseMessage[] = [];
  for (;;) {
    let reply: AIMessageChunk | undefined;
    for await (const chunk of await asked.stream(messages)) reply = reply ? reply.concat(chunk) : chunk;
    if (reply === undefined) throw new Error("There is no reply.");
    messages.push(reply);
    if (turn.push(reply) > script.length) break;
    const { tool_calls: [call] = [] } = reply;
    messages.push(call ? await look.invoke(call) : new HumanMessage("And now?"));
  }
  expect(server.requests.map(({ body }) => body.stream)).toEqual(Array(4).fill(streaming));
  const sent = server.requests.map(({ body }) => body.messages.filter(({ role }) => role === "assistant"));
  return { sent, turn: turn.slice(0, 3) };
}

const ways = [
  { way: "streamed", streaming: true },
  { way: "whole", streaming: false },
];

describe.each(ways)("the reasoning of a $way reply of an OpenAI-compatible server", ({ streaming }) => {
  it.each([["reasoning_content"], ["reasoning"], ["reasoning_content", "reasoning"]])(
    "is sent back in its fields, byte for byte, and read once: %s %s",
    async (...fields) => {
      const inFields = (thought: string) => Object.fromEntries(fields.map((field) => [field, thought]));
      const { sent, turn } = await assistantMessages(replies(inFields), streaming);
      const none = { reasoning_content: undefined, reasoning: undefined };
      const kept = thoughts.map((thought) => ({ ...none, ...inFields(thought) }));
      const found = sent.map((messages) =>
        messages.map(({ reasoning_content, reasoning }) => ({ reasoning_content, reasoning })),
      );
      expect(found).toEqual([[], kept.slice(0, 1), kept.slice(0, 2), kept]);
      expect(turn.map(reasoningIn)).toEqual(thoughts);
      expect(turn.map(({ text }) => text)).toEqual(["", "", "Done."]);
    },
  );

  it("is not sent to a server that sent none", async () => {
    const { sent } = await assistantMessages(
      replies(() => ({})),
      streaming,
    );
    const keys = sent.flat().flatMap((message) => Object.keys(message));
    expect([...new Set(keys)].sort()).toEqual(["content", "role", "tool_calls"]);
  });
});

it("calls at the same time send each their own messages", async () => {
  await using server = await startOpenAIServer(() => "Hello.");
  const model = await loadModel("thinker", { baseUrl: server.url, streaming: false });
  const names = Array.from({ length: 10 }, (_, n) => `thought ${n}`);
  await Promise.all(
    names.map((name) =>
      model.invoke([
        new AIMessage({ content: name, additional_kwargs: { reasoning_content: name } }),
        new HumanMessage("?"),
      ]),
    ),
  );
  const sent = server.requests.map(({ body }) => body.messages[0]);
  expect(sent.map((message) => message?.reasoning_content).sort()).toEqual(names);
  for (const message of sent) expect(message?.content).toBe(message?.reasoning_content);
});
