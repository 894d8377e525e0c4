import type { Protocol } from "../../../src/core/parts/protocol.js";
import { protocols } from "../../../src/protocols/by-name.js";
import { fencedProtocol } from "../../../src/protocols/fenced-protocol.js";
import type { ToolSpec } from "../../../src/tool-inputs/tool-spec.js";
import { pick } from "../../helpers/random.js";
import { labelledReplies } from "../replies.js";

// A reply in gpt-oss's channels begins with them.
const written = Object.values(labelledReplies)
  .flat()
  .filter(({ text }) => !text.includes("<|message|>"));

/** Things that models write between the lines of a reply: labels, marks, tokens, JSON and calls. */
const pieces = [
  ...[
    "Final Answer: It is 5.",
    "**Final Answer:** yes",
    "Answer: 5",
    "Thought: I see",
    "Action: search",
    "Action Input: b",
  ],
  ...["AI: hello", "Human: hi", "Question: why?", "Follow up: who?", "So the final answer is: 3", "1. Action: go"],
  ...["### Steps", "- Result: 4", "It is. Follow up: who?", "Final Answer: the final answer to the original"],
  ...["**", "```", '"""', "…", "", "[1] a source", "`", "x < y", "assistant", "<b>bold</b>", "你好。最终答案：好"],
  ...["<think>so</think>", "<|im_end|>", "</s>", "[INST]", "<tool_call>", "]<]minimax[>["],
  ...['{"action": "Final Answer", "action_input": "hi \\"x\\" \\u00e9\\n- a"}', '{"river": "Danube"}', "search(x)"],
];

/** More words in a line than a reader of a reply looks back to. */
export const longLine = "It was the spring of hope. ".repeat(24);

/** Makes a reply of one that a model wrote, with up to three lines put in between, and sometimes cut short. */
export function drawReply(random: () => number): { readonly text: string; readonly tools: readonly string[] } {
  const { text, tools } = pick(written, random);
  const lines = text.split("\n");
  for (let n = Math.floor(random() * 4); n > 0; n -= 1) {
    lines.splice(Math.floor(random() * (lines.length + 1)), 0, pick(pieces, random));
  }
  const whole = lines.join("\n");
  return { text: random() < 0.2 ? whole.slice(0, Math.floor(random() * whole.length)) : whole, tools };
}

/** The text of a reply up to the first stop text. */
function cutAtStop(text: string, { stop = [] }: Protocol): string {
  const ends = stop.map((word) => text.indexOf(word)).filter((place) => place >= 0);
  return text.slice(0, Math.min(text.length, ...ends));
}

/**
 * Splits a reply as a whole and in random chunks.
 *
 * @returns A word for each promise that it breaks.
 */
export function brokenPromises(
  protocol: Protocol,
  reply: { readonly text: string; readonly tools: readonly string[] },
  cuts: number,
  random: () => number,
): string[] {
  const text = cutAtStop(reply.text, protocol);
  const tools = reply.tools.map((name) => ({ name, description: "" }));
  const { sent: whole, end } = sentIn(protocol, tools, [text]);
  const parsed = protocol.parse(text, tools);
  const output = parsed.kind === "finish" ? parsed.output : "";
  const read = protocol.parse(text.slice(0, end), tools);
  return [
    ...(JSON.stringify(read) === JSON.stringify(parsed) ? [] : ["stopped the model too early"]),
    ...(output.startsWith(whole.answer) ? [] : ["sent what is no answer"]),
    ...(!protocol.nativeTools && /(?:^|\n)(?:Thought|Action|Action Input|Final Answer|Observation):/.test(whole.words)
      ? ["sent a label"]
      : []),
    ...Array.from({ length: cuts }, () => sentIn(protocol, tools, beginnings(text, random)).sent).flatMap((sent) =>
      JSON.stringify(sent) === JSON.stringify(whole) ? [] : ["depends on the chunks"],
    ),
  ];
}

/** The beginnings of a text that a reader sees, one after the other. */
function beginnings(text: string, random: () => number): string[] {
  const most = pick([1, 4, 12, 40], random);
  const found: string[] = [];
  for (let end = 0; end < text.length; ) {
    end = Math.min(text.length, end + 1 + Math.floor(random() * most));
    found.push(text.slice(0, end));
  }
  return found;
}

/** Reads a text from its beginnings. Returns what goes out, and the place from which the text counts for nothing. */
function sentIn(protocol: Protocol, tools: readonly ToolSpec[], texts: readonly string[]) {
  const reader = fencedProtocol(protocol).reader(tools);
  const sent = { words: "", answer: "" };
  let found: number | undefined;
  for (const text of texts) {
    const { pieces, end } = reader.push(text);
    for (const piece of pieces) sent[piece.kind] += piece.text;
    found = end;
  }
  return { sent, end: found };
}

/** The protocols, each with the replies that were labelled for it. */
export const splitProtocols = Object.entries(protocols).map(([name, protocol]) => ({
  name,
  protocol,
  replies: labelledReplies[name as keyof typeof labelledReplies] ?? written,
}));
