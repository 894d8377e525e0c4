import { describe, expect, it } from "vitest";
import type { IntermediateStep } from "../../src/core/state/decision.js";
import { transcript } from "../../src/testing/index.js";

function reply(text: string) {
  return { text, toolCalls: [], invalidToolCalls: [] };
}

const step: IntermediateStep = {
  reply: reply(" I need to use a calculator for this\nAction: calculator\nAction Input: 25^(1/2)"),
  decision: {
    kind: "action",
    actions: [{ tool: "calculator", toolInput: "25^(1/2)", log: "", id: "1-1-1" }],
    thought: "I need to use a calculator for this",
  },
  results: [
    {
      action: { tool: "calculator", toolInput: "25^(1/2)", log: "", id: "1-1-1" },
      observation: "5",
      status: "success",
    },
  ],
};

describe("transcript", () => {
  it("prints a turn as people read it", () => {
    const turn = {
      question: "What is the square root of 25?",
      intermediateSteps: [step],
      decision: {
        kind: "finish",
        output: "The square root of 25 is 5.",
        stopReason: "answered",
        thought: "I now know the final answer",
      } as const,
      answer: "The square root of 25 is 5.",
      stopReason: "answered",
    };
    expect(transcript(turn)).toBe(
      [
        "Question: What is the square root of 25?",
        "Thought: I need to use a calculator for this",
        "Action: calculator",
        "Action Input: 25^(1/2)",
        "Observation: 5",
        "Thought: I now know the final answer",
        "Final Answer: The square root of 25 is 5.",
      ].join("\n"),
    );
  });

  it("prints steps alone, with arguments as JSON and every result of a step with several", () => {
    const action = { tool: "weather", toolInput: { city: "Ulm" }, log: "", id: "1-2-1" };
    const two: IntermediateStep = {
      reply: reply(""),
      decision: { kind: "action", actions: [action, action] },
      results: [
        { action, observation: "sunny", status: "success" },
        { action, observation: "It failed.", status: "error" },
      ],
    };
    expect(transcript([two])).toBe(
      'Action: weather\nAction Input: {"city":"Ulm"}\nObservation: sunny\n' +
        'Action: weather\nAction Input: {"city":"Ulm"}\nObservation: It failed.',
    );
  });

  it("prints an unreadable reply with its correction, and why a turn stopped", () => {
    const unreadable: IntermediateStep = {
      reply: reply("Hm."),
      decision: { kind: "unparseable", why: "no action", correction: "Write an action." },
      results: [],
    };
    const turn = { question: "?", intermediateSteps: [unreadable], answer: "I gave up.", stopReason: "unreadable" };
    expect(transcript(turn)).toBe(
      "Question: ?\nUnreadable: Hm.\nObservation: Write an action.\nStopped (unreadable): I gave up.",
    );
  });

  it("does not print a plain answer twice", () => {
    const decision = { kind: "finish", output: "Hello.", stopReason: "answered" } as const;
    const turn = { question: "Hi?", decision, answer: "Hello.", stopReason: "answered" };
    expect(transcript(turn)).toBe("Question: Hi?\nFinal Answer: Hello.");
  });
});
