import { fileURLToPath } from "node:url";
import { MemorySaver } from "@langchain/langgraph";
import { afterAll, describe, expect, it } from "vitest";
import { createAgent } from "../../../src/agent/create-agent.js";
import { OfflineModel } from "../../../src/model/offline/offline-model.js";
import { calculator } from "../../../src/tools/calculator/calculator.js";
import { documentSearch } from "../../../src/tools/document-search/document-search.js";
import { matrix } from "../../matrix/matrix.js";

const folder = fileURLToPath(new URL("../../../knowledge", import.meta.url));
const search = documentSearch({ folder });
const agent = createAgent({
  model: new OfflineModel({}),
  tools: [calculator(), search],
  checkpointer: new MemorySaver(),
});

afterAll(() => search.close());

/** Asks the questions one after the other on one thread. Returns the questions as they were understood, and the answers. */
async function converse(...questions: string[]) {
  const thread = { configurable: { thread_id: questions.join() } };
  const turns = [];
  for (const messages of questions) turns.push(await agent.invoke({ messages }, thread));
  return turns;
}

const nothing = /^I am the offline stand-in, no language model, and found nothing about this\./;

/** Questions with their answers. The first ones are each of another kind. */
const answered: readonly [question: string, answer: RegExp][] = [
  ["What is the world record for solving a Rubik's cube?", /is 3\.05 seconds/],
  ["How many Avengers die in Avengers: Endgame?", /^Two Avengers die .* Tony Stark/],
  ["Who won the US Open in 2022?", /^Carlos Alcaraz won/],
  ["What is 15% of 240?", /^15% of 240 is 36\.$/],
  ["What is the square root of the world record time for solving a Rubik's cube?", /root of 3\.05 is 1\.7464/],
  ["Who invented the Rubik's Cube?", /by Ernő Rubik/],
  ["How many positions does a Rubik's cube have?", /has 43,252,003,274,489,856,000 positions/],
  ["How old was Socrates when he died?", /^Socrates was about 71 years old/],
  ["who is olivia wilde's boyfriend", /the singer Harry Styles\.$/],
  ["Who was Plato?", /^Plato was a student/],
  ["Who was the men's singles champion of the US Open in 2023?", /^Novak Djokovic/],
  ["What is the fastest time in which a robot has solved a Rubik's cube?", /0\.103 seconds/],
  ["What is 20% off 80?", /^20% off 80 is 64\.$/],
  ["$1,234.50 × 2", / is 2469\.$/],
  ["√25 + 2", /^√25 \+ 2 is 7\.$/],
  ["What is the high temperature in London on 3 April 2023 minus 5?", /^The high .* 55 minus 5 is 50\.$/],
];

/** Questions without an answer, and why. The first ones are each of another kind. */
const unanswered: readonly [why: string, question: string][] = [
  ["what is counted is another thing", "How many colours has the cube?"],
  ["the relation is turned round", "Who was Plato's teacher?"],
  ["the year is another", "Who won the US Open in 2021?"],
  ["it is mentioned, not defined", "What is hemlock?"],
  ["it asks why", "Why did Socrates die?"],
  ["it is of another subject", "What is the capital of Mongolia?"],
  ["it has units", "What is 54 °F in Celsius?"],
  ["another thing was made", "Who made the Rubik's Cube?"],
  ["the relation is to somebody else", "Who was a student of Alexander the Great?"],
  ["the verb is of somebody else", "Who kills Tony Stark?"],
  ["he did not direct them", "Which films did Robert Downey Jr. direct?"],
  ["he was directed by nobody", "Who directed Robert Downey Jr.?"],
  ["the day is another", "What was the high temperature in San Francisco on 4 April 2023?"],
  ["another doer was fast", "What is the fastest time in which a human has solved a Rubik's cube?"],
  ["a second is no ordinal", "Who won the second world championship?"],
  ["the record is an earlier one", "Who held the record for a single solve of a Rubik's Cube?"],
  ["a name alone asks for nothing", "What does Harry Styles do?"],
  ["it tells no date", "When was Socrates sentenced to death?"],
  ["it is part of a longer name", "what is the rubik's cube"],
  ["it asks for the time", "What time is it?"],
  ["it is a date", "2024-05-21"],
  ["it is no calculation", "What is 42?"],
  ["it has an unknown", "solve x^2 = 16"],
  ["it is too long for a question", `What is ${"1".repeat(600)} plus 1?`],
];

const followUps: readonly [questions: string[], understood: string, answer: RegExp][] = [
  [["Who is Olivia Wilde's boyfriend?", "How old is he?"], "How old is Harry Styles?", /^Harry Styles was 31 years/],
  [["What is 3 + 4?", "What is that squared?"], "What is 7 squared?", /^7 squared is 49\.$/],
  [["Who was Aristotle?", "What is the capital of France?"], "What is the capital of France?", nothing],
  [
    ["Can a robot solve a Rubik's cube faster?", "Who made this robot?"],
    "Who made Purdubik's Cube?",
    /Purdue University students/,
  ],
  [["Who was Plato?", "Where did he die?"], "Where did Plato die?", /in Athens/],
  [["What is 12*12?", "and plus 6?"], "144 plus 6?", /^144 plus 6 is 150\.$/],
  [["Who holds the record?", "What is a clarinet and who made it?"], "What is a clarinet and who made it?", nothing],
  [["Who was Plato?", "How old was Socrates when he died?"], "How old was Socrates when he died?", /71 years/],
];

describe("the offline model, over the documents of the repository", () => {
  it.each(matrix(answered, ...answered.slice(0, 5)))("answers %j", async (question, answer) => {
    const [turn] = await converse(question);
    expect(turn).toMatchObject({ answer: expect.stringMatching(answer), stopReason: "answered" });
  });

  it.each(matrix(unanswered, ...unanswered.slice(0, 7)))("does not answer if %s: %j", async (_, question) => {
    const [turn] = await converse(question);
    expect(turn).toMatchObject({ answer: expect.stringMatching(nothing), stopReason: "answered" });
  });

  it.each(matrix(followUps, ...followUps.slice(0, 3)))(
    "understands the last of %j as %j",
    async (asked, question, answer) => {
      expect((await converse(...asked)).at(-1)).toMatchObject({ question, answer: expect.stringMatching(answer) });
    },
  );
});
