import { AIMessageChunk } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { streamTurn } from "../../src/index.js";
import { allOf } from "../helpers/turn-events.js";
import { retrievalOver, retrieverOf, turnOver } from "./scripted-retrieval.js";

const thread = { configurable: { thread_id: "t" } };
const whole = 'Ann said "we began with two tables" [2] in 1999 [1][5]. It grew.';

describe("the citations of an answer from passages", () => {
  it.each([false, true])("are reported, and the answer stays unchanged (with checked answers: %s)", async (check) => {
    const { retriever } = retrieverOf(() => ["In 1999 we began with two tables.", "Ann left in 2004."]);
    // With checked answers, a source that is not there is asked about.
    const written = check ? whole.replace("[5]", "[1]") : whole;
    const made = retrievalOver({ answer: written, check: "YES" }, { retriever, check });
    const events = await allOf(streamTurn(made.agent, { messages: "How did it begin?" }));
    const pieces = events.flatMap((event) => (event.type === "answer-delta" ? [event.text] : []));
    expect(pieces.join("")).toBe(written);
    const quote = { start: 9, end: 35, isFound: false, foundIn: 0 };
    expect(events.flatMap((event) => (event.type === "citations" ? event.citations : []))).toEqual([
      { number: 2, start: 36, end: 39, source: 1, quotes: [quote] },
      { number: 1, start: 48, end: 51, source: 0, quotes: [] },
      { number: check ? 1 : 5, start: 51, end: 54, source: check ? 0 : null, quotes: [] },
    ]);

    const stream = await made.agent.stream({ messages: "How did it begin?" }, { streamMode: "messages" });
    let text = "";
    for await (const [message] of stream) text += AIMessageChunk.isInstance(message) || check ? message.text : "";
    expect(text).toBe(written);
  });
});

describe("a checked answer that is right, but", () => {
  const passages = ["Ann won."];
  const missing = "no passage has the number [4]";

  it.each([
    ["cites nothing", "Ann.", "YES", "it cites no passage by its number, such as [1]"],
    ["cites a passage that is not there", "Ann [4][4].", "YES", missing],
    ["has other faults", "Bob [4].", "NO: it was Ann", `it was Ann; ${missing}`],
  ])("%s is asked for once more, and told all of it", async (_, first, verdict, complaint) => {
    const script = { answer: [first, "Ann [1]."], check: [verdict, "YES"] };
    const { asked, prompts, state } = await turnOver(passages, script, { check: true });
    expect(asked).toEqual(["answer", "check", "answer", "check"]);
    expect(prompts[2]).toContain(complaint);
    expect(state).toMatchObject({ answer: "Ann [1].", stopReason: "answered" });
  });

  it.each([
    ["cites a passage that is not there twice is ungrounded", "Ann [4].", "ungrounded", missing],
    ["cites nothing twice stays, as the passages may not tell", "They do not tell.", "answered", undefined],
  ])("%s", async (_, answer, stopReason, complaint) => {
    const { state } = await turnOver(passages, { answer, check: "YES" }, { check: true });
    expect(state).toMatchObject({ answer, stopReason });
    if (complaint !== undefined) expect(state.retrieval).toMatchObject({ complaint });
  });
});

it("a quote of a passage that was graded out is judged: the cited one does not have it", async () => {
  const found = ["The harbour was closed in the spring of 1911.", "Gulls nest on chimneys above the old town."];
  const answer = 'It says "gulls nest on chimneys above the old town" [1].';
  const { state } = await turnOver(found, { grading: "1", answer }, { grade: true });
  expect(state.citations).toMatchObject([{ source: 0, quotes: [{ isFound: false, foundIn: null }] }]);
});

describe("the numbers of passages", () => {
  it.each([{}, { grade: true }, { combine: "refine" }, { combine: "map-reduce" }, { combine: "map-rerank" }] as const)(
    "continue in the next turn, whose prompts show only its own passages: %o",
    async (options) => {
      const { retriever } = retrieverOf((query) =>
        query.includes("begin") ? ["In 1999 we began.", "With two tables."] : ["Ann left in 2004.", "It rained."],
      );
      const made = retrievalOver(
        {
          rephrasing: "When did Ann leave?",
          grading: (prompt) => (prompt.includes("began") ? "1, 2" : "3"),
          note: (prompt) => (prompt.includes("rained") ? "NOTHING" : "It is so."),
          scored: (prompt) => (prompt.includes("[3] ") ? "In 2004 [3].\nScore: 90" : "Perhaps.\nScore: 10"),
          draft: "A draft [3].",
          answer: (prompt) => (/\[[34]\] /.test(prompt) ? "In 2004 [3]." : "In 1999 [1]."),
        },
        { retriever, ...options, checkpointer: new MemorySaver() },
      );
      await made.agent.invoke({ messages: "How did it begin?" }, thread);
      const { answer, sources, citations, retrieval } = await made.agent.invoke({ messages: "And Ann?" }, thread);
      const kept = "grade" in options || options.combine === "map-reduce" ? [] : ["It rained."];
      const all = ["In 1999 we began.", "With two tables.", "Ann left in 2004.", ...kept];
      expect(sources.map(({ passage }) => passage)).toEqual(all);
      expect({ answer, citations, earlier: retrieval?.earlier }).toMatchObject({
        answer: "In 2004 [3].",
        citations: [{ number: 3, source: 2 }],
        earlier: 2,
      });
      const later = made.prompts.slice(made.asked.lastIndexOf("rephrasing") + 1).join("\n\n");
      expect(later).toContain("[3] ");
      expect(later).not.toContain("In 1999 we began");
    },
  );

  it("stay those of the first turn that found a passage", async () => {
    const { retriever } = retrieverOf((query) => [
      query.includes("Ann") ? "Ann left in 2004." : "It rained.",
      "So it is.",
    ]);
    const made = retrievalOver({ answer: "So [2]." }, { retriever, rephrase: false, checkpointer: new MemorySaver() });
    await made.agent.invoke({ messages: "Did it rain?" }, thread);
    const { sources, retrieval } = await made.agent.invoke({ messages: "Did Ann leave?" }, thread);
    expect(sources.map(({ passage }) => passage)).toEqual(["It rained.", "So it is.", "Ann left in 2004."]);
    expect(retrieval?.passages).toEqual([2, 1]);
    expect(made.prompts.at(-1)).toMatch(/\[3\] 1\.md\nAnn left in 2004\.\n\n\[2\] 2\.md\nSo it is\./);
  });
});
