import { tool } from "@langchain/core/tools";
import { expect, it } from "vitest";
import { z } from "zod";
import type { Citation } from "../../../src/core/state/source.js";
import { piecesOf } from "../../helpers/turn-events.js";
import { heldByUs, openTalk } from "./talk.js";
import { call, chat, said } from "./ways.js";

const cats = { title: "Cats", address: "cats.md", passage: "Cats sleep for most of the day." };
const search = () =>
  tool(async () => [`[1] cats.md\n${cats.passage}`, { sources: [cats] }], {
    name: "look",
    description: "Looks.",
    schema: z.object({ q: z.string().optional() }),
    responseFormat: "content_and_artifact",
  });
const look = { calls: [call("a")] };

/** Answers that are the model's, to the last character. */
it.each([
  ["a citation of a source, and numbers without one", "Cats sleep [1]. Dogs [7]. Step [3]: do it. Options are [10]."],
  ["numbers in code", "Use the array items[9] and matrix[2][7]. In code: `x = a[9]`."],
  ["links and a footnote", "See [3](https://a.example/3) and [the page][4].[^1]\n\n[4]: https://a.example/4\n[^1]: c"],
  ["quotes", 'It says "Cats sleep for most of the day." [1], not "the quick brown fox jumps over it" [1].'],
  ["labels of text protocols, and markup", "Final Answer: it is 5.\nObservation: `<tool_call>`\n| a |\n|---|\n| [1] |"],
  ["odd characters", "It is \u001b[1m5\u001b[0m\u200b.\r\nYes."],
])("an answer with %s is the same in all places, and in the next turn", async (_what, answer) => {
  const line = chat(look, said(answer), said("Ja."));
  const held = await heldByUs({ line, tools: [search()], questions: ["How?", "And?"] });
  expect(held.answers[0]).toBe(answer);
  const first = held.events.slice(
    0,
    held.events.findIndex(({ type }) => type === "turn-end"),
  );
  expect(piecesOf(first)).toBe(answer);
  expect(first.find(({ type }) => type === "answer")).toMatchObject({ text: answer });
  expect(held.messages[3]).toMatchObject({ type: "ai", content: answer });
  expect(held.sent[1]?.[0]?.[3]).toMatchObject({ role: "assistant", content: answer });
});

it("white space around an answer is no part of it, in the message as in the state", async () => {
  const { messages, sent } = await heldByUs({ line: chat(said("\n\nIt is 5.\n"), said("Ja.")) });
  expect(messages[1]?.content).toBe("It is 5.");
  expect(sent[1]?.[0]?.[1]).toMatchObject({ content: "It is 5." });
});

it("the citations of an answer are reported with their place, their source, and whether their quotes were found", async () => {
  const answer =
    'Cats sleep [1]. Dogs bark [7]. See `items[1]`. "Cats sleep for most of the day." [1] "Cats never sleep at all." [1]';
  await using talk = await openTalk({ line: chat(look, said(answer)), tools: [search()] });
  await talk.ask("How?");
  const { citations, sources } = (await talk.agent.getState(talk.thread)).values;
  expect(citations).toMatchObject([
    { number: 1, source: 0 },
    { number: 7, source: null },
    { number: 1, quotes: [{ isFound: true }] },
    { number: 1, quotes: [{ isFound: false }] },
  ]);
  expect(citations.map(({ start, end }: Citation) => answer.slice(start, end))).toEqual(["[1]", "[7]", "[1]", "[1]"]);
  expect(sources[0]).toMatchObject({ address: "cats.md" });
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
  const line = chat(look, said("Cats sleep [1]."), { calls: [call("b")] }, said("Dogs bark [2]."));
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
  const line = chat(look, { calls: [call("b")] });
  const { answers, messages, events } = await heldByUs({
    line,
    tools: [search()],
    questions: ["How?"],
    options: { limits: { maxModelCalls: 1 } },
  });
  expect(messages.at(-1)).toMatchObject({ type: "ai", content: answers[0] });
  expect(piecesOf(events)).toBe(answers[0]);
});
