import type { RunnableConfig } from "@langchain/core/runnables";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { type CheckpointPendingWrite, RESUME } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { RESUME_MAP_KEY, SCRATCHPAD_KEY, SEND_KEY } from "./names.js";

/** The answers of people that LangGraph has for a node. */
export interface GivenAnswers {
  /** The answers that name their question, by its id. LangGraph takes an empty answer for an empty map of them. */
  readonly byId: Readonly<Record<string, unknown>>;
  /** The answer that names no question; undefined if there is none. */
  readonly bare: unknown;
}

const givenSchema = z.object({
  [SCRATCHPAD_KEY]: z.object({ nullResume: z.unknown() }).default({ nullResume: undefined }),
  [RESUME_MAP_KEY]: z.record(z.string(), z.unknown()).default({}),
});

/** Returns the answers that a run has for the node that a config is of. A graph in that node finds the same ones. */
export function givenAnswers({ configurable }: RunnableConfig): GivenAnswers {
  const given = givenSchema.parse(configurable ?? {});
  return { byId: given[RESUME_MAP_KEY], bare: given[SCRATCHPAD_KEY].nullResume };
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
  const { configurable } = config;
  const send: ((writes: [string, unknown][]) => void) | undefined = configurable?.[SEND_KEY];
  const scratchpad = {
    ...configurable?.[SCRATCHPAD_KEY],
    resume: [...inOrder],
    nullResume: undefined,
    consumeNullResume: () => undefined,
    interruptCounter: -1,
    subgraphCounter: 0,
  };
  const own = {
    [SCRATCHPAD_KEY]: scratchpad,
    [SEND_KEY]: (writes: [string, unknown][]) => send?.(writes.filter(([channel]) => channel !== RESUME)),
    // LangGraph numbers the graphs in a node in this way, too.
    ...(number !== undefined && { checkpoint_ns: `${configurable?.checkpoint_ns}|${number}` }),
    ...(nested && { [RESUME_MAP_KEY]: { ...configurable?.[RESUME_MAP_KEY], [nested.id]: nested.value } }),
  };
  return {
    config: { ...config, configurable: { ...configurable, ...own } },
    asksItself: () => scratchpad.interruptCounter >= inOrder.length,
  };
}

/** Returns the answers beside a checkpoint that name their question, by its id. A run may have died before it used them. */
export function keptAnswers(writes: readonly CheckpointPendingWrite[]): Map<string, unknown> {
  return new Map(
    writes.flatMap(([question, channel, value]) =>
      channel === RESUME && Array.isArray(value) ? [[question, value.at(-1)] as const] : [],
    ),
  );
}
