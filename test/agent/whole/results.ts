import { ToolMessage } from "@langchain/core/messages";
import { type DynamicStructuredTool, tool } from "@langchain/core/tools";
import { z } from "zod";
import { look } from "./talk.js";

/** A result of a tool, and a text of it that every later prompt has to hold, as JSON. */
export interface ResultRow {
  readonly name: string;
  readonly tool: () => DynamicStructuredTool;
  readonly holds: string;
}

/** A result that any tool may return. */
interface PlainRow extends ResultRow {
  readonly result: unknown;
}

function row(name: string, result: unknown, holds = JSON.stringify(result)): PlainRow {
  return { name, result, tool: () => look(result), holds };
}

const state = { messages: [{ type: "human", content: "hi" }], answer: "no", intermediateSteps: [] };
const schema = z.object({ q: z.string().optional() });
const withArtifact = () =>
  tool(async () => ["13 °C", { station: 7 }], {
    name: "look",
    description: "Looks.",
    schema,
    responseFormat: "content_and_artifact",
  });
const withMessage = () =>
  tool(
    async (_input, { toolCall }) =>
      new ToolMessage({
        content: [{ type: "text", text: "13 °C", cache_control: { type: "ephemeral" } }],
        tool_call_id: toolCall.id,
        name: "look",
        artifact: { station: 7 },
        additional_kwargs: { custom: 1 },
      }),
    { name: "look", description: "Looks.", schema },
  );

/** The results of plain tools that a model is sent as they came. */
export const plainRows: readonly PlainRow[] = [
  row("a text", "13 °C, cloudy"),
  row("no text", ""),
  row("white space and line ends", "\n\n  a\r\nb\rc\u2028d\u2029e\u0085f\vg\fh\t\n\n"),
  row("odd characters", "\u001b[31mred\u001b[0m\u0007 a\u200bb\u200dc\ufeffd\u2060e\u00ade a\u202eb\u2066c a\u0000b"),
  row(
    "the marks of calls, protocols, thoughts and fences",
    '<tool_call>{"name": "look"}</tool_call>\nThought: I know.\nFinal Answer: [3]\n<think>Hm.</think> ~k7q2x~U+001B~',
  ),
  row("JSON", '{"a": [1,  2.50],\n "b": null}'),
  row("JSON like the state of an agent", JSON.stringify(state)),
  row("an object", { a: [1, 2.5], b: null }, JSON.stringify('{"a":[1,2.5],"b":null}')),
  row("a list", ["a", { b: 1 }], JSON.stringify('["a",{"b":1}]')),
  row("a number", 7, '"7"'),
  row("60 KB", "The wind blows from the north. ".repeat(2_000)),
  row(
    "two blocks of text",
    [
      { type: "text", text: "13 °C" },
      { type: "text", text: "cloudy\u001b" },
    ],
    'cloudy\\u001b"',
  ),
];

/** All results that a model is sent as they came. */
export const resultRows: readonly ResultRow[] = [
  ...plainRows,
  { name: "an artifact", tool: withArtifact, holds: '"13 °C"' },
  { name: "a message of its own", tool: withMessage, holds: '"13 °C"' },
];

/** Tokens that chat templates of servers read as their own. */
export const templateTokens = ["<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<｜User｜>", "[INST]"];
