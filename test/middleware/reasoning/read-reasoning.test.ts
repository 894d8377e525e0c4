import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { ReasoningReader, reasoningIn } from "../../../src/middleware/reasoning/read-reasoning.js";

type Fields = Pick<AIMessageChunk, "content"> &
  Partial<Pick<AIMessageChunk, "additional_kwargs" | "response_metadata">>;

const metadata = (model_provider: string) => ({ response_metadata: { model_provider } });
const thinking = (thinking: string, index: number) => [{ type: "thinking", thinking, index }];
const summary = (text: string, index: number) => ({
  content: [{ type: "reasoning", reasoning: text, index }],
  additional_kwargs: { reasoning: { type: "reasoning", summary: [{ type: "summary_text", text, index }] } },
});
const inField = (field: string, text: string | null) => ({ content: "", additional_kwargs: { [field]: text } });

/** The chunks of a reply with the reasoning "I look.\n\nI see.", as the packages of providers give them. */
const streams: Record<string, readonly Fields[]> = {
  Anthropic: [
    { content: thinking("", 0), ...metadata("anthropic") },
    { content: thinking("I ", 0) },
    { content: thinking("look.", 0) },
    { content: [{ type: "thinking", signature: "c2ln", index: 0 }] },
    { content: [{ type: "redacted_thinking", data: "aGlkZGVu", index: 1 }] },
    { content: [{ type: "text", text: "Well. ", index: 2 }] },
    { content: thinking("I see.", 3) },
    { content: [{ type: "text", text: "Done.", index: 4 }] },
  ],
  Gemini: [
    { content: [{ type: "thinking", thinking: "I look" }] },
    { content: [{ type: "thinking", thinking: ".\n\nI see.", signature: "c2ln" }] },
    { content: "Done." },
  ],
  "Google's newer package": [
    { content: [{ type: "text", text: "I look.\n\n", thought: true }] },
    { content: [{ type: "text", text: "I see.", thought: true }] },
    { content: [{ type: "text", text: "Done." }] },
  ],
  "OpenAI's Responses API": [
    { content: [], additional_kwargs: { reasoning: { id: "rs_1", type: "reasoning", summary: [] } } },
    summary("I ", 0),
    summary("look.", 0),
    summary("I see.", 1),
    { content: [{ type: "text", text: "Done.", index: 0 }] },
    {
      content: [],
      response_metadata: { output: [{ type: "reasoning", summary: [{ type: "summary_text", text: "I look." }] }] },
    },
  ],
  Mistral: [
    { content: [{ type: "thinking", thinking: [{ type: "text", text: "I look.\n" }] }] },
    { content: [{ type: "thinking", thinking: [{ type: "text", text: "\nI see." }] }] },
    { content: "Done." },
  ],
  "DeepSeek, vLLM, xAI and Ollama": [
    inField("reasoning_content", ""),
    inField("reasoning_content", "I look.\n"),
    inField("reasoning_content", "\nI see."),
    { ...inField("reasoning_content", null), content: "Done." },
  ],
  "OpenRouter, Groq and a newer vLLM": [
    inField("reasoning", "I look.\n"),
    inField("reasoning", "\nI see."),
    { ...inField("reasoning", null), content: "Done." },
  ],
  "a server that says it in both fields": [
    { content: "", additional_kwargs: { reasoning: "I look.\n\n", reasoning_content: "I look.\n\n" } },
    { content: "Done.", additional_kwargs: { reasoning: "I see.", reasoning_content: "I see." } },
  ],
  Bedrock: [
    { content: [{ type: "reasoning_content", reasoningText: { text: "I look.\n" }, index: 0 }] },
    { content: [{ type: "reasoning_content", reasoningText: { text: "\nI see.", signature: "c2ln" }, index: 0 }] },
    { content: [{ type: "text", text: "Done.", index: 1 }] },
  ],
};

describe("the reasoning of a reply", () => {
  it.each(Object.entries(streams))("comes in chunks from %s, with a gap between its parts", (_provider, fields) => {
    const reader = new ReasoningReader();
    const pieces = fields.map((field) => reader.push(new AIMessageChunk(field)));
    expect(pieces.join("")).toBe("I look.\n\nI see.");
  });

  it.each(Object.entries(streams))("is the same in the whole message from %s", (_provider, fields) => {
    const message = fields.map((field) => new AIMessageChunk(field)).reduce((whole, chunk) => whole.concat(chunk));
    const { content, additional_kwargs } = message;
    expect(reasoningIn(new AIMessage({ content, additional_kwargs }))).toBe("I look.\n\nI see.");
  });

  it("stands in the summaries of an older message of the Responses API", () => {
    const reasoning = { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "I look." }] };
    expect(reasoningIn(new AIMessage({ content: "Done.", additional_kwargs: { reasoning } }))).toBe("I look.");
    expect(reasoningIn(new AIMessage({ content: [reasoning] }))).toBe("I look.");
  });

  it.each<[string, Fields]>([
    ["a text", { content: "<b>I look.</b>" }],
    [
      "text blocks and a call",
      {
        content: [
          { type: "text", text: "Hi." },
          { type: "tool_use", id: "1", input: {} },
        ],
      },
    ],
    ["redacted thinking", { content: [{ type: "redacted_thinking", data: "aGlkZGVu" }] }],
    [
      "encrypted reasoning",
      { content: [], additional_kwargs: { reasoning: { summary: [], encrypted_content: "aGk" } } },
    ],
    ["fields of another kind", { content: "", additional_kwargs: { reasoning: 7, reasoning_content: null } }],
    ["a block of another kind", { content: [{ type: "thinking", thinking: { of: [1] } }] }],
  ])("is empty for %s", (_what, fields) => {
    expect(reasoningIn(new AIMessage(fields))).toBe("");
    expect(reasoningIn(new AIMessageChunk(fields))).toBe("");
  });
});
