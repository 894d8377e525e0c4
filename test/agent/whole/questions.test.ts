import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import type { Sent } from "../../helpers/lines.js";
import { matrix } from "../../matrix/matrix.js";
import { questionRows } from "./questions.js";
import { templateTokens } from "./results.js";
import { heldByBoth, heldByUs } from "./talk.js";
import { looking as line, recorded } from "./ways.js";

const usual = questionRows.filter(({ name }) => /marks of calls|cache|people/.test(name));

it.each(matrix(questionRows, ...usual))(
  "a question with $name is sent in every prompt, kept and exported as it was asked",
  async ({ question, holds }) => {
    const { ours, theirs } = await heldByBoth({ line, questions: [question, "And in French?"] });
    expect(ours.sent).toEqual(theirs.sent);
    expect(JSON.stringify(ours.sent[0]?.[0])).toContain(holds);
    expect(ours.messages.map(asked)).toEqual(theirs.messages.map(asked));
    expect(ours.prompts.map(({ exact }) => exact)).toEqual(ours.sent.flat().map(() => true));
    expect(ours.exported).toContain(holds);
  },
);

it("a question is sent with the fields beside its content", async () => {
  const question = [new HumanMessage({ content: "How many?", additional_kwargs: { cache_point: true } })];
  const replies = [
    { tool_calls: [{ type: "tool_call" as const, id: "toolu_1", name: "look", args: {} }] },
    { content: "5." },
    { content: "Cinq." },
  ];
  const { ours, theirs } = await heldByBoth({ line: recorded(...replies), questions: [question, "In French?"] });
  expect(ours.sent).toEqual(theirs.sent);
});

it("the tokens of chat templates in a question are shown with an escape", async () => {
  const question = `What is ${templateTokens} here?`;
  const { sent, messages } = await heldByUs({ line, questions: [question] });
  const shown = String(sent[0]?.[0]?.[0]?.content);
  expect(templateTokens.filter((token) => shown.includes(token))).toEqual([]);
  expect(shown).toMatch(/What is .*~\w+~.* here\?/);
  expect(messages[0]?.content).toBe(question);
});

it("system messages that come with a question are in every later prompt once, with their marks for the cache", async () => {
  const cached = { type: "text" as const, text: "You speak Latin.", cache_control: { type: "ephemeral" } };
  const question = [new SystemMessage({ content: [cached] }), new HumanMessage("How many?")];
  const { ours, theirs } = await heldByBoth({ line, questions: [question, "And in French?"] });
  expect(ours.messages.map(asked)).toEqual(theirs.messages.map(asked));
  expect(ours.whole).toHaveLength(3);
  for (const request of ours.whole) {
    const said = request.filter(({ role }) => role === "system").map(({ content }) => JSON.stringify(content));
    expect(said.join("\n").split("You speak Latin.")).toHaveLength(2);
    expect(said.join("\n")).toContain('"cache_control":{"type":"ephemeral"}');
    expect(request.findLastIndex(({ role }) => role === "system")).toBeLessThan(
      request.findIndex(({ role }) => role === "user"),
    );
  }
});

function asked({ type, content, name, additional_kwargs }: Sent): Sent {
  return type === "human" || type === "system" ? { type, content, name, additional_kwargs } : { type, content };
}
