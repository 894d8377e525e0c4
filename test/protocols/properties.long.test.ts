import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { ParsedReply } from "../../src/core/state/decision.js";
import { protocols } from "../../src/protocols/by-name.js";
import { protocolNames } from "../../src/protocols/index.js";
import { randomFrom } from "../helpers/random.js";
import { labelledReplies } from "./replies.js";

const tools = ["search", "Calculator", "list_rooms", "Get Issues", "Giphy: Find GIF"];

const pieces = [
  ...["Thought:", "Action:", "Action Input:", "Observation:", "Final Answer:", "Question:", "AI:", "Follow up:"],
  ...[
    "Intermediate answer:",
    "So the final answer is:",
    "**Action:**",
    "### Action Input",
    "action:",
    "思考：",
    "行动：",
    "最终答案：",
  ],
  ...[
    "Action 2:",
    "1. Action:",
    "`Action`:",
    "Observation",
    "Answer:",
    "Input:",
    "Tool:",
    "Do I need to use a tool? No",
  ],
  ...[
    "search",
    "Calculator",
    "calculator",
    "Get Issues",
    "Giphy: Find GIF",
    "telescope",
    "None",
    "Final Answer",
    "Finish",
  ],
  ...[
    "search(",
    "search[",
    "x]",
    ")",
    "search: x",
    "Search[x]",
    "Finish[y]",
    '"quoted"',
    "'quoted'",
    '"',
    "'",
    "`",
    "```",
    "```json\n",
  ],
  ...[
    "{",
    "}",
    "[",
    "]",
    '{"action": "search", "action_input": "x"}',
    '{"action": "Final Answer", "action_input": "y"}',
  ],
  ...[
    '{"name": "search", "arguments": {"q": 1}}',
    '{"action":',
    '"action_input":',
    "{'tool': 'search',",
    "\\_",
    "\\",
    "\\n",
    "//",
    "/*",
  ],
  ...[
    "<think>",
    "</think>",
    "<|im_start|>assistant\n",
    "<|im_end|>",
    "[INST]",
    "</s>",
    "<tool_call>",
    "<search>",
    "</search>",
  ],
  ...[
    "<function=search>",
    '<invoke name="search">',
    "<final_answer>",
    "$TOOL_NAME",
    "[your response here]",
    "the action to take",
  ],
  ...[
    "I need to search.",
    "I'm sorry, I cannot.",
    "Paris is the capital.",
    "你好",
    "こんにちは",
    "🤔",
    "é\u0301",
    "\u0000",
    "\ud800",
    "\u200b",
  ],
  ...[
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    " ",
    "  ",
    ":",
    "：",
    ".",
    "42",
    "[Your reply could not be used]",
    "[Write your reply now]",
  ],
];

function mixture(random: () => number): string {
  const parts = Array.from(
    { length: 1 + Math.floor(random() * 14) },
    () => pieces[Math.floor(random() * pieces.length)],
  );
  return parts.map((part) => `${part}${random() < 0.3 ? "\n" : random() < 0.7 ? " " : ""}`).join("");
}

/** The tools that a decision names although nobody offered them and the reply does not say so. */
function inventedTools(text: string, offered: readonly string[], parsed: ParsedReply): string[] {
  const named = parsed.kind === "action" ? parsed.actions.map((action) => action.tool) : [];
  return named.filter((tool) => !offered.includes(tool) && !text.includes(tool));
}

function isWellFormed(parsed: ParsedReply): boolean {
  switch (parsed.kind) {
    case "action":
      return parsed.actions.length > 0 && parsed.actions.every((action) => action.tool !== "");
    case "finish":
      return parsed.output.trim() !== "";
    case "unparseable":
      return parsed.why !== "";
  }
}

describe.each(protocolNames)("the %s parser", (name) => {
  const { parse } = protocols[name];

  it("parses 2,000 mixtures without throwing, invents no tool, and returns the same result twice", {
    timeout: 120_000,
  }, () => {
    const random = randomFrom(20_000);
    const kinds = new Set<string>();
    for (let n = 0; n < 2_000; n += 1) {
      const text = mixture(random);
      const parsed = parse(text, tools);
      if (inventedTools(text, tools, parsed).length > 0 || !isWellFormed(parsed))
        expect({ text, parsed }).toBeUndefined();
      if (!isDeepStrictEqual(parse(text, tools), parsed)) expect({ text, parsed }).toBeUndefined();
      kinds.add(parsed.kind);
    }
    expect(kinds).toEqual(new Set(["action", "finish", "unparseable"]));
  });

  it("parses every beginning of a reply without throwing", { timeout: 120_000 }, () => {
    const replies = labelledReplies[name] ?? labelledReplies["structured-chat"] ?? [];
    expect(replies.length).toBeGreaterThan(20);
    for (const { text, tools: offered } of replies) {
      for (let length = 0; length <= text.length; length += 1) {
        const beginning = text.slice(0, length);
        const parsed = parse(beginning, offered);
        if (inventedTools(beginning, offered, parsed).length > 0 || !isWellFormed(parsed)) {
          expect({ beginning, parsed }).toBeUndefined();
        }
      }
    }
  });
});
