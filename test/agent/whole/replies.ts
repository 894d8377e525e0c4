import type { Way } from "../../helpers/lines.js";
import type { ChatReply } from "../../helpers/providers/chat.js";
import { called, type ResponsesReply, reasoning, spoken } from "../../helpers/providers/responses.js";
import type { RecordedReply } from "../../helpers/recording-model.js";

/** A first reply that calls the tool, and what of it every later prompt has to hold, as JSON. */
export interface ReplyRow {
  readonly name: string;
  readonly line: Way;
  readonly holds: readonly string[];
}

const call = { id: "call_1", name: "look", args: '{"q":"x"}' };
const answers = ["It is 5.", "Cinq."];

function chat(way: "whole" | "streamed", reply: ChatReply): Way {
  return { way, replies: [reply, ...answers.map((content) => ({ content }))] };
}

function both(name: string, reply: ChatReply, holds: readonly string[]): ReplyRow[] {
  return (["whole", "streamed"] as const).map((way) => ({ name: `${name} (${way})`, line: chat(way, reply), holds }));
}

function items(name: string, output: ResponsesReply["output"], holds: readonly string[]): ReplyRow {
  const later = answers.map((text, index) => ({ id: `resp_${index + 2}`, output: [spoken(`${index + 2}`, text)] }));
  return {
    name: `${name} (Responses)`,
    line: { way: "responses", replies: [{ id: "resp_1", output }, ...later] },
    holds,
  };
}

function recorded(name: string, reply: Partial<RecordedReply>, holds: readonly string[]): ReplyRow {
  return { name, line: { way: "recorded", replies: [reply, ...answers.map((content) => ({ content }))] }, holds };
}

const made = { type: "tool_call", id: "toolu_1", name: "look", args: { q: "x" } } as const;
const toolUse = { type: "tool_use", id: "toolu_1", name: "look", input: { q: "x" } };
const thinking = { type: "thinking", thinking: "I should look", signature: "SIG1" };

const odd = "\n\n<think>Hm.</think>Final Answer: b. See <tool_call> and [3].\n\n";

/** The first replies of models, in the forms of their packages. */
export const replyRows: readonly ReplyRow[] = [
  ...both("words before a call", { content: "I look.", calls: [call] }, ['"I look."', '"call_1"']),
  ...both("a call without words", { content: null, calls: [call] }, ['"call_1"']),
  ...both(
    "two calls, one with dots and colons in its id",
    { content: "", calls: [call, { ...call, id: "functions.look:0" }] },
    ['"call_1"', '"functions.look:0"'],
  ),
  ...both("tags, labels and white space in its words", { content: odd, calls: [call] }, [JSON.stringify(odd)]),
  ...both("no arguments", { calls: [{ ...call, args: "{}" }] }, ["{}"]),
  ...both("odd arguments", { calls: [{ ...call, args: '{"q":"é\\u2028\\u001b\\n \ud83d\ude00"}' }] }, ["\u2028"]),
  items(
    "a thought, words and a call",
    [reasoning("1", "I should look"), spoken("1", "I look."), called("1", "look", '{"q": "x"}')],
    ['"ENC1"', '"rs_1"', '"msg_1"', '"fc_1"'],
  ),
  items(
    "two thoughts",
    [reasoning("1", "First"), spoken("1", "Well."), reasoning("2", "Then"), called("1", "look", '{"q":"x"}')],
    ['"ENC1"', '"ENC2"'],
  ),
  recorded(
    "a signed and a hidden thought",
    {
      content: [{ type: "redacted_thinking", data: "ENC" }, thinking, { type: "text", text: "I look." }, toolUse],
      tool_calls: [made],
    },
    ['"ENC"', '"SIG1"', '"I look."', '"tool_use"'],
  ),
  recorded(
    "a streamed call, in pieces",
    {
      content: [
        { index: 0, ...thinking },
        { index: 1, ...toolUse, input: "" },
        { index: 1, type: "input_json_delta", input: '{"q":"x"}' },
      ],
      tool_calls: [made],
    },
    ['"SIG1"', '"toolu_1"'],
  ),
  recorded(
    "words with citations between calls",
    {
      content: [
        toolUse,
        { type: "text", text: "And another.", citations: [{ cited_text: "told" }] },
        { ...toolUse, id: "toolu_2" },
      ],
      tool_calls: [made, { ...made, id: "toolu_2" }],
    },
    ['"And another."', '"cited_text"', '"toolu_2"'],
  ),
  recorded(
    "a search of the server",
    {
      content: [
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ encrypted_content: "FOUND" }] },
        toolUse,
      ],
      tool_calls: [made],
    },
    ['"srvtoolu_1"', '"FOUND"'],
  ),
  recorded(
    "fields beside its words: thoughts, signatures by id, and one that nobody knows",
    {
      content: [{ type: "functionCall", functionCall: { name: "look", args: { q: "x" } } }],
      tool_calls: [made],
      additional_kwargs: {
        reasoning_content: "I should look",
        __gemini_function_call_thought_signatures__: { toolu_1: "GSIG" },
        custom: { a: [1] },
      },
    },
    ['"I should look"', '"GSIG"', '"custom"'],
  ),
  recorded(
    "thoughts in a list",
    {
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "I should look" }] },
        { type: "text", text: "I look." },
      ],
      tool_calls: [made],
    },
    ['"I should look"'],
  ),
];
