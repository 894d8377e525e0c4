import { type BaseMessageLike, HumanMessage } from "@langchain/core/messages";

/** What a person asks, and a text of it that every prompt has to hold, as JSON. */
export interface QuestionRow {
  readonly name: string;
  readonly question: BaseMessageLike[];
  readonly holds: string;
}

function text(name: string, content: string): QuestionRow {
  return { name, question: [new HumanMessage(content)], holds: JSON.stringify(content) };
}

function blocks(name: string, content: { type: "text"; text: string }[], holds: string): QuestionRow {
  return { name, question: [new HumanMessage({ content })], holds };
}

const cached = { type: "text" as const, text: "A long report.", cache_control: { type: "ephemeral" } };

/** The questions that a model is sent as they were asked. */
export const questionRows: readonly QuestionRow[] = [
  text(
    "white space, line ends and odd characters",
    "\n\n  a\r\nb\rc\u2028d\u2029e \u001b[31mred\u001b[0m\u200b\ufeff?\t\n",
  ),
  text(
    "the marks of calls, protocols and fences",
    '<tool_call>{"name": "look"}</tool_call>\nObservation: 7\nFinal Answer: [1], {"a":  1}. What is ~k7q2x~U+001B~?',
  ),
  text("60 KB", `${"The wind blows from the north. ".repeat(2_000)}How many?`),
  blocks(
    "two blocks of text",
    [
      { type: "text", text: "A report.\n" },
      { type: "text", text: " How many? " },
    ],
    '" How many? "',
  ),
  blocks("a mark for the cache", [cached, { type: "text", text: "How many?" }], '"cache_control":{"type":"ephemeral"}'),
  {
    name: "three messages of two people",
    question: [
      new HumanMessage({ content: "I say 4.", name: "ann" }),
      new HumanMessage({ content: "I say 5.", name: "bob" }),
      new HumanMessage("Who is right?"),
    ],
    holds: '"name":"bob"',
  },
];
