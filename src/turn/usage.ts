import { z } from "zod";

const countsSchema = z.object({
  modelCalls: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  toolCalls: z.number(),
});
export type UsageCounts = z.infer<typeof countsSchema>;

/** What a turn and its whole thread have cost so far. Tokens are those that the provider reports: 0 where it reports none. */
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

/** The usage with more spent, in the turn and in the thread. */
export function addUsage(usage: Usage, spent: Partial<UsageCounts>): Usage {
  return { turn: sum(usage.turn, spent), thread: sum(usage.thread, spent) };
}

/** The usage at the start of a turn: the thread's goes on, the turn's starts again. */
export function startTurnUsage(usage: Usage): Usage {
  return { turn: none, thread: usage.thread };
}
