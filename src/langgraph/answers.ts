import type { RunnableConfig } from "@langchain/core/runnables";
import { isCommand, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { RESUME } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { isRecord } from "../base/is-record.js";
import { RESUME_MAP_KEY, SCRATCHPAD_KEY, SEND_KEY } from "./names.js";

const givenSchema = z.object({
  [SCRATCHPAD_KEY]: z.object({ nullResume: z.unknown() }).default({ nullResume: undefined }),
  // LangGraph takes an empty list for answers by id: the question is then asked again.
  [RESUME_MAP_KEY]: z.record(z.string(), z.unknown()).catch({}),
});

/**
 * Returns the answers of people that a run has for the node of a config. A graph in the node finds the same answers. An
 * answer with the id of its question is under that id; `withoutId` is an answer without an id, or undefined.
 */
export function givenAnswers({ configurable = {} }: RunnableConfig) {
  const { [RESUME_MAP_KEY]: byId, [SCRATCHPAD_KEY]: scratchpad } = givenSchema.parse(configurable);
  return { byId, withoutId: scratchpad.nullResume };
}

/** Returns the answers of a run by the ids of their questions; undefined if it has one answer without an id. */
export function answersByQuestion(answer: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(answer)) return undefined;
  const ids = Object.keys(answer);
  return ids.length > 0 && ids.every((id) => /^[0-9a-f]{32}$/.test(id)) ? answer : undefined;
}

/**
 * Tells whether a run brings an answer without the id of its question. LangGraph keeps such an answer and passes it to later
 * runs of the same step, where it could answer another question.
 *
 * @param isNested True for a graph inside a node. The run of the outer graph then has the answer.
 */
export function resumesWithoutId(
  input: unknown,
  configurable: Readonly<Record<string, unknown>>,
  isNested: boolean,
): boolean {
  if (!isNested) return isCommand(input) && input.resume !== undefined;
  return givenAnswers({ configurable }).withoutId !== undefined;
}

/** Returns how many questions a node has asked people so far. */
export function questionsAsked({ configurable }: RunnableConfig): number {
  return 1 + Number(configurable?.[SCRATCHPAD_KEY]?.interruptCounter ?? -1);
}

/** The scope of one of several calls in a node. */
export type CallScope = ReturnType<typeof scopeOfCall>;

/**
 * Makes a config for one of several calls in a node, in which `interrupt` finds only the answers of this call. A graph in the
 * call has a scratchpad of its own, and finds its answer by the id of the question.
 *
 * @param own.number The number of the call in its node; undefined if it is the only one.
 * @param own.inOrder The answers to the questions that the call itself asks with `interrupt`.
 * @param own.nested The answer to the question of a graph in the call, by the id of the question.
 * @returns The config of the call. `asksItself` tells whether the call itself asked a question that had no answer. If
 *   not, a graph in the call asked.
 */
export function scopeOfCall(
  config: LangGraphRunnableConfig,
  own: { readonly number: number | undefined; readonly inOrder: readonly unknown[]; readonly nested: object },
) {
  const { [SCRATCHPAD_KEY]: ofNode, [SEND_KEY]: send, [RESUME_MAP_KEY]: byId, ...others } = config.configurable ?? {};
  const scratchpad = {
    ...ofNode,
    resume: [...own.inOrder],
    nullResume: undefined,
    consumeNullResume: () => undefined,
    interruptCounter: -1,
    subgraphCounter: 0,
  };
  const configurable = {
    ...others,
    [SCRATCHPAD_KEY]: scratchpad,
    [SEND_KEY]: (writes: [string, unknown][]) => send(writes.filter(([channel]) => channel !== RESUME)),
    [RESUME_MAP_KEY]: { ...byId, ...own.nested },
    // LangGraph numbers the graphs in a node in this way, too.
    ...(own.number !== undefined && { checkpoint_ns: `${others.checkpoint_ns}|${own.number}` }),
  };
  return { config: { ...config, configurable }, asksItself: () => scratchpad.interruptCounter >= own.inOrder.length };
}
