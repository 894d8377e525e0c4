import { z } from "zod";

const part = z.number().optional();

export const tokensSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: part,
  cacheWriteTokens: part,
  audioInputTokens: part,
  reasoningTokens: part,
  audioOutputTokens: part,
  estimatedTokens: part,
});

/**
 * The tokens of model calls, as the providers report them:
 *
 * - `inputTokens` and `outputTokens`: all tokens of the prompts and of the replies.
 * - `cacheReadTokens`, `cacheWriteTokens`, `audioInputTokens`: parts of the input.
 * - `reasoningTokens`, `audioOutputTokens`: parts of the output.
 * - `estimatedTokens`: the part of input and output that Glassloop estimated, as the provider reported nothing. This is
 *   so for a reply that was cut off, broke off, or came from a server that counts nothing.
 *
 * A part is left out if it is 0.
 */
export interface Tokens extends z.infer<typeof tokensSchema> {}

const callsSchema = tokensSchema.extend({ modelCalls: z.number() });
/** The cost of the calls of one model. A try that broke off in the middle of a reply counts as a call. */
export interface ModelUsage extends z.infer<typeof callsSchema> {}

export const modelsSchema = z.record(z.string(), callsSchema);

export const countsSchema = callsSchema.extend({ toolCalls: z.number(), models: modelsSchema });
/** The cost of all calls, and by the names of the models. Agents in the tools are included. */
export interface UsageCounts extends z.infer<typeof countsSchema> {}

export const usageSchema = z.object({ turn: countsSchema, thread: countsSchema });

/** The cost so far of a turn and of its whole thread. */
export interface Usage extends z.infer<typeof usageSchema> {}

const noCalls: ModelUsage = { modelCalls: 0, inputTokens: 0, outputTokens: 0 };

export const noCounts: UsageCounts = { ...noCalls, toolCalls: 0, models: {} };

export const noUsage: Usage = { turn: noCounts, thread: noCounts };

const names = callsSchema.keyof().options;

function sum(left: ModelUsage, right: Partial<ModelUsage>): ModelUsage {
  const total = { ...left };
  for (const name of names) if (right[name]) total[name] = (total[name] ?? 0) + right[name];
  return total;
}

/** Adds two costs. */
export function addCounts(left: UsageCounts, right: UsageCounts): UsageCounts {
  if (right === noCounts) return left;
  if (left === noCounts) return right;
  const models = addModels(left.models, right.models);
  return { ...sum(left, right), toolCalls: left.toolCalls + right.toolCalls, models };
}

/** Adds two costs by the names of the models. */
export function addModels(left: UsageCounts["models"], right: UsageCounts["models"]): UsageCounts["models"] {
  const models = { ...left };
  for (const [name, usage] of Object.entries(right)) models[name] = sum(models[name] ?? noCalls, usage);
  return models;
}

/** Adds a cost to the usage of the turn and of the thread. */
export function addUsage(usage: Usage, spent: UsageCounts): Usage {
  return { turn: addCounts(usage.turn, spent), thread: addCounts(usage.thread, spent) };
}

/** Returns the usage for the start of a turn. The counts of the thread continue, those of the turn start at 0. */
export function startTurnUsage(usage: Usage): Usage {
  return { turn: noCounts, thread: usage.thread };
}
