import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { turnsIn } from "../../src/core/state/chat-history.js";
import type { IntermediateStep, Reply } from "../../src/core/state/decision.js";
import type { PromptRecord, Refusal } from "../../src/core/state/prompt-record.js";
import { type AgentStateValues, noTurn } from "../../src/core/state/state.js";
import { noUsage } from "../../src/core/state/usage.js";
import { conversation } from "../../src/prompts/conversation.js";
import { paused as pausedReason } from "../../src/provider-forms/finish-reason.js";

interface Shown {
  readonly steps?: readonly IntermediateStep[];
  readonly refuses?: readonly Refusal[];
  readonly model?: string;
  readonly name?: string;
  readonly tools?: boolean;
  readonly files?: PromptRecord["files"];
  readonly shortened?: readonly string[];
  readonly most?: number;
  readonly turnsLeftOut?: number;
}

/** The conversation that a prompt shows. The last human message is the question of the turn, if the state names no other. */
function shown(messages: BaseMessage[], options: Shown = {}, state: Partial<AgentStateValues> = {}): BaseMessage[] {
  const { steps = [], refuses = [], model = "m", name, tools = true, files = [] } = options;
  const index = messages.findLastIndex((message) => message.getType() === "human");
  const asked = messages[index]?.text ?? "";
  const values: AgentStateValues = {
    messages,
    turn: { ...noTurn, number: 1, asked, mark: "~k7~", message: { id: String(messages[index]?.id), digest: "" } },
    question: asked,
    chatHistory: { summary: "", turns: turnsIn(messages.slice(0, index)) },
    intermediateSteps: [...steps],
    ...{ reply: null, prompt: null, quietCalls: [], decision: null, sources: [], retrieval: null },
    ...{
      answer: null,
      citations: [],
      output: null,
      stopReason: null,
      usage: noUsage,
      outside: [],
      kept: [],
      workedMs: 0,
    },
    ...state,
  };
  return conversation(values, {
    steps,
    prompt: {
      model,
      refuses: [...refuses],
      ...(name && { name }),
      files,
      fileForm: "older",
      tools: tools ? [{ name: "look", description: "Looks." }] : [],
    },
    shortened: new Set(options.shortened),
    limits: { mark: "~k7~", most: options.most, readable: new Set() },
    turnsLeftOut: options.turnsLeftOut ?? 0,
  });
}

const human = (id: string, content: string) => new HumanMessage({ id, content });
const ai = (id: string, content: string, name?: string) => new AIMessage({ id, content, ...(name && { name }) });
const call = (id: string, ids: string[], fields: Partial<Pick<AIMessage, "name" | "content">> = {}) =>
  new AIMessage({
    id,
    content: "",
    ...fields,
    tool_calls: ids.map((callId) => ({ id: callId, name: "look", args: { at: callId }, type: "tool_call" as const })),
  });
const result = (callId: string, content: ToolMessage["content"], id = `${callId}-observation`) =>
  new ToolMessage({ id, name: "look", tool_call_id: callId, content });

/** The type and the text of messages, with the ids of the calls that they make or answer. */
function told(messages: readonly BaseMessage[]): string[] {
  return messages.map((message) => {
    if (ToolMessage.isInstance(message)) return `tool ${message.tool_call_id}: ${message.text}`;
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
    return `${[message.getType(), ...calls.map(({ id }) => id)].join(" ")}: ${message.text}`;
  });
}

/** A step with this reply. */
const stepOf = (
  fields: Partial<Reply>,
  decision: IntermediateStep["decision"] = { kind: "action", actions: [] },
): IntermediateStep => ({
  reply: { text: "", toolCalls: [], invalidToolCalls: [], ...fields },
  decision,
  results: [],
});

describe("the conversation of a native prompt", () => {
  it("is the messages of the state, the same objects, with the system messages first", () => {
    const blocks = new AIMessage({
      id: "c1",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "s1" },
        { type: "text", text: "I look." },
        { type: "tool_use", id: "1", name: "look", input: {} },
      ],
      tool_calls: [{ id: "1", name: "look", args: {} }],
      additional_kwargs: { reasoning_content: "Hm." },
    });
    const asked = new HumanMessage({ id: "q1", name: "Ann", content: [{ type: "text", text: "  Who?\n" }] });
    const system = new SystemMessage({ id: "s1", content: "Be kind." });
    const messages = [asked, blocks, result("1", "Ann \u001b[1m"), ai("a1", "Ann."), system, human("q2", "Sure?")];
    const prompt = shown(messages);
    const expected = [system, ...messages.filter((message) => message !== system)];
    expect(prompt).toHaveLength(expected.length);
    for (const [n, message] of prompt.entries()) expect(message).toBe(expected[n]);
  });

  it("only grows at its end while a turn goes on, and in the turn after it", () => {
    const messages = [
      ...[human("q1", "First?"), call("c1", ["1", "2"]), result("1", "a"), result("2", "b"), call("c2", ["3"])],
      ...[result("3", "c"), ai("a1", "One."), human("q2", "Second?"), call("c3", ["4"]), result("4", "d")],
    ];
    const ends = messages.flatMap((message, n) => (message.getType() === "ai" ? [n] : []));
    const prompts = [...ends, messages.length].map((end) => shown(messages.slice(0, end)));
    for (const [n, prompt] of prompts.slice(1).entries()) {
      const before = prompts[n] ?? [];
      expect(prompt.length).toBeGreaterThan(before.length);
      expect(prompt.slice(0, before.length)).toEqual(before);
    }
  });

  it("begins with the memory's first turn, and leaves out more turns where the prompt is too long", () => {
    const messages = [1, 2, 3].flatMap((n) => [human(`q${n}`, `${n}?`), ai(`a${n}`, `${n}.`)]);
    const turns = turnsIn(messages);
    const from = (state: Partial<AgentStateValues>, turnsLeftOut = 0) =>
      told(shown([...messages, human("q4", "4?")], { turnsLeftOut }, state));
    expect(from({})).toHaveLength(7);
    const chatHistory = { summary: "Of one.", turns: turns.slice(1), upTo: "a1" };
    expect(from({ chatHistory })).toEqual(["human: 2?", "ai: 2.", "human: 3?", "ai: 3.", "human: 4?"]);
    expect(from({ chatHistory }, 1)).toEqual(["human: 3?", "ai: 3.", "human: 4?"]);
    expect(from({ chatHistory }, 2)).toEqual(["human: 4?"]);
  });

  it("keeps all system messages, of turns that are left out, too", () => {
    const system = new SystemMessage({ id: "s1", content: "Be kind." });
    const messages = [system, human("q1", "1?"), ai("a1", "1."), human("q2", "2?")];
    expect(told(shown(messages, { turnsLeftOut: 1 }))).toEqual(["system: Be kind.", "human: 2?"]);
  });

  it("shows only the newest turns with their steps, if the memory says so", () => {
    const looked = (n: number) => [call(`c${n}`, [`${n}`]), result(`${n}`, `found ${n}`)];
    const turn = (n: number) => [human(`q${n}`, `${n}?`), ...looked(n), ai(`a${n}`, `${n}.`)];
    const messages = [...turn(1), ...turn(2), ...turn(3).slice(0, 3)];
    const turns = turnsIn(messages.slice(0, 8));
    const withSteps = (steps: number) =>
      told(shown(messages, {}, { chatHistory: { summary: "", turns, steps } })).join("\n");
    const now = "human: 3?\nai 3: \ntool 3: found 3";
    expect(withSteps(0)).toBe(`human: 1?\nai: 1.\nhuman: 2?\nai: 2.\n${now}`);
    expect(withSteps(1)).toBe(`human: 1?\nai: 1.\nhuman: 2?\nai 2: \ntool 2: found 2\nai: 2.\n${now}`);
    expect(withSteps(3)).toBe(told(shown(messages)).join("\n"));
  });

  it("has several human messages in a row, and turns without an answer, unchanged", () => {
    const paid = [human("q1", "Pay."), call("c1", ["1"]), result("1", "receipt 77")];
    expect(told(shown([...paid, human("q2", "Well?"), human("q3", "Was it paid?")]))).toEqual([
      ...["human: Pay.", "ai 1: ", "tool 1: receipt 77", "human: Well?", "human: Was it paid?"],
    ]);
  });
});

describe("results in a native prompt", () => {
  it("are right after their calls, in their order", () => {
    const messages = [
      ...[human("q1", "Who?"), call("c1", ["1", "2"]), result("2", "b"), human("q2", "Well?"), result("1", "a")],
      human("q3", "So?"),
    ];
    expect(told(shown(messages))).toEqual([
      ...["human: Who?", "ai 1 2: ", "tool 2: b", "tool 1: a", "human: Well?", "human: So?"],
    ]);
  });

  it("are said to be missing where a call has none", () => {
    const [, , missing] = shown([human("q1", "Who?"), call("c1", ["1"]), human("q2", "Well?")]);
    expect(missing).toMatchObject({ tool_call_id: "1", name: "look", status: "error" });
    expect(missing?.text).toBe("This call has no result. It may or may not have taken effect.");
  });

  it("are shown as text without their call", () => {
    const prompt = told(shown([result("0", "old"), human("q1", "Who?")]));
    expect(prompt).toEqual(["human: Result of look: old", "human: Who?"]);
    const cut = [human("q1", "Who?"), call("c1", ["1"]), result("1", "a"), result("1", "twice"), human("q2", "Well?")];
    expect(told(shown(cut))).toEqual([
      ...["human: Who?", "ai 1: ", "tool 1: a", "human: Result of look: twice", "human: Well?"],
    ]);
  });

  it("belong to the first call before them with their id, where ids are repeated", () => {
    const messages = [human("q1", "Who?"), call("c1", ["f:0"]), result("f:0", "a", "r1"), ai("a1", "Ann.")];
    const more = [human("q2", "Where?"), call("c2", ["f:0"]), result("f:0", "b", "r2")];
    expect(told(shown([...messages, ...more]))).toEqual([
      ...["human: Who?", "ai f:0: ", "tool f:0: a", "ai: Ann.", "human: Where?", "ai f:0: ", "tool f:0: b"],
    ]);
  });

  it("are shown in their first words where the prompt is too long, and else whole", () => {
    const messages = [human("q1", "Who?"), call("c1", ["1"]), result("1", "x".repeat(10_000))];
    expect(shown(messages)[2]?.text).toHaveLength(10_000);
    const [, , short] = shown(messages, { shortened: ["1"] });
    expect(short?.text).toMatch(/^x{200,}.* \[9700 more characters were shown before\]$/);
    expect(short).toMatchObject({ tool_call_id: "1", name: "look", id: "1-observation" });
    expect(shown([human("q1", "Who?"), call("c1", ["1"]), result("1", "few")], { shortened: ["1"] })[2]?.text).toBe(
      "few",
    );
  });

  it("are cut at the character limit, with a notice in a block of its own", () => {
    const messages = [human("q1", "Who?"), call("c1", ["1"]), result("1", "abcdefghi")];
    const notice = "~k7~[3 of 9 characters are left out here.]~k7~";
    expect(shown(messages, { most: 6 })[2]?.content).toEqual(
      ["abcd", notice, "hi"].map((text) => ({ type: "text", text })),
    );
    expect(shown(messages, { most: 6, refuses: ["result-blocks"] })[2]?.content).toBe(`abcd\n${notice}\nhi`);
    expect(shown(messages, { most: 9 })[2]).toBe(messages[2]);
  });

  const image = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };

  it("keep their text blocks where the model takes them, and are text where it does not", () => {
    const blocks = ["a", "b"].map((text) => ({ type: "text" as const, text }));
    const messages = [human("q1", "Who?"), call("c1", ["1"]), result("1", blocks)];
    expect(shown(messages)[2]).toBe(messages[2]);
    expect(shown(messages, { refuses: ["result-blocks"] })[2]?.content).toBe("a\nb");
  });

  it("name their images, which follow in a human message after all results if the model takes images", () => {
    const seen = [{ type: "text" as const, text: "a" }, image];
    const messages = [human("q1", "Who?"), call("c1", ["1", "2"]), result("1", seen), result("2", "b")];
    const blind = shown(messages);
    expect(blind).toHaveLength(4);
    expect(blind[2]?.content).toMatch(/^a\n\[an image, image\/png, .*\]$/);
    const prompt = shown(messages, { files: ["image"] });
    expect(prompt.slice(0, 4)).toEqual(blind);
    expect(prompt.slice(4).map(({ type, content }) => [type, content])).toEqual([
      ["human", [{ type: "text", text: "look returned:" }, expect.objectContaining({ type: "image_url" })]],
    ]);
    expect(shown(messages, { files: ["image"], shortened: ["1"] })).toHaveLength(4);
  });
});

describe("messages of others in a native prompt", () => {
  const handed = [
    human("q1", "Who?"),
    call("c1", ["1"], { name: "lead" }),
    result("1", "Handed over."),
    ai("a1", "Ann, I think.", "lead"),
  ];

  it("are shown as text, with the name of their author", () => {
    expect(told(shown(handed, { name: "ask" }))).toEqual([
      ...["human: Who?", "human: Result of look: Handed over.", "human: lead: Ann, I think."],
    ]);
  });

  it("are the agent's own with its name or without a name", () => {
    expect(told(shown([...handed, human("q2", "Sure?")], { name: "lead" }))).toEqual([
      ...["human: Who?", "ai 1: ", "tool 1: Handed over.", "ai: Ann, I think.", "human: Sure?"],
    ]);
    const unnamed = [human("q1", "Who?"), ai("a1", "Ann."), human("q2", "Sure?")];
    expect(told(shown(unnamed, { name: "ask" }))).toEqual(["human: Who?", "ai: Ann.", "human: Sure?"]);
  });
});

describe("calls in a prompt without tools", () => {
  it("are shown as text, after the words of the agent", () => {
    const looked = call("c1", ["1"], { content: "I look." });
    const messages = [human("q1", "Who?"), looked, result("1", "Ann"), ai("a1", "Ann.")];
    expect(told(shown([...messages, human("q2", "Sure?")], { tools: false }))).toEqual([
      ...["human: Who?", "ai: I look.", 'human: Called look: {"at":"1"}\nResult of look: Ann', "ai: Ann."],
      "human: Sure?",
    ]);
  });
});

describe("replies of another model in a native prompt", () => {
  const thinking = { type: "thinking", thinking: "Hm.", signature: "s1" };
  const signed = new AIMessage({
    id: "c1",
    content: [thinking, { type: "text", text: "I look." }],
    tool_calls: [{ id: "functions.look:0", name: "look", args: { at: "x" } }],
    response_metadata: { output: [{ type: "reasoning", id: "rs_1" }] },
  });
  const messages = [human("q1", "Who?"), signed, result("functions.look:0", "Ann", "r1")];
  const written = (model: string, fields: Partial<Reply> = {}) => [stepOf({ id: "c1", model, ...fields })];

  it("have their text and their calls", () => {
    expect(shown(messages, { steps: written("m") }).slice(1)).toEqual(messages.slice(1));
    const [, plain, found] = shown(messages, { steps: written("other") });
    expect(plain).toMatchObject({ content: "I look.", response_metadata: {} });
    expect(plain).toMatchObject({ tool_calls: [{ id: "functions.look:0", name: "look", args: { at: "x" } }] });
    expect(found).toMatchObject({ tool_call_id: "functions.look:0", content: "Ann" });
  });

  it("are recognised by their model, in earlier turns, too", () => {
    const more = [...messages, ai("c2-answer", "Ann."), human("q2", "Sure?")];
    const [turn] = turnsIn(more.slice(0, 4));
    if (turn === undefined) throw new Error("There is a turn.");
    const writers = ["other", "m"].map((model, n) => ({ model, from: `c${n + 1}` }));
    const block = new AIMessage({ id: "c2-answer", content: [thinking, { type: "text", text: "Ann." }] });
    const prompt = shown(more.with(3, block), {}, { chatHistory: { summary: "", turns: [{ ...turn, writers }] } });
    expect(prompt[1]?.content).toBe("I look.");
    expect(prompt[3]).toBe(block);
  });

  it("are recognised even if the first steps of their model are not shown", () => {
    const block = new AIMessage({ id: "c2", content: [thinking, { type: "text", text: "Ann." }] });
    const more = [...messages, block, human("q2", "Sure?")];
    const turns = turnsIn(more.slice(0, 4), [
      { id: "q1", stopReason: "answered", writers: [{ model: "other", from: "c1" }] },
    ]);
    const prompt = shown(more, {}, { chatHistory: { summary: "", turns, steps: 0 } });
    expect(prompt.map(({ content }) => content)).toEqual(["Who?", "Ann.", "Sure?"]);
  });

  it("are plain text for a package that refuses its own blocks", () => {
    expect(shown(messages, { steps: written("m"), refuses: ["reply-blocks"] })[1]?.content).toBe("I look.");
  });

  it.each<[string, IntermediateStep[]]>([
    ["from another model", written("other")],
    ["that a hook or the filter of secrets changed", written("m", { changed: true })],
  ])("are shown as text in this turn, if the model refuses unsigned calls: one %s", (_, steps) => {
    const text = ["human: Who?", "ai: I look.", 'human: Called look: {"at":"x"}\nResult of look: Ann'];
    expect(told(shown(messages, { steps, refuses: ["unsigned-calls"] }))).toEqual(text);
    expect(told(shown(messages, { steps: written("m"), refuses: ["unsigned-calls"] })).slice(1)).toEqual([
      ...["ai functions.look:0: I look.", "tool functions.look:0: Ann"],
    ]);
  });
});

describe("what a native prompt has beside the messages", () => {
  const slip = (fields: Partial<Reply>) =>
    stepOf(fields, { kind: "unparseable", why: "", correction: "Use the form." });
  const messages = [human("q1", "Who?"), call("c1", ["1"]), result("1", "Ann"), call("c2", ["2"]), result("2", "b")];

  it("are the corrections of the turn, each where it was given", () => {
    const calls = { toolCalls: [{ name: "loook", args: { at: 1 } }], invalidToolCalls: [{ args: "{" }] };
    const first = [stepOf({ id: "c1" }), slip({ text: "Hm.", ...calls }), slip({ text: " " })];
    expect(told(shown(messages, { steps: [...first, stepOf({ id: "c2" }), slip({})] }))).toEqual([
      ...["human: Who?", "ai 1: ", "tool 1: Ann"],
      ...["ai: Hm.", 'human: You called:\nloook({"at":1})\ntool({)\n\nUse the form.'],
      ...["ai: (no words)", "human: Use the form.", "ai 2: ", "tool 2: b"],
      ...["ai: (no words)", "human: Use the form."],
    ]);
  });

  it("is the standalone question after the person's words", () => {
    const prompt = told(shown(messages.slice(0, 3), {}, { question: "Who is at 1?" }));
    expect(prompt).toEqual(["human: Who?", "human: The question in full: Who is at 1?", "ai 1: ", "tool 1: Ann"]);
  });

  it.each([
    ["step-limit", "(The turn ended here at a limit, before the question was settled.)"],
    ["ungrounded", "(The passages did not confirm this answer.)"],
  ] as const)("is the note on the end of an earlier turn: %s", (stopReason, note) => {
    const more = [human("q1", "Who?"), ai("a1", "Ann, so far."), human("q2", "Well?")];
    const turns = turnsIn(more.slice(0, 2), [{ id: "q1", stopReason }]);
    expect(told(shown(more, {}, { chatHistory: { summary: "", turns } }))).toEqual([
      ...["human: Who?", "ai: Ann, so far.", `human: ${note}`, "human: Well?"],
    ]);
  });

  it("is an AI message between a result and a question, for servers that require one", () => {
    const more = [...messages.slice(0, 3), human("q2", "Well?")];
    expect(told(shown(more, { refuses: ["question-after-result"] }))).toEqual([
      ...["human: Who?", "ai 1: ", "tool 1: Ann", "ai: (no words)", "human: Well?"],
    ]);
    expect(told(shown(more))).toEqual(["human: Who?", "ai 1: ", "tool 1: Ann", "human: Well?"]);
  });
});

describe("the end of a native prompt", () => {
  const messages = [human("q1", "Who?"), ai("a1", "Ann."), ai("a2", "Or Bob.")];

  it("is never an AI message: its words are shown as text", () => {
    expect(told(shown(messages, { name: "ask" }))).toEqual([
      ...["human: Who?", "human: Since then:\nAnother agent: Ann.\nAnother agent: Or Bob."],
    ]);
    expect(told(shown([...messages.slice(0, 2), ai("a2", "Or Bob.", "ask")], { name: "ask" })).at(-1)).toMatch(
      /\nask: Or Bob\.$/,
    );
  });

  const paused = { id: "a1", finishReason: pausedReason, model: "m" };
  const steps = [stepOf(paused, { kind: "unparseable", why: "", correction: "" })];

  it("is an AI message only if the server paused the reply", () => {
    expect(told(shown(messages.slice(0, 2), { steps }))).toEqual(["human: Who?", "ai: Ann."]);
    const other = told(shown(messages.slice(0, 2), { steps, model: "another" }));
    expect(other).toEqual(["human: Who?", "human: Since then:\nAnother agent: Ann."]);
  });

  it("has no empty message if another model only searched", () => {
    const search = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } };
    const searched = new AIMessage({ id: "a1", content: [search] });
    expect(told(shown([human("q1", "Who?"), searched], { steps, model: "another" }))).toEqual(["human: Who?"]);
  });

  it("has no AI message without words and calls", () => {
    const prompt = told(shown([human("q1", "Who?"), ai("a1", ""), human("q2", "Well?")]));
    expect(prompt).toEqual(["human: Who?", "human: Well?"]);
  });
});
