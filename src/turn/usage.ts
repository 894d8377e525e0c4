import { z } from "zod";

const countsSchema = z.object({
  modelCalls: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  toolCalls: z.number(),
});
export type UsageCounts = z.infer<typeof countsSchema>;

/**
 * The cost so far of a turn and of its whole thread. The provider reports the tokens: they are 0 if it reports none.
 */
export const usageSchema = z.object({ turn: countsSchema, thread: countsSchema });
export type Usage = z.infer<typeof usageSchema>;

const none: UsageCounts = { modelCalls: 0, inputTokens: 0, outputTokens: 0, toolCalls: 0 };

export const noUsage: Usage = { turn: none, thread: none };

function sum(left: UsageCounts, right: Partial<UsageCounts>): UsageCounts {
  return {
    modelCalls: left.modelCalls + (right.modelCalls ?? 0),
    inputTokens: left.inputTokens + (right.inputTokens ?? 0),
    outputTokens: left.outputTokens + (right.outputTokens ?? 0),
    toolCalls: left.toolCalls + (right.toolCalls ?? 0),
  };
}

/** Adds a cost to the usage of the turn and of the thread. */
export function addUsage(usage: Usage, spent: Partial<UsageCounts>): Usage {
  return { turn: sum(usage.turn, spent), thread: sum(usage.thread, spent) };
}

/** Returns the usage for the start of a turn. The counts of the thread continue, those of the turn start at 0. */
export function startTurnUsage(usage: Usage): Usage {
  return { turn: none, thread: usage.thread };
}
