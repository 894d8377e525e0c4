import { createHash } from "node:crypto";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  nothingShortened,
  type PromptRecord,
  promptDigest,
  promptRecordSchema,
} from "../../src/core/state/prompt-record.js";
import { createAgent, type Middleware } from "../../src/index.js";
import { openaiForm } from "../../src/model/tables/forms.js";
import { promptMessages } from "../../src/prompts/write-prompt.js";
import { protocols } from "../../src/protocols/by-name.js";
import { fencedProtocol } from "../../src/protocols/fenced-protocol.js";
import { scriptedModel } from "../../src/testing/index.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";

const thread = { configurable: { thread_id: "1" } };
const echo = tool(async ({ text }) => `${text} `.repeat(4_000), {
  name: "echo",
  description: "Says the text.",
  schema: z.object({ text: z.string() }),
});

it.each(matrix(dialects, inReact, inToolCalls))(
  "the prompts of a thread can be rebuilt from the state alone, byte for byte, also shortened prompts ($protocol)",
  async ({ protocol, act, answer, unreadable }) => {
    const look = act("echo", protocol === "self-ask" ? "a" : { text: "a" });
    const model = scriptedModel([look, unreadable, look, answer("One."), look, answer("Two.")]);
    const agent = createAgent({
      model,
      protocol,
      tools: [echo],
      instructions: "Be brief.",
      currentDate: true,
      rephrase: false,
      modelCalls: { contextTokens: 4_000 },
      checkpointer: new MemorySaver(),
    });
    for (const messages of ["First?", "Second?"]) await agent.invoke({ messages }, thread);
    const written: string[] = [];
    let shortened = 0;
    for await (const { values, next } of agent.getStateHistory(thread)) {
      if (next[0] !== "parse") continue;
      const prompt = promptRecordSchema.parse(values.prompt);
      shortened += values.reply.shortened ? 1 : 0;
      const spoken = fencedProtocol(protocols[protocol]);
      const messages = promptMessages(spoken, prompt, values, values.reply.shortened ?? nothingShortened);
      expect(promptDigest(messages, prompt)).toBe(values.reply.sha256);
      written.unshift(messages.map(({ text }) => text).join("\n"));
    }
    expect(written).toEqual(model.calls.map(({ prompt }) => prompt));
    expect(shortened).toBeGreaterThan(0);
  },
);

it("the channel prompt is stored when it changes, and not with each step", async () => {
  const checkpointer = new MemorySaver();
  const model = scriptedModel([{ tool_calls: [{ name: "echo", args: { text: "a" } }] }, "One.", "Two."]);
  const agentWith = (instructions: string) =>
    createAgent({ model, tools: [echo], instructions, rephrase: false, checkpointer });
  await agentWith("Be brief.").invoke({ messages: "First?" }, thread);
  const { prompt } = await agentWith("Be long.").invoke({ messages: "Second?" }, thread);
  const versions = new Set<unknown>();
  for await (const { checkpoint } of checkpointer.list(thread)) {
    if (checkpoint.channel_values.prompt) versions.add(checkpoint.channel_versions.prompt);
  }
  expect(versions.size).toBe(2);
  expect(prompt).toEqual({
    model: "glassloop-scripted",
    refuses: ["result-blocks"],
    form: openaiForm,
    protocol: "tool-calling",
    instructions: "Be long.",
    outputInstructions: "",
    tools: [expect.objectContaining({ name: "echo", parameters: expect.anything() })],
    outputSchema: "",
    stop: [],
    currentDate: false,
    files: ["image", "audio", "video", "file"],
    fileForm: "older",
  });
});

const sent = (fields: Partial<PromptRecord> = {}) => ({
  model: "glassloop-scripted",
  tools: [],
  outputSchema: "",
  stop: [],
  ...fields,
});

it("the digest is that of the sent prompt, with its version, also if a hook changed the prompt", async () => {
  const model = scriptedModel(["One.", "One."]);
  const messages = [new HumanMessage({ id: "1", content: "Hi" })];
  const plain = await createAgent({ model }).invoke({ messages });
  const copies: Middleware = {
    name: "copies",
    wrapModelCall: (request, handler) => handler({ ...request, messages: [...request.messages] }),
  };
  const same = await createAgent({ model, middleware: [copies] }).invoke({ messages });
  expect(same.reply?.sha256).toBe(plain.reply?.sha256);
  const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
  // The type, id, name, additional_kwargs, response_metadata, calls and result of the message, and its text.
  const message = `${JSON.stringify(["human", "1", null, {}, {}, [], [], true])}Hi`;
  expect(plain.reply?.sha256).toBe(`2:${hashOf(JSON.stringify({ ...sent(), messages: [hashOf(message)] }))}`);
});

describe("the digest of a prompt", () => {
  const human = { id: "1", name: "Ann", content: "Hi", additional_kwargs: {} };
  const call = { id: "c", name: "echo", args: { text: "a" }, type: "tool_call" as const };
  const ai = { id: "2", content: "", tool_calls: [call], additional_kwargs: {}, response_metadata: {} };
  const result = { id: "3", tool_call_id: "c", content: "a", name: "echo", status: "success" as const };
  const digest = (changed: { human?: object; ai?: object; result?: object; record?: Partial<PromptRecord> } = {}) =>
    promptDigest(
      [
        new HumanMessage({ ...human, ...changed.human }),
        new AIMessage({ ...ai, ...changed.ai }),
        new ToolMessage({ ...result, ...changed.result }),
      ],
      sent(changed.record),
    );

  it.each([
    ["the text of a question", { human: { content: "Ho" } }],
    ["the blocks of a question", { human: { content: [{ type: "text", text: "Hi", cache_control: {} }] } }],
    ["its name", { human: { name: "Bob" } }],
    ["what else goes with it", { human: { additional_kwargs: { trace: "1" } } }],
    ["the id of a message", { ai: { id: "4" } }],
    ["the blocks of a reply", { ai: { content: [{ type: "thinking", thinking: "Hm", signature: "s" }] } }],
    ["its reasoning", { ai: { additional_kwargs: { reasoning_content: "Hm" } } }],
    ["its metadata", { ai: { response_metadata: { output: [] } } }],
    ["the id of a call", { ai: { tool_calls: [{ ...call, id: "d" }] } }],
    ["the input of a call", { ai: { tool_calls: [{ ...call, args: { text: "b" } }] } }],
    ["a result", { result: { content: "b" } }],
    ["the call of a result", { result: { tool_call_id: "d" } }],
    ["how a call ended", { result: { status: "error" } }],
    ["the model", { record: { model: "other" } }],
    ["the tools", { record: { tools: [{ name: "echo", description: "" }] } }],
    ["the form of the output", { record: { outputSchema: "{}" } }],
    ["the texts to stop at", { record: { stop: ["\n"] } }],
  ])("differs with %s", (_what, changed) => {
    expect(digest()).toBe(digest());
    expect(digest(changed)).not.toBe(digest());
  });
});
