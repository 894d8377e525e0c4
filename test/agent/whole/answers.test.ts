import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Citation } from "../../../src/core/state/citation.js";
import type { Way } from "../../helpers/lines.js";
import type { ChatReply } from "../../helpers/providers/chat.js";
import { type HeldByUs, heldByUs, openTalk } from "./talk.js";

const cats = { title: "Cats", address: "cats.md", passage: "Cats sleep for most of the day." };
const search = () =>
  tool(async () => [`[1] cats.md\n${cats.passage}`, { sources: [cats] }], {
    name: "look",
    description: "Looks.",
    schema: z.object({ q: z.string().optional() }),
    responseFormat: "content_and_artifact",
  });
const call = { calls: [{ id: "a", name: "look", args: "{}" }] };
const chat = (...replies: ChatReply[]): Way => ({ way: "streamed", replies });

/** Answers that are the model's, to the last character. */
const answers: readonly (readonly [string, string])[] = [
  ["a citation of a source", "Cats sleep [1]."],
  ["a number without a source", "Cats sleep [7]."],
  ["numbers of steps and options", "Step [3]: do it. Options are [10] and [11]."],
  ["numbers in code", "Use the array items[9] and matrix[2][7]. In code: `x = a[9]`."],
  ["a number of a standard", "See RFC [2119]. Set [8] to on."],
  ["a footnote of Markdown", "As told.[^1]\n\n[^1]: cats.md"],
  ["a link", "See [3](https://a.example/3) and [the page][4].\n\n[4]: https://a.example/4"],
  ["a quote that no source has", 'He said "the quick brown fox jumps over it" [1].'],
  ["a quote of a source", 'It says "Cats sleep for most of the day." [1]'],
  ["several numbers", "Cats sleep [1, 2], and dogs bark [1][2][3]."],
  ["labels of text protocols", "Final Answer: it is 5.\nObservation: none"],
  ["a table", "| a | b |\n|---|---|\n| [1] | [9] |"],
  ["odd characters", "It is \u001b[1m5\u001b[0m\u200b.\r\nYes."],
  ["markup of calls", "Write `<tool_call>` around [5]."],
];

describe.each(answers)("an answer with %s", (_what, answer) => {
  let once: Promise<HeldByUs> | undefined;
  const held = () => {
    once ??= heldByUs({
      line: chat(call, { content: answer }, { content: "Ja." }),
      tools: [search()],
      questions: ["How?", "And?"],
    });
    return once;
  };

  it("is the same in the state, the event and the message", async () => {
    const { answers, events, messages } = await held();
    expect(answers[0]).toBe(answer);
    expect(events.find(({ type }) => type === "answer")).toMatchObject({ text: answer });
    expect(messages[3]).toMatchObject({ type: "ai", content: answer });
  });

  it("is equal to what was streamed", async () => {
    const { events } = await held();
    const first = events.slice(
      0,
      events.findIndex(({ type }) => type === "turn-end"),
    );
    const streamed = first.flatMap((event) => (event.type === "answer-delta" ? [event.text] : [])).join("");
    expect(streamed).toBe(answer);
  });

  it("is sent in the next turn", async () => {
    const { sent } = await held();
    expect(sent[1]?.[0]?.[3]).toMatchObject({ role: "assistant", content: answer });
  });
});

describe("white space around an answer", () => {
  it("is no part of it, in the message as in the state", async () => {
    const { messages, sent } = await heldByUs({ line: chat({ content: "\n\nIt is 5.\n" }, { content: "Ja." }) });
    expect(messages[1]?.content).toBe("It is 5.");
    expect(sent[1]?.[0]?.[1]).toMatchObject({ content: "It is 5." });
  });
});

describe("the citations of an answer", () => {
  async function citationsOf(answer: string) {
    await using talk = await openTalk({ line: chat(call, { content: answer }), tools: [search()] });
    await talk.ask("How?");
    const { values } = await talk.agent.getState(talk.thread);
    return values;
  }

  it("are reported with their place and their source", async () => {
    const answer = "Cats sleep [1]. Dogs bark [7].";
    const { citations, sources } = await citationsOf(answer);
    expect(citations).toMatchObject([
      { number: 1, source: 0 },
      { number: 7, source: null },
    ]);
    expect(citations.map(({ start, end }: Citation) => answer.slice(start, end))).toEqual(["[1]", "[7]"]);
    expect(sources[0]).toMatchObject({ address: "cats.md" });
  });

  it.each([
    ["Cats sleep for most of the day.", true],
    ["Cats never sleep in the day at all.", false],
  ])("say whether the quoted words were found: %s", async (quote, isFound) => {
    const { citations } = await citationsOf(`It says "${quote}" [1]`);
    expect(citations).toMatchObject([{ number: 1, quotes: [{ isFound }] }]);
  });

  it("do not exist in code", async () => {
    expect((await citationsOf("Use `items[1]`.")).citations).toEqual([]);
  });
});

it("the numbers of sources continue over turns, and one source has one number", async () => {
  let page = 0;
  const pages = () =>
    tool(
      async () => {
        page += 1;
        const dogs = { title: "Dogs", address: "dogs.md", passage: "Dogs bark." };
        const sources = page === 1 ? [cats] : [dogs, cats];
        return [
          sources.map(({ address, passage }, n) => `[${n + 1}] ${address}\n${passage}`).join("\n\n"),
          { sources },
        ];
      },
      { name: "look", description: "Looks.", schema: z.object({}), responseFormat: "content_and_artifact" },
    );
  const line = chat(
    call,
    { content: "Cats sleep [1]." },
    { calls: [{ id: "b", name: "look", args: "{}" }] },
    { content: "Dogs bark [2]." },
  );
  await using talk = await openTalk({ line, tools: [pages()] });
  await talk.ask("Cats?");
  const [, sent] = await talk.ask("Dogs?");
  const results = sent?.filter(({ role }) => role === "tool").map(({ content }) => String(content)) ?? [];
  expect(results[0]).toContain("[1] cats.md");
  expect(results[1]).toContain("[2] dogs.md");
  expect(results[1]).toContain("[1] cats.md");
  const { values } = await talk.agent.getState(talk.thread);
  expect(values.sources.map(({ address }: { address: string }) => address).sort()).toEqual(["cats.md", "dogs.md"]);
});

it("an answer in our own words is marked so, where no model answered", async () => {
  const line = chat(call, { calls: [{ id: "b", name: "look", args: "{}" }] });
  const { answers, messages, events } = await heldByUs({
    line,
    tools: [search()],
    questions: ["How?"],
    options: { limits: { maxModelCalls: 1 } },
  });
  const streamed = events.flatMap((event) => (event.type === "answer-delta" ? [event.text] : [])).join("");
  expect(messages.at(-1)).toMatchObject({ type: "ai", content: answers[0] });
  expect(streamed).toBe(answers[0]);
});
