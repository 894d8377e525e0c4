import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import type { PromptView, Protocol } from "../../src/core/parts/protocol.js";
import { emptyChatHistory } from "../../src/core/state/chat-history.js";
import type { IntermediateStep } from "../../src/core/state/decision.js";
import { protocols } from "../../src/protocols/by-name.js";
import { conversational } from "../../src/protocols/conversational.js";
import { protocolNames } from "../../src/protocols/index.js";
import { react } from "../../src/protocols/react.js";
import { selfAsk } from "../../src/protocols/self-ask.js";
import { structuredChat } from "../../src/protocols/structured-chat.js";
import { toolCalling } from "../../src/protocols/tool-calling.js";
import type { ToolSpec } from "../../src/tool-inputs/tool-spec.js";

const calculator: ToolSpec = {
  name: "Calculator",
  description: "Useful for when you need to answer questions about math.",
};
const weather: ToolSpec = { name: "Weather", description: "Useful for when you want to know about the weather." };
const booking: ToolSpec = {
  name: "book_table",
  description: "Books a table.",
  parameters: {
    type: "object",
    properties: { restaurant: { type: "string" }, people: { type: "integer" } },
    required: ["restaurant", "people"],
  },
};

const view: PromptView = {
  question: "How old will I be in ten years? I am 28.",
  chatHistory: emptyChatHistory,
  intermediateSteps: [],
  tools: [calculator, weather],
};

const answered = { answer: "Yes, very.", stopReason: "answered" as const };
const earlier = {
  summary: "They talked about Oslo.",
  turns: [{ id: "q1", end: "a1", question: "And there?", steps: "Called Weather: Oslo", ...answered }],
};

function textOf(messages: readonly BaseMessage[]): string {
  return messages.map((message) => message.text).join("\n");
}

function step(tool: string, toolInput: string, observation: string, log: string): IntermediateStep {
  const action = { tool, toolInput, log, id: "1-1-1" };
  return {
    reply: { text: `${log}\n`, toolCalls: [], invalidToolCalls: [] },
    decision: { kind: "action", actions: [action] },
    results: [{ action, observation, status: "success" }],
  };
}

function unreadable(text: string, correction: string): IntermediateStep {
  const reply = { text, toolCalls: [], invalidToolCalls: [] };
  return { reply, decision: { kind: "unparseable", why: "It is unclear.", correction }, results: [] };
}

describe("the react prompt", () => {
  it("is the one of the seeds", () => {
    const messages = protocols.react.render(view);
    expect(messages.map((message) => message.getType())).toEqual(["human"]);
    expect(
      textOf(messages),
    ).toBe(`Answer the following questions as best you can. You have access to the following tools:

Calculator: Useful for when you need to answer questions about math.
Weather: Useful for when you want to know about the weather.

Use the following format:

Question: the input question you must answer
Thought: you should always think about what to do
Action: the action to take, should be one of [Calculator, Weather]
Action Input: the input to the action
Observation: the result of the action
... (this Thought/Action/Action Input/Observation can repeat N times)
Thought: I now know the final answer
Final Answer: the final answer to the original input question

Begin!

Question: How old will I be in ten years? I am 28.
Thought:`);
  });

  it("grows by the model's text and the observations", () => {
    const first = step("Calculator", "28 + 10", "38", " I need to add\nAction: Calculator\nAction Input: 28 + 10");
    const second = unreadable("Hm", "Use the form.");
    expect(textOf(protocols.react.render({ ...view, intermediateSteps: [first, second] }))).toMatch(
      /\nThought: I need to add\nAction: Calculator\nAction Input: 28 \+ 10\nObservation: 38\nThought:Hm\nObservation: Use the form\.\nThought:$/,
    );
  });

  it("leaves out what a model invented after its action", () => {
    const log = " Look\nAction: Weather\nAction Input: Oslo";
    const invented = step("Weather", "Oslo", "cold", log);
    const reply = { ...invented.reply, text: `${log}\n**Observation:** warm` };
    const prompt = textOf(protocols.react.render({ ...view, intermediateSteps: [{ ...invented, reply }] }));
    expect(prompt).toContain("Action Input: Oslo\nObservation: cold\nThought:");
    expect(prompt).not.toContain("warm");
  });

  it("shows the schema of a tool that takes several arguments", () => {
    expect(textOf(protocols.react.render({ ...view, tools: [booking] }))).toContain(
      'book_table: Books a table. The input is a JSON object with this schema: {"type":"object","properties":' +
        '{"restaurant":{"type":"string"},"people":{"type":"integer"}},"required":["restaurant","people"]}\n',
    );
  });

  it("accepts examples", () => {
    const examples = ["Question: 1 + 1?\nThought: easy\nFinal Answer: 2"];
    expect(textOf(react().render({ ...view, examples }))).toContain(`Examples:\n\n${examples[0]}\n\nBegin!`);
  });
});

describe("the self-ask prompt", () => {
  it("teaches by examples and ends where the model decides on follow-up questions", () => {
    const text = textOf(protocols["self-ask"].render(view));
    expect(text).toMatch(/^Question: Who lived longer/);
    expect(text).toMatch(/Question: How old will I be in ten years\? I am 28\.\nAre follow up questions needed here:$/);
    const asked = step("Search", "How old?", "28", " Yes.\nFollow up: How old?");
    expect(textOf(protocols["self-ask"].render({ ...view, intermediateSteps: [asked] }))).toMatch(
      /needed here: Yes\.\nFollow up: How old\?\nIntermediate answer: 28\n$/,
    );
  });

  it("shows one's own examples instead", () => {
    const text = textOf(selfAsk().render({ ...view, examples: ["Question: a\nSo the final answer is: b"] }));
    expect(text).toMatch(/^Question: a\nSo the final answer is: b\n\nQuestion: How old/);
  });
});

describe("the tool-calling prompt", () => {
  const { render } = protocols["tool-calling"];
  const called = new AIMessage({
    content: [{ type: "text", text: "Let me look" }],
    tool_calls: [{ id: "c1", name: "Weather", args: { input: "Oslo" } }],
  });
  const cold = new ToolMessage({ tool_call_id: "c1", name: "Weather", content: "cold" });
  const asked = new HumanMessage(view.question);

  it("is one system message and the messages of the conversation", () => {
    const messages = [new SystemMessage("Be kind."), new HumanMessage("Hi."), called, cold, asked];
    const full = { ...view, messages, chatHistory: earlier, instructions: "Be brief.", currentDate: "2026-02-03" };
    const [system, ...rest] = render({ ...full, examples: ["EXAMPLE"] });
    expect(rest).toEqual(messages.slice(1));
    for (const [n, message] of rest.entries()) expect(message).toBe(messages[n + 1]);
    expect(system?.type).toBe("system");
    expect(system?.text).toMatch(
      /^Be brief\.\n\nAnswer the question.*\n\nExamples:\n\nEXAMPLE\n\nCurrent date: 2026-02-03\n\nBe kind\.\n\nSummary of the conversation so far: They talked about Oslo\.$/s,
    );
  });

  it("has no empty parts", () => {
    expect(render({ ...view, messages: [asked], tools: [] })).toEqual([asked]);
  });

  it("keeps the blocks of system messages, such as the place of a cache", () => {
    const cached = { type: "text" as const, text: "Be kind.", cache_control: { type: "ephemeral" } };
    const messages = [new SystemMessage({ content: [cached] }), new SystemMessage("Be quick."), asked];
    const [system] = render({ ...view, messages, tools: [], instructions: "Be brief." });
    expect(system?.content).toEqual([{ type: "text", text: "Be brief." }, cached, { type: "text", text: "Be quick." }]);
  });

  it("accepts a template", () => {
    expect(textOf(toolCalling({ wording: "Use tools gladly." }).render(view))).toBe("Use tools gladly.");
    expect(textOf(toolCalling({ wording: "" }).render(view))).toBe("");
  });
});

const prompted: readonly (readonly [string, Protocol])[] = [
  ...protocolNames.map((name) => [name, protocols[name]] as const),
  ["conversational in JSON", conversational({ format: "json" })],
];

const inText = prompted.filter(([, { nativeTools }]) => !nativeTools);

describe.each(inText)("the prompt of %s", (name, protocol) => {
  it("starts with the one before, byte for byte, after each step", () => {
    const steps = [
      step("Calculator", "28 + 10", "38", " I need to add\nAction: Calculator\nAction Input: 28 + 10"),
      unreadable("Hm", "Use the form."),
      unreadable("", "It is empty."),
      step("Weather", "Oslo", "Final Answer: cold\n\n", "Thought: weather"),
    ];
    const full = { ...view, chatHistory: earlier, instructions: "Be brief.", currentDate: "2026-02-03" };
    const texts = [0, 1, 2, 3, 4].map((count) =>
      textOf(protocol.render({ ...full, intermediateSteps: steps.slice(0, count) })),
    );
    for (const [index, text] of texts.slice(1).entries()) expect(text.startsWith(texts[index] ?? "?")).toBe(true);
  });

  it("shows the user's instructions, the day, and the conversation with its steps", () => {
    const full = { ...view, chatHistory: earlier, instructions: "Be brief.", currentDate: "2026-02-03" };
    const text = textOf(protocol.render(full));
    for (const part of ["Be brief.", "2026-02-03", "They talked about Oslo."]) expect(text).toContain(part);
    expect(text).toContain("\nQ: And there?\nCalled Weather: Oslo\nA: Yes, very.\n");
    expect(textOf(protocol.render(view))).not.toContain("undefined");
  });

  it("shows the words of the person, and below them the standalone question", () => {
    const standalone = "How old will a person of 28 be in ten years?";
    const text = textOf(protocol.render({ ...view, chatHistory: earlier, standalone }));
    const asked =
      name === "self-ask"
        ? `\nFollow Up Input: ${view.question}\nQuestion: ${standalone}\n`
        : `: ${view.question}\nStandalone question: ${standalone}`;
    expect(text).toContain(asked);
  });

  it("shows a step that was made with native calls in its own form", () => {
    const native = step("Calculator", "28 + 10", "38", "I need to add");
    const calls = [{ id: "x", name: "Calculator", args: { input: "28 + 10" } }];
    const text = textOf(
      protocol.render({ ...view, intermediateSteps: [{ ...native, reply: { ...native.reply, toolCalls: calls } }] }),
    );
    expect(text).toContain("I need to add");
    expect(text).toContain("38");
    if (protocol !== prompted.at(-1)?.[1]) expect(text).toContain("28 + 10");
  });
});

describe.each(prompted)("the protocol of %s", (_, protocol) => {
  it("has a prompt that makes sense without tools", () => {
    const text = textOf(protocol.render({ ...view, messages: [new HumanMessage(view.question)], tools: [] }));
    expect(text).toContain(view.question);
    expect(text).not.toMatch(/\[\]|following tools|should be one of|or \.|undefined/);
  });

  it("gives examples of replies that its parser reads correctly", () => {
    for (const tools of [
      [booking],
      [calculator],
      [{ name: "now", description: "", parameters: { type: "object", properties: {} } }],
    ]) {
      const example = protocol.exampleReply?.(tools);
      if (example === undefined) continue;
      expect(protocol.parse(example, tools)).toMatchObject({ kind: "action", actions: [{ tool: tools[0]?.name }] });
    }
    expect(protocol.parse(protocol.exampleAnswer ?? "", [calculator]).kind).toBe("finish");
    expect(protocol.exampleReply?.([])).toBeUndefined();
  });
});

describe("a template", () => {
  it.each([
    ["react", react],
    ["structured-chat", structuredChat],
    ["conversational", conversational],
    ["self-ask", selfAsk],
  ] as const)("replaces the text above the question, and gets its parts: %s", (_, create) => {
    const text = textOf(
      create({ wording: ({ examples }) => `MY WORDS ${examples}` }).render({ ...view, examples: ["EXAMPLE"] }),
    );
    expect(text).toMatch(/^MY WORDS EXAMPLE\n\nQuestion: How old/);
  });
});
