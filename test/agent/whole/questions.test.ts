import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import type { Sent, Way } from "../../helpers/lines.js";
import { questionRows } from "./questions.js";
import { templateTokens } from "./results.js";
import { heldByBoth, heldByUs, type Talk } from "./talk.js";

const call = { id: "call_1", name: "look", args: '{"q":"x"}' };
const line: Way = { way: "streamed", replies: [{ calls: [call] }, { content: "It is 5." }, { content: "Cinq." }] };

describe.each(questionRows)("a question with $name", ({ question, holds }) => {
  const talk: Talk = { line, questions: [question, "And in French?"] };
  const held = heldByBoth(talk);

  it("is sent as it was asked, in every step", async () => {
    const { ours, theirs } = await held();
    expect(ours.sent[0]).toEqual(theirs.sent[0]);
    expect(JSON.stringify(ours.sent[0]?.[0])).toContain(holds);
  });

  it("is sent in the next turn as it was asked", async () => {
    const { ours, theirs } = await held();
    expect(ours.sent[1]).toEqual(theirs.sent[1]);
  });

  it("stands in messages as it was asked", async () => {
    const { ours, theirs } = await held();
    expect(ours.messages.map(asked)).toEqual(theirs.messages.map(asked));
  });

  it("is in the prompts of the thread, byte for byte", async () => {
    const { ours } = await held();
    expect(ours.prompts.map(({ exact }) => exact)).toEqual(ours.sent.flat().map(() => true));
  });

  it("is exported", async () => {
    const { ours } = await held();
    expect(ours.exported).toContain(holds);
  });
});

it("a question is sent with the fields beside its content", async () => {
  const question = [new HumanMessage({ content: "How many?", additional_kwargs: { cache_point: true } })];
  const replies = [
    { tool_calls: [{ type: "tool_call" as const, id: "toolu_1", name: "look", args: {} }] },
    { content: "5." },
    { content: "Cinq." },
  ];
  const { ours, theirs } = await heldByBoth({
    line: { way: "recorded", replies },
    questions: [question, "In French?"],
  })();
  expect(ours.sent).toEqual(theirs.sent);
});

it.each(templateTokens)("shows the token %s of a chat template in a question with an escape", async (token) => {
  const { sent, messages } = await heldByUs({ line, questions: [`What is ${token} here?`] });
  expect(JSON.stringify(sent[0]?.[0])).not.toContain(token);
  expect(JSON.stringify(sent[0]?.[0])).toMatch(/What is .*~\w+~.* here\?/);
  expect(messages[0]?.content).toBe(`What is ${token} here?`);
});

describe("system messages that come with a question", () => {
  const cached = { type: "text" as const, text: "You speak Latin.", cache_control: { type: "ephemeral" } };
  const question = [new SystemMessage({ content: [cached] }), new HumanMessage("How many?")];

  it("are in every prompt of the turn, with their marks for the cache, and once", async () => {
    await expectOnce("You speak Latin.", 0);
  });

  it("are in the prompts of the next turn, with their marks for the cache, and once", async () => {
    await expectOnce("You speak Latin.", 1);
  });

  it("are in messages unchanged", async () => {
    const { ours, theirs } = await heldByBoth({ line, questions: [question] })();
    expect(ours.messages.map(asked)).toEqual(theirs.messages.map(asked));
  });

  async function expectOnce(text: string, turn: number): Promise<void> {
    const { whole } = await heldByUs({ line, questions: [question, "And in French?"] });
    for (const request of whole[turn] ?? []) {
      const said = request.filter(({ role }) => role === "system").map(({ content }) => JSON.stringify(content));
      expect(said.join("\n").split(text)).toHaveLength(2);
      expect(said.join("\n")).toContain('"cache_control":{"type":"ephemeral"}');
      expect(request.findLastIndex(({ role }) => role === "system")).toBeLessThan(
        request.findIndex(({ role }) => role === "user"),
      );
    }
  }
});

function asked({ type, content, name, additional_kwargs }: Sent): Sent {
  return type === "human" || type === "system" ? { type, content, name, additional_kwargs } : { type, content };
}
