import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { claude, gptOfResponses, load } from "./models.js";
import { anthropic } from "./providers/anthropic.js";
import { type ChatReply, compatible, deepseek, groq, mistral, openai, xai } from "./providers/chat.js";
import { gemini } from "./providers/gemini.js";
import { ollama } from "./providers/ollama.js";
import type { Provider } from "./providers/provider-server.js";
import { called, reasoning, responses, spoken } from "./providers/responses.js";

/** A package of a provider, and what its model replies: two tool steps, an answer, and the answer of the next turn. */
export interface ProviderCase {
  readonly name: string;
  readonly provider: Provider<never>;
  readonly replies: readonly object[];
  model(url: string, streaming: boolean): BaseChatModel | Promise<BaseChatModel>;
  /** The texts of replies that the last request of the next turn has, beside the answer and the results. */
  readonly back: readonly string[];
  /** The texts of replies that the package does not send. */
  readonly lost?: readonly string[];
  /** The results of its tool. Default: those of three calls. */
  readonly results?: readonly string[];
  /** The tokens of the last turn that came from the provider's cache, as its package tells them. */
  readonly cached?: number;
  /** The provider's words where the package makes a second step impossible. */
  readonly refused?: RegExp;
  /** What LangGraph's prebuilt agent does otherwise: it fails with these words, or it ends a paused turn. */
  readonly prebuilt?: RegExp | "ends";
}

function chatReplies(fields: readonly object[], ids = ["call_1", "call_2", "call_3"]): ChatReply[] {
  const [first = "", second = "", third = ""] = ids;
  const look = (id: string, q: string) => ({ id, name: "look", args: JSON.stringify({ q }) });
  return [
    { content: "I look.", calls: [look(first, "x")] },
    { content: "", calls: [look(second, "y"), look(third, "z")] },
    { content: "It is [5]." },
    { content: "Cinq." },
  ].map((reply, index) => ({ ...reply, ...fields[index] }));
}

const thoughts = ["I should look", "Two more", "Done"];
const more = (field: string) => thoughts.map((thought) => ({ more: { [field]: thought } }));
const inTags = thoughts.map((thought, index) => ({
  content: `<think>${thought}</think>${["I look.", "", "It is [5]."][index]}`,
}));

const thinking = (thought: string, signature: string) => ({ type: "thinking", thinking: thought, signature });
const toolUse = (id: string, q: string) => ({ type: "tool_use", id, name: "look", input: { q } });
const thinks = { maxTokens: 4_000, thinking: { type: "enabled", budget_tokens: 1_024 } };
const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
const page = { type: "web_search_result", title: "A page", url: "https://example.org/", encrypted_content: "FOUND" };
const searched = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [page] };

export const cases: readonly ProviderCase[] = [
  {
    name: "Anthropic",
    cached: 3,
    provider: anthropic,
    model: (url, streaming) => claude(url, streaming),
    replies: [
      { content: [{ type: "text", text: "I look." }, toolUse("toolu_1", "x")] },
      { content: [toolUse("toolu_2", "y"), toolUse("toolu_3", "z")] },
      { content: [{ type: "text", text: "It is [5]." }] },
      { content: [{ type: "text", text: "Cinq." }] },
    ],
    back: ["I look.", "toolu_1", "toolu_3"],
  },
  {
    name: "Anthropic with thinking",
    cached: 3,
    provider: anthropic,
    model: (url, streaming) => claude(url, streaming, thinks),
    replies: [
      { content: [thinking("I should look", "SIG1"), { type: "text", text: "I look." }, toolUse("toolu_1", "x")] },
      {
        content: [
          { type: "redacted_thinking", data: "ENC" },
          thinking("Two more", "SIG2"),
          toolUse("toolu_2", "y"),
          toolUse("toolu_3", "z"),
        ],
      },
      { content: [thinking("Done", "SIG3"), { type: "text", text: "It is [5]." }] },
      { content: [thinking("Again", "SIG4"), { type: "text", text: "Cinq." }] },
    ],
    back: ["SIG1", "SIG2", "SIG3", "ENC", ...thoughts, "I look.", "toolu_1"],
  },
  {
    name: "Anthropic with a paused turn",
    cached: 3,
    provider: anthropic,
    model: (url, streaming) => claude(url, streaming, thinks),
    replies: [
      { content: [thinking("I search", "SIG1"), search], stop: "pause_turn" },
      { content: [searched, thinking("And look", "SIG2"), toolUse("toolu_2", "y")] },
      { content: [thinking("Done", "SIG3"), { type: "text", text: "It is [5]." }] },
      { content: [{ type: "text", text: "Cinq." }] },
    ],
    back: ["SIG1", "srvtoolu_1", "FOUND", "SIG2", "SIG3"],
    results: ["5 for y"],
    prebuilt: "ends",
  },
  {
    name: "Gemini",
    provider: gemini,
    model: load("google-genai:gemini-3-pro-preview"),
    replies: [
      {
        parts: [
          { text: "I should look", thought: true },
          { text: "I look." },
          { functionCall: { name: "look", args: { q: "x" } }, thoughtSignature: "SIG1" },
        ],
      },
      {
        parts: [
          { functionCall: { name: "look", args: { q: "y" } }, thoughtSignature: "SIG2" },
          { functionCall: { name: "look", args: { q: "z" } } },
        ],
      },
      {
        parts: [
          { text: "Done", thought: true },
          { text: "It is [5].", thoughtSignature: "SIG3" },
        ],
      },
      { parts: [{ text: "Cinq." }] },
    ],
    back: ["SIG1", "SIG2", "I should look", "Done", "I look."],
    lost: ["SIG3"],
  },
  {
    name: "OpenAI, chat completions",
    cached: 3,
    provider: openai,
    model: load("openai:gpt-4o-mini", "/v1"),
    replies: chatReplies([]),
    back: ["I look.", "call_1", "call_3"],
  },
  {
    name: "OpenAI, Responses API",
    cached: 3,
    provider: responses,
    model: gptOfResponses,
    replies: [
      {
        id: "resp_1",
        output: [reasoning("1", "I should look"), spoken("1", "I look."), called("1", "look", '{"q":"x"}')],
      },
      { id: "resp_2", output: [reasoning("2"), called("2", "look", '{"q":"y"}'), called("3", "look", '{"q":"z"}')] },
      { id: "resp_3", output: [reasoning("4", "Done"), spoken("4", "It is [5].")] },
      { id: "resp_4", output: [spoken("5", "Cinq.")] },
    ],
    back: ["ENC1", "ENC2", "ENC4", "rs_1", "fc_1", "msg_1", "I should look"],
  },
  {
    name: "Mistral",
    provider: mistral,
    model: load("mistralai:mistral-small-latest"),
    replies: chatReplies([], ["abcdefgh1", "abcdefgh2", "abcdefgh3"]),
    back: ["abcdefgh1", "abcdefgh3"],
    lost: ["I look."],
  },
  {
    name: "Mistral with thinking",
    provider: mistral,
    model: load("mistralai:magistral-medium-latest"),
    replies: chatReplies(
      [
        {
          content: [
            { type: "thinking", thinking: [{ type: "text", text: "I should look" }] },
            { type: "text", text: "I look." },
          ],
        },
      ],
      ["abcdefgh1", "abcdefgh2", "abcdefgh3"],
    ),
    back: ["abcdefgh3"],
    prebuilt: /Mistral only supports types "text" or "image_url"/,
  },
  {
    name: "Groq",
    cached: 3,
    provider: groq,
    model: load("groq:openai/gpt-oss-120b"),
    replies: chatReplies(more("reasoning")),
    back: ["I look.", "call_1"],
    lost: thoughts,
  },
  {
    name: "xAI",
    cached: 3,
    provider: xai,
    model: load("xai:grok-4", "/v1"),
    replies: chatReplies(more("reasoning_content")),
    back: ["I look.", "call_1"],
    lost: thoughts,
  },
  {
    name: "DeepSeek",
    provider: deepseek,
    model: load("deepseek:deepseek-reasoner", "/v1"),
    replies: chatReplies(more("reasoning_content")),
    back: [],
    refused: /Missing `reasoning_content` field/,
    prebuilt: /Missing `reasoning_content` field/,
  },
  {
    name: "DeepSeek over its OpenAI-compatible API",
    cached: 3,
    provider: deepseek,
    model: load("openai:deepseek-reasoner", "/v1"),
    replies: chatReplies(more("reasoning_content")),
    back: ["I look.", "call_1", ...thoughts.slice(0, 2)],
  },
  {
    name: "a server with reasoning_content",
    cached: 3,
    provider: compatible,
    model: load("openai:kimi-k2-thinking", "/v1"),
    replies: chatReplies(more("reasoning_content")),
    back: ["I look.", "call_1", ...thoughts],
  },
  {
    name: "a server with reasoning",
    cached: 3,
    provider: compatible,
    model: load("openai:minimax-m2", "/v1"),
    replies: chatReplies(more("reasoning")),
    back: ["I look.", "call_1", ...thoughts],
  },
  {
    name: "a server with thoughts in tags",
    cached: 3,
    provider: compatible,
    model: load("openai:qwen3", "/v1"),
    replies: chatReplies(inTags),
    back: ["call_1", "<think>I should look</think>I look.", "<think>Two more</think>"],
    prebuilt: "ends",
  },
  {
    name: "Ollama",
    provider: ollama,
    model: load("ollama:qwen3"),
    replies: [
      {
        thinking: "I should look",
        content: "I look.",
        tool_calls: [{ function: { name: "look", arguments: { q: "x" } } }],
      },
      {
        thinking: "Two more",
        content: "",
        tool_calls: [
          { function: { name: "look", arguments: { q: "y" } } },
          { function: { name: "look", arguments: { q: "z" } } },
        ],
      },
      { thinking: "Done", content: "It is [5]." },
      { content: "Cinq." },
    ],
    back: ["I look."],
    lost: thoughts,
  },
];
