import { type BaseMessage, isAIMessage, isToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import type { UsageCounts } from "../../src/index.js";
import { sample } from "../matrix/matrix.js";
import { type Asked, type Disturbed, type Moment, question, runKilled, usage } from "./killed-calls.js";

const tokens = usage.prompt + usage.completion;
const m = ["m"];

const limit = 1_500;
const tooLong = `This model's maximum context length is ${limit} tokens. However, your messages resulted in more.`;

const tooLongTurn: Disturbed = {
  models: m,
  disturb: ({ prompt }) => (prompt.length > 4 * limit ? { status: 400, message: tooLong } : undefined),
};

/** The kills of a turn: "4 held, 6 half" kills one process at request 4, and the next one at request 6. */
function momentsOf(kills: string): Moment[] {
  const moments = kills === "" ? [] : kills.split(", ");
  return moments.map((moment) => {
    const [request, kill = ""] = moment.split(" ");
    return [Number(request), kill];
  });
}

/** The moments are those of the disturbed third step, and of the step after it. Request 3 is the disturbed one. */
const turns: Record<string, Disturbed & { readonly kills: readonly string[] }> = {
  "a model fails and the next one takes over": {
    models: ["gpt-4o", "o1-mini"],
    options: { modelCalls: { maxRetries: 0 } },
    disturb: ({ model, step }) => (model === "gpt-4o" && step >= 3 ? 500 : undefined),
    kills: ["3 held", "3 model-fallback", "4 held", "4 half", "5 held", "5 half", "4 held, 6 half, 8 held"],
  },
  "a model is asked again after a wait": {
    models: m,
    disturb: ({ step }, tries) => (step === 3 && tries === 0 ? 503 : undefined),
    kills: ["3 held", "3 retry", "4 held", "4 half", "5 held", "3 retry, 4 held"],
  },
  "a prompt is too long and is shortened": {
    ...tooLongTurn,
    kills: ["3 held", "3 shortened", "4 held", "4 half", "5 held", "4 held, 6 half"],
  },
};

/** Returns the bills of the tool messages. Each message must stand right behind its call. */
function paidCalls(messages: readonly BaseMessage[]) {
  return messages.filter(isToolMessage).map((result) => {
    const message = messages[messages.indexOf(result) - 1];
    const calls = message !== undefined && isAIMessage(message) ? message.tool_calls : undefined;
    expect(calls?.map(({ id }) => id)).toEqual([result.tool_call_id]);
    return result.text.slice(0, "Bill 1 is paid".length);
  });
}

/** Checks that nothing was asked that had an answer, and that nothing was done or said twice. */
function expectWhole({ ends, log, bills, state, nodes }: Awaited<ReturnType<typeof runKilled>>, kills: number) {
  const signals = [...Array(kills).fill("SIGKILL"), null];
  expect(ends).toEqual(signals.map((signal) => ({ stderr: "", signal })));
  expect(nodes).toEqual([]);
  expect(bills).toEqual(["1", "2", "3"]);
  const answered = log.filter(({ isWhole }) => isWhole);
  const place = ({ question, step }: Asked) => `${question} ${step}`;
  expect(new Set(answered.map(place)).size).toBe(answered.length);
  for (const one of answered) expect(log.slice(log.indexOf(one) + 1).map(place)).not.toContain(place(one));
  expect(paidCalls(state.messages)).toEqual(["Bill 1 is paid", "Bill 2 is paid", "Bill 3 is paid"]);
  expect(new Set(state.messages.map(({ id }: BaseMessage) => id)).size).toBe(state.messages.length);
  const { inputTokens, outputTokens, estimatedTokens = 0, toolCalls } = state.usage.thread;
  expect(inputTokens + outputTokens - estimatedTokens).toBe(answered.length * tokens);
  expect(toolCalls).toBe(3);
  return answered;
}

describe.each(Object.entries(turns))("a turn in which %s", (_, { kills, ...turn }) => {
  it.each(sample(["", ...kills]))("is whole and paid once when it is killed at: %s", async (killed) => {
    const moments = momentsOf(killed);
    const ran = await runKilled(turn, moments);
    const answered = expectWhole(ran, moments.length);
    const { state, log } = ran;
    expect(state).toMatchObject({
      answer: "All is paid: one two three four five.",
      stopReason: "answered",
      turn: { number: 1 },
      reply: { model: turn.models.at(-1) },
      usage: { thread: { modelCalls: 4 } },
    });
    expect(state.usage.thread).not.toHaveProperty("estimatedTokens");
    expect(state.usage.turn).toEqual(state.usage.thread);
    const types = state.messages.map((message: BaseMessage) => message.getType());
    expect(types).toEqual(["human", "ai", "tool", "ai", "tool", "ai", "tool", "ai"]);
    expect(state.chatHistory.turns).toEqual([]);
    // The turn stays with the model that answered: only that one is asked for the last step.
    const lastModels = log.filter(({ step }) => step === 4).map(({ model }) => model);
    expect(new Set(lastModels)).toEqual(new Set([turn.models.at(-1)]));
    // A step is asked for in the same words, whichever process asks.
    for (const { model, prompt, step } of answered) {
      const prompts = log.filter((asked) => asked.step === step && asked.model === model).map((asked) => asked.prompt);
      expect(new Set(prompts.filter((words) => words.length <= prompt.length))).toEqual(new Set([prompt]));
    }
  });
});

it("a text that a prompt shortened stays shortened in the next process", async () => {
  const { log } = await runKilled(tooLongTurn, [[5, "held"]]);
  const whole = /Bill 1 is paid\. (word ){800}/;
  expect(log.filter(({ step }) => step === 3).map(({ prompt }) => whole.test(prompt))).toEqual([true, false]);
  expect(log.filter(({ step, prompt }) => step === 4 && whole.test(prompt))).toEqual([]);
});

describe("a turn that is cancelled in its answer", () => {
  const cancelled: Disturbed = {
    models: m,
    cancelAt: "three",
    disturb: ({ step }, tries) =>
      step === 4 && tries === 0 ? { text: "All is paid: one two three four", stallAfterPieces: 6 } : undefined,
  };
  const shown = "All is paid: one two three";
  // The note has the cost of the cancelled reply. A process that dies before it writes the note loses that cost.
  const kills = ["4 half", "4 closed", "4 turn-end", "4 turn-end, 5 held", "4 turn-end, 5 half, 6 held"];

  it.each(sample(kills))("goes on and is paid once when it is killed at: %s", async (killed) => {
    const moments = momentsOf(killed);
    const ran = await runKilled(cancelled, moments);
    expectWhole(ran, moments.length);
    const { state } = ran;
    expect(state).toMatchObject({ stopReason: "answered", turn: { number: 1 }, reply: { model: "m" } });
    expect(state.answer).toMatch(/five\.$/);
    expect(state.chatHistory.turns).toEqual([]);
    expect(state.messages).toHaveLength(8);
    if (moments[0]?.[1] !== "closed") expectCancelledCost(state.usage.thread, moments[0]?.[1] === "turn-end" ? 5 : 4);
  });

  it.each(sample(kills))("is followed by another question when it is killed at: %s", async (killed) => {
    const moments = momentsOf(killed);
    const ran = await runKilled({ ...cancelled, next: "And then?" }, moments);
    expect(ran.log.filter(({ isWhole }) => isWhole)).toHaveLength(4);
    expectWhole(ran, moments.length);
    const { state, log } = ran;
    expect(state).toMatchObject({ answer: "Then we rest.", stopReason: "answered", turn: { number: 2 } });
    expect(state.messages).toHaveLength(10);
    expect(state.chatHistory.turns).toMatchObject([{ question }]);
    const [first] = state.chatHistory.turns;
    if (moments[0]?.[1] === "turn-end") {
      expect(first).toMatchObject({ answer: shown, stopReason: "cancelled" });
      expect(log.at(-1)?.prompt).toContain(shown);
    }
    expect(state.messages[7].text).toBe(first.answer);
    if (moments[0]?.[1] !== "closed") expectCancelledCost(state.usage.thread, moments[0]?.[1] === "turn-end" ? 5 : 4);
  });
});

/** Checks that an estimate of the cancelled reply is in the usage once, if the process had noted it. */
function expectCancelledCost({ modelCalls, estimatedTokens }: UsageCounts, calls: number) {
  expect(modelCalls).toBe(calls);
  // The reported prompt has 1000 tokens, and so teaches the estimate.
  if (calls === 4) expect(estimatedTokens).toBeUndefined();
  else expect(estimatedTokens).toBeGreaterThan(100);
}

describe("a turn that ends at its limit and is continued", () => {
  const limited: Disturbed = {
    models: m,
    options: { limits: { maxSteps: 2 } },
    continues: true,
    disturb: ({ prompt }) =>
      prompt.includes("No more calls will be made")
        ? { text: "Two are paid, and one two are left.", usage }
        : undefined,
  };
  // A process without a kill ends by itself.
  const end = "99 held";
  const before = ["3 half", "4 held", "4 half", "3 correction", "4 held, 5 half"].map((kill) => `${kill}, ${end}`);
  const after = ["5 held", "5 half", "5 held, 6 half"].map((kill) => `${end}, ${kill}`);
  const kills = [end, ...before, ...after, `4 half, ${end}, 6 held`];

  it.each(sample(kills))("is whole and paid once when it is killed at: %s", async (killed) => {
    const { ends: signals, log, bills, state, nodes } = await runKilled(limited, momentsOf(killed));
    expect(signals.map(({ stderr }) => stderr)).toEqual(signals.map(() => ""));
    expect(nodes).toEqual([]);
    expect(bills).toEqual(["1", "2", "3"]);
    expect(paidCalls(state.messages)).toEqual(["Bill 1 is paid", "Bill 2 is paid", "Bill 3 is paid"]);
    const answered = log.filter(({ isWhole }) => isWhole).map(({ step }) => step);
    // A process that dies when it tells of a reply may not have stored it yet.
    const again = killed.includes("correction") ? [[1, 2, 3, 3, 4]] : [];
    expect([[1, 2, 3, 4], ...again]).toContainEqual(answered);
    const answer = "All is paid: one two three four five.";
    expect(state).toMatchObject({ answer, stopReason: "answered", turn: { number: 1, continued: { steps: 2 } } });
    expect(state.chatHistory.turns).toEqual([]);
    expect(state.messages.filter((message: BaseMessage) => message.text.startsWith("Two are paid"))).toEqual([]);
    expect(state.intermediateSteps).toHaveLength(3);
  });
});
