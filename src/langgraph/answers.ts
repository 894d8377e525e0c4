import type { RunnableConfig } from "@langchain/core/runnables";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { type CheckpointPendingWrite, RESUME } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { RESUME_MAP_KEY, SCRATCHPAD_KEY, SEND_KEY } from "./names.js";

const givenSchema = z.object({
  [SCRATCHPAD_KEY]: z.object({ nullResume: z.unknown() }).default({ nullResume: undefined }),
  [RESUME_MAP_KEY]: z.record(z.string(), z.unknown()).default({}),
});

/**
 * Returns the answers of people that a run has for the node that a config is of. A graph in that node finds the same ones.
 * Those that name their question are given by its id. `bare` is the one that does not; undefined if there is none.
 */
export function givenAnswers({ configurable = {} }: RunnableConfig) {
  const { [RESUME_MAP_KEY]: byId, [SCRATCHPAD_KEY]: scratchpad } = givenSchema.parse(configurable);
  return { byId, bare: scratchpad.nullResume };
}

/** Returns the answers beside a checkpoint that name their question, by its id. */
export function keptAnswers(writes: readonly CheckpointPendingWrite[]): Map<string, unknown> {
  const lists = writes.flatMap(([id, channel, value]) =>
    channel === RESUME && Array.isArray(value) ? [[id, value.at(-1)] as const] : [],
  );
  return new Map(lists);
}

/** What one of several calls in a node has for itself. */
interface OwnPart {
  /** The number of the call in its node; undefined if it is the only one. */
  readonly number: number | undefined;
  /** The answers to the questions that the call itself asks with `interrupt`, in their order. */
  readonly inOrder: readonly unknown[];
  /** The answer to the question of a graph in the call, and the id of the question. */
  readonly nested: { readonly id: string; readonly value: unknown } | undefined;
}

/** The scope of one of several calls in a node. */
export interface CallScope {
  readonly config: LangGraphRunnableConfig;
  /** Tells whether the call itself asked a question that had no answer. If not, a graph in the call asked. */
  readonly asksItself: () => boolean;
}

/**
 * Makes a scope for one of several calls in a node. In it `interrupt` finds the answers of the call, and no others. A graph
 * in the call has a scratchpad of its own. It finds its answer by the id of the question.
 */
export function scopeOfCall(config: LangGraphRunnableConfig, { number, inOrder, nested }: OwnPart): CallScope {
  const { [SCRATCHPAD_KEY]: ofNode, [SEND_KEY]: send, [RESUME_MAP_KEY]: byId, ...others } = config.configurable ?? {};
  const scratchpad = {
    ...ofNode,
    resume: [...inOrder],
    nullResume: undefined,
    consumeNullResume: () => undefined,
    interruptCounter: -1,
    subgraphCounter: 0,
  };
  const configurable = {
    ...others,
    [SCRATCHPAD_KEY]: scratchpad,
    [SEND_KEY]: (writes: [string, unknown][]) => send(writes.filter(([channel]) => channel !== RESUME)),
    [RESUME_MAP_KEY]: nested ? { ...byId, [nested.id]: nested.value } : byId,
    // LangGraph numbers the graphs in a node in this way, too.
    ...(number !== undefined && { checkpoint_ns: `${others.checkpoint_ns}|${number}` }),
  };
  return { config: { ...config, configurable }, asksItself: () => scratchpad.interruptCounter >= inOrder.length };
}
