import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { createAgent } from "../../../src/agent/create-agent.js";
import { offlineModel } from "../../../src/model/offline/offline-model.js";
import { transcript } from "../../../src/testing/index.js";
import { calculator } from "../../../src/tools/calculator/calculator.js";
import { documentSearch } from "../../../src/tools/document-search/document-search.js";

const knowledge = fileURLToPath(new URL("../../../knowledge", import.meta.url));

/** Asks the questions one after the other on one thread of an agent with the real tools. */
function converse(...questions: string[]) {
  return converseOver(knowledge, questions);
}

async function converseOver(folder: string, questions: readonly string[]) {
  const tools = [calculator(), documentSearch({ folder })];
  const agent = createAgent({ model: offlineModel(), tools, checkpointer: new MemorySaver() });
  const turns = [];
  for (const messages of questions) turns.push(await agent.invoke({ messages }, { configurable: { thread_id: "t" } }));
  return turns.map((state) => ({
    question: state.question,
    tools: state.intermediateSteps.flatMap(({ results }) => results.map(({ action }) => action.tool)),
    answer: state.answer,
    stopReason: state.stopReason,
    transcript: transcript(state),
  }));
}

describe("conversations with the offline model over the documents of the repository", () => {
  it("searches, then calculates", async () => {
    const [turn] = await converse("What is the square root of the world record time for solving a Rubik's cube?");
    expect(turn?.tools).toEqual(["document_search", "calculator"]);
    expect(turn?.answer).toBe(
      "The square root of the world record time for solving a Rubik's cube (3.05 seconds) is about 1.7464.",
    );
    expect(turn?.transcript).toMatch(
      /^Question: What is the square root .*\nThought: I need to look up .*\nAction: document_search\nAction Input: world record time .*\nObservation: [\s\S]*\nThought: I need to use a calculator .*\nAction: calculator\nAction Input: sqrt\(3\.05\)\nObservation: 1\.746\d*\nThought: .*\nFinal Answer: /,
    );
  });

  it("talks about the Rubik's cube as the seeds do", async () => {
    const turns = await converse(
      "What is the world record for solving a Rubik's cube?",
      "Can a robot solve it faster?",
      "Who made this robot?",
    );
    expect(turns.map(({ question }) => question)).toEqual([
      "What is the world record for solving a Rubik's cube?",
      "Can a robot solve a Rubik's cube faster?",
      "Who made the robot Purdubik's Cube?",
    ]);
    expect(turns[0]?.answer).toMatch(/3\.05 seconds/);
    expect(turns[1]?.answer).toMatch(/0\.103 seconds/);
    expect(turns[2]?.answer).toMatch(/Purdue University/);
  });

  it("converts the temperature it found, as the seeds do", async () => {
    const turns = await converse(
      "What was the high temperature in San Francisco on 3 April 2023?",
      "What is that in Celsius?",
      "And in London?",
    );
    expect(turns[0]?.answer).toBe("The high temperature in San Francisco (SF) on 3 April 2023 was 54 °F.");
    expect(turns[1]).toMatchObject({
      question: "What is 54 °F in Celsius?",
      tools: ["calculator"],
      answer: "54 °F is about 12.2 °C.",
    });
    expect(turns[2]?.answer).toMatch(/London .* 55 °F/);
  });

  it("answers which Avengers die in the film that the last answer named", async () => {
    const turns = await converse("Which is the best MCU film?", "Which avengers die in this film?");
    expect(turns[1]?.question).toBe("Which avengers die in the film Avengers: Endgame?");
    expect(turns[1]?.answer).toMatch(/Natasha Romanoff .* Tony Stark/);
  });

  it("leaves a pronoun alone that means somebody in its own question", async () => {
    const turns = await converse("Is Thanos an Avenger?", "How old was Plato when he died?", "And Socrates?");
    expect(turns[1]?.answer).toMatch(/Plato was about 80 years old/);
    expect(turns[2]?.answer).toMatch(/Socrates was about 71 years old/);
  });

  it("does not take a lone number for something to look up", async () => {
    const [turn] = await converse("What is 1?");
    expect(turn?.answer).toMatch(/^I found nothing about this/);
  });

  it("tells what keeps it from looking things up", async () => {
    const folder = await mkdtemp(join(tmpdir(), "glassloop-documents-"));
    const [empty] = await converseOver(folder, ["Who made it?"]);
    expect(empty?.answer).toMatch(/^I could not look this up\. There are no documents here: /);
    await rm(folder, { recursive: true });
    const [gone] = await converseOver(folder, ["Who made it?"]);
    expect(gone?.answer).toMatch(/^I could not look this up\. Cannot search the documents: there is no folder ".*\.$/);
  });

  it("answers both questions of one message", async () => {
    const [turn] = await converse(
      "What was the high temperature in SF yesterday in Fahrenheit? And the same value in celsius?",
    );
    expect(turn?.tools).toEqual(["document_search", "calculator"]);
    expect(turn?.answer).toMatch(/on 3 April 2023 was 54 °F\. 54 °F is about 12\.2 °C\.$/);
  });

  it("finds whom a pronoun means and calculates with their age", async () => {
    const turns = await converse("Who is Olivia Wilde's boyfriend?", "What is his age raised to the 0.23 power?");
    expect(turns[1]).toMatchObject({
      question: "What is Harry Styles' age raised to the 0.23 power?",
      tools: ["document_search", "calculator"],
      answer: expect.stringMatching(/ is about 2\.2\d*\.$/),
    });
  });

  it.each([
    "Who won the Tour de France in 2020?",
    "What is the capital of Mongolia?",
    "Who directed Titanic?",
    "Tell me a joke",
  ])("says that it found nothing about %j", async (question) => {
    const [turn] = await converse(question);
    expect(turn?.answer).toMatch(/^I found nothing about this/);
    expect(turn?.stopReason).toBe("answered");
  });
});
