import type { CheckpointPendingWrite } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { perObject } from "../../base/per-object.js";
import { answersIn } from "../../langgraph/pending-writes.js";
import { digestOfCall } from "../../tool-inputs/call-digest.js";
import { toArguments } from "../../tool-inputs/tool-input.js";
import { type AgentAction, type Outcome, outcomeSchema } from "../state/decision.js";

/** A question to a person. `by` is the id of the action whose tool asks; it is empty if the agent asks for decisions. */
const questionSchema = z.object({
  id: z.string(),
  by: z.string(),
  /** True if a graph in the tool asks. */
  isNested: z.boolean(),
  /** The requests that the person was shown, and the value of the interrupt. */
  shown: z.array(z.string()),
  value: z.unknown(),
});
export type Question = z.infer<typeof questionSchema>;

/**
 * What the node `act` stores when it stops to ask a person, and reads when it runs again.
 *
 * - `asked`: the question that waits.
 * - `answered`: the number of questions that have an answer.
 * - `tookAnswerWithoutId`: true if one of the answers came without the id of its question.
 * - `answers`: the answers to the questions of a tool, by the id of its action.
 * - `calls`: what plug-ins keep of the calls of the step.
 * - `finished`: the other actions of the step, as the ledger names their calls. Their outcomes are on record.
 * - `began`: when the calls that were made began first.
 */
const pauseSchema = z.object({
  asked: questionSchema,
  answered: z.number(),
  tookAnswerWithoutId: z.boolean(),
  answers: z.record(z.string(), z.array(z.unknown())),
  // A version before wrote none: what was decided there is asked again.
  calls: z.array(z.unknown()).default([]),
  finished: z.array(z.string()),
  began: z.record(z.string(), z.string()).default({}),
});
export type Pause = z.infer<typeof pauseSchema>;

// No graph has these channels, and the notes belong to no task, so LangGraph ignores them.
export const BEGUN_CHANNEL = "__glassloop_begun";
export const PAUSE_CHANNEL = "__glassloop_pause";
/** The channel of a pause whose answer was taken. The calls that follow may be stopped, and then nobody is asked again. */
export const SETTLED_CHANNEL = "__glassloop_settled";
/** The channel of notes that may be lost with the power. A call without its outcome counts as begun. */
export const ENDED_CHANNEL = "__glassloop_ended";

/**
 * `at` is the checkpoint at which the call may be made again: the agent in its tool has a record of its own there. `tool` is the
 * name of the tool, and `since` the time at which the call began first, which older versions did not write.
 */
const begunSchema = z.object({
  call: z.string(),
  attempt: z.string(),
  at: z.string().optional(),
  tool: z.string().optional(),
  since: z.string().optional(),
});
const endedSchema = z.union([z.object({ call: z.string(), outcome: outcomeSchema }), z.object({ undone: z.string() })]);
export type Note = z.infer<typeof begunSchema> | z.infer<typeof endedSchema> | Pause;

type Writes = readonly CheckpointPendingWrite[];
export type Calls = ReadonlyMap<string, Outcome | "begun">;

function valuesOf(name: string, writes: Writes): unknown[] {
  return writes.flatMap(([, channel, value]) => (channel === name ? [value] : []));
}

/**
 * Reads what is on record of calls. Checkpointers keep the notes in any order. An outcome wins over all else.
 *
 * @param id The checkpoint at which the calls would be made.
 */
export function callsIn(writes: Writes, id: string): Calls {
  const ended = valuesOf(ENDED_CHANNEL, writes).map((value) => endedSchema.parse(value));
  const undone = new Set(ended.map((note) => "undone" in note && note.undone));
  const begun = valuesOf(BEGUN_CHANNEL, writes).map((value) => begunSchema.parse(value));
  return new Map<string, Outcome | "begun">([
    ...begun.flatMap(({ call, attempt, at }) => (undone.has(attempt) || at === id ? [] : [[call, "begun"] as const])),
    ...ended.flatMap((note) => ("call" in note ? [[note.call, note.outcome] as const] : [])),
  ]);
}

/** A call with effects: the name of its tool, and its observation if it has ended. */
export interface RecordedEffect {
  readonly tool: string;
  readonly observation?: string;
}

/** Reads which calls with effects are on record. */
export function effectsIn(writes: Writes): RecordedEffect[] {
  const calls = callsIn(writes, "");
  const begun = valuesOf(BEGUN_CHANNEL, writes).map((value) => begunSchema.parse(value));
  const tools = new Map(begun.map(({ call, tool = "a tool" }) => [call, tool]));
  return [...tools].flatMap(([call, tool]): RecordedEffect[] => {
    const outcome = calls.get(call);
    if (outcome === undefined) return [];
    return [{ tool, ...(outcome !== "begun" && { observation: outcome.observation }) }];
  });
}

/** Finds what a step kept when it stopped to ask a person the last time. */
export function lastPause(writes: Writes): Pause | undefined {
  return newestPause(PAUSE_CHANNEL, writes);
}

/** Finds what a step kept when it had taken the answer to its last question; undefined if it had not. */
export function settledPause(writes: Writes): Pause | undefined {
  const [asked, settled] = [lastPause(writes), newestPause(SETTLED_CHANNEL, writes)];
  return settled && settled.answered > (asked?.answered ?? 0) ? settled : undefined;
}

function newestPause(channel: string, writes: Writes): Pause | undefined {
  const pauses = valuesOf(channel, writes).flatMap((value) => pauseSchema.safeParse(value).data ?? []);
  return pauses.toSorted((a, b) => a.answered - b.answered).at(-1);
}

/** Reads when calls began first. */
export function beganIn(writes: Writes): Map<string, string> {
  const begun = valuesOf(BEGUN_CHANNEL, writes).map((value) => begunSchema.parse(value));
  const noted = begun.flatMap(({ call, since }) => (since === undefined ? [] : [[call, since] as const]));
  return new Map([...Object.entries(lastPause(writes)?.began ?? {}), ...noted]);
}

/** Tells whether a text of stored writes holds notes about calls. */
export function holdsCalls(text: string): boolean {
  return text.includes(BEGUN_CHANNEL) || text.includes(ENDED_CHANNEL);
}

/**
 * Finds the answer that a run was given, but did not use before it was killed. LangGraph keeps an answer that names its
 * question, but shows it only to the run that brought it. Only a question of an agent's own step counts, because no two
 * of them have the same id.
 *
 * @returns The answer, by the id of its question.
 */
export function unusedAnswers(writes: Writes): ReadonlyMap<string, unknown> {
  const asked = lastPause(writes)?.asked;
  return new Map([...answersIn(writes)].filter(([id]) => id === asked?.id && !asked.isNested));
}

/** Names a call: an action with another input is another call. */
export const callOf = perObject(
  ({ id, tool, toolInput }: AgentAction): string => `${id} ${digestOfCall(tool, toArguments(toolInput))}`,
);
