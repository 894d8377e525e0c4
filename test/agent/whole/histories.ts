import { AIMessage, type BaseMessageLike, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";

/** A conversation that a caller keeps and gives whole. */
export interface HistoryRow {
  readonly name: string;
  readonly history: () => BaseMessageLike[];
}

const calls = (...ids: string[]) =>
  ids.map((id) => ({ type: "tool_call" as const, id, name: "look", args: { q: id } }));
const asks = (...ids: string[]) => new AIMessage({ content: "I look.", tool_calls: calls(...ids) });
const gives = (id: string, content = `5 for ${id}`) => new ToolMessage({ content, tool_call_id: id, name: "look" });
const thinking = { type: "thinking", thinking: "I should look", signature: "SIG1" };
const toolUse = { type: "tool_use", id: "a", name: "look", input: { q: "a" } };

/** The conversations that a model is sent as they are. */
export const historyRows: readonly HistoryRow[] = [
  { name: "an answer", history: () => [new HumanMessage("One?"), new AIMessage("Yes."), new HumanMessage("Two?")] },
  {
    name: "a call",
    history: () => [new HumanMessage("One?"), asks("a"), gives("a"), new AIMessage("5."), new HumanMessage("Two?")],
  },
  {
    name: "two calls in one reply",
    history: () => [
      new HumanMessage("One?"),
      asks("a", "b"),
      gives("a"),
      gives("b"),
      new AIMessage("5."),
      new HumanMessage("Two?"),
    ],
  },
  {
    name: "results in another order",
    history: () => [
      new HumanMessage("One?"),
      asks("a", "b"),
      gives("b"),
      gives("a"),
      new AIMessage("5."),
      new HumanMessage("Two?"),
    ],
  },
  {
    name: "two steps",
    history: () => [
      new HumanMessage("One?"),
      asks("a"),
      gives("a"),
      asks("b"),
      gives("b"),
      new AIMessage("5."),
      new HumanMessage("Two?"),
    ],
  },
  {
    name: "three turns",
    history: () => [
      ...["One?", "Two?", "Three?"].flatMap((question, index) => [
        new HumanMessage(question),
        asks(`c${index}`),
        gives(`c${index}`),
        new AIMessage("5."),
      ]),
      new HumanMessage("Four?"),
    ],
  },
  {
    name: "a greeting of the assistant",
    history: () => [new AIMessage("Hello! How can I help?"), new HumanMessage("How many?")],
  },
  {
    name: "several questions in a row",
    history: () => [
      new HumanMessage("One?"),
      new HumanMessage("Or two?"),
      new AIMessage("Two."),
      new HumanMessage("Sure?"),
      new HumanMessage("Really?"),
    ],
  },
  {
    name: "an answer in blocks",
    history: () => [
      new HumanMessage("One?"),
      new AIMessage({
        content: [
          { type: "text", text: "Yes " },
          { type: "text", text: "and no." },
        ],
      }),
      new HumanMessage("Two?"),
    ],
  },
  {
    name: "signed thoughts",
    history: () => [
      new HumanMessage("One?"),
      new AIMessage({ content: [thinking, toolUse], tool_calls: calls("a") }),
      gives("a"),
      new AIMessage({
        content: [
          { ...thinking, signature: "SIG2" },
          { type: "text", text: "5." },
        ],
      }),
      new HumanMessage("Two?"),
    ],
  },
  {
    name: "a result that is an error",
    history: () => [
      new HumanMessage("One?"),
      asks("a"),
      new ToolMessage({ content: "no station", tool_call_id: "a", name: "look", status: "error" }),
      new AIMessage("None."),
      new HumanMessage("Two?"),
    ],
  },
  {
    name: "odd characters in a result",
    history: () => [
      new HumanMessage("One?"),
      asks("a"),
      gives("a", "\u001b[31m5\u001b[0m\u200b\r\n"),
      new AIMessage("5."),
      new HumanMessage("Two?"),
    ],
  },
  {
    name: "messages as plain data",
    history: () => [
      { role: "user", content: "One?" },
      { role: "assistant", content: "", tool_calls: calls("a") },
      { role: "tool", content: "5", tool_call_id: "a" },
      { role: "assistant", content: "5." },
      { role: "user", content: "Two?" },
    ],
  },
  {
    name: "a system message at its beginning",
    history: () => [
      new SystemMessage("Be brief."),
      new HumanMessage("One?"),
      new AIMessage("Yes."),
      new HumanMessage("Two?"),
    ],
  },
  {
    name: "an answer with white space and labels",
    history: () => [new HumanMessage("One?"), new AIMessage("\n\nFinal Answer: [3]\n"), new HumanMessage("Two?")],
  },
];
