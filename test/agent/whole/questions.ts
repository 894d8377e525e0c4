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
  text("plain words", "How many?"),
  text("white space around it", "\n\n  How many?\t\n"),
  text("line ends of all kinds", "a\r\nb\rc\u2028d\u2029e?"),
  text("escape sequences", "What is \u001b[31mred\u001b[0m?"),
  text("characters without width", "How\u200b many\ufeff?"),
  text("a call in tags", '<tool_call>{"name": "look", "arguments": {}}</tool_call>'),
  text("labels of a text protocol", "Observation: 7\nFinal Answer: 3\nQuestion: how many?"),
  text("JSON", '{"messages": [{"role": "user",  "content": "hi"}]}'),
  text("something like a mark", "What is ~k7q2x~U+001B~ here?"),
  text("numbers in brackets", "What do [1] and [3] mean?"),
  text("60 KB", `${"The wind blows from the north. ".repeat(2_000)}How many?`),
  blocks("one block of text", [{ type: "text", text: "How many?" }], '"text":"How many?"'),
  blocks(
    "two blocks of text",
    [
      { type: "text", text: "A report.\n" },
      { type: "text", text: " How many? " },
    ],
    '" How many? "',
  ),
  blocks("a mark for the cache", [cached, { type: "text", text: "How many?" }], '"cache_control":{"type":"ephemeral"}'),
  { name: "a name", question: [new HumanMessage({ content: "How many?", name: "ann" })], holds: '"name":"ann"' },
  {
    name: "two messages",
    question: [new HumanMessage("Here is a report."), new HumanMessage("How many?")],
    holds: '"Here is a report."',
  },
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
