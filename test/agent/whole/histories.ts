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
const human = (content: string) => new HumanMessage(content);
const ai = (content: string) => new AIMessage(content);
const thinking = (signature: string) => ({ type: "thinking", thinking: "I should look", signature });
const toolUse = { type: "tool_use", id: "a", name: "look", input: { q: "a" } };

/** A conversation of two questions, with what came between them. */
const between = (name: string, made: () => BaseMessageLike[]): HistoryRow => ({
  name,
  history: () => [human("One?"), ...made(), human("Two?")],
});

/** The conversations that a model is sent as they are. */
export const historyRows: readonly HistoryRow[] = [
  between("two steps, the first with two calls", () => [
    ...[asks("a", "b"), gives("a"), gives("b")],
    ...[asks("c"), gives("c"), ai("5.")],
  ]),
  between("results in another order", () => [asks("a", "b"), gives("b"), gives("a"), ai("5.")]),
  between("three turns", () => [asks("a"), gives("a"), ai("5."), human("And?"), asks("b"), gives("b"), ai("6.")]),
  between("several questions in a row", () => [human("Or two?"), ai("Two."), human("Sure?")]),
  between("signed thoughts, and an answer in blocks", () => [
    new AIMessage({ content: [thinking("SIG1"), toolUse], tool_calls: calls("a") }),
    gives("a"),
    new AIMessage({
      content: [thinking("SIG2"), { type: "text", text: "5 " }, { type: "text", text: "and 6." }],
    }),
  ]),
  between("a result that is an error", () => [
    asks("a"),
    new ToolMessage({ content: "no station", tool_call_id: "a", name: "look", status: "error" }),
    ai("None."),
  ]),
  between("odd characters, white space and labels", () => [
    asks("a"),
    gives("a", "\u001b[31m5\u001b[0m\u200b\r\n"),
    ai("\n\nFinal Answer: [3]\n"),
  ]),
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
  { name: "a greeting of the assistant", history: () => [ai("Hello! How can I help?"), human("How many?")] },
  {
    name: "a system message at its beginning",
    history: () => [new SystemMessage("Be brief."), human("One?"), ai("Yes."), human("Two?")],
  },
];
