import { isDeepStrictEqual } from "node:util";
import type { StateSnapshot } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { ThreadSummary } from "../../src/index.js";

/** The conversation of a thread: what was asked, and all that was said to it. */
export interface Conversation {
  /** The questions of people in their order, with one that no node has seen yet. */
  readonly questions: readonly string[];
  /** The messages, each as JSON. */
  readonly messages: readonly string[];
}

/** The possible outcomes of an act. An act may also have no effect, unless it is `sure`. */
export interface Outcome extends Conversation {
  readonly isSure: boolean;
}

/** The checkpoints of a thread by their ids: what each of them holds, and the one before it. */
export type Past = ReadonlyMap<string, { readonly values: string; readonly parent: string }>;

/** The input of a call. Its number is its own. A person may change the rest. */
export const inputSchema = z.object({ number: z.number(), by: z.string() });
export const messageSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  text: z.string().catch(""),
  tool_calls: z.array(z.object({ id: z.string(), args: inputSchema })).default([]),
  tool_call_id: z.string().optional(),
});
type Message = z.infer<typeof messageSchema>;
const valuesSchema = z.looseObject({
  messages: z.array(messageSchema).default([]),
  turn: z.object({ number: z.number(), asked: z.string() }).optional(),
  stopReason: z.string().nullish(),
  chatHistory: z.object({ turns: z.array(z.object({ id: z.string() })) }).default({ turns: [] }),
  intermediateSteps: z
    .array(z.object({ results: z.array(z.object({ action: z.object({ toolInput: inputSchema }) })) }))
    .default([]),
});
const startSchema = z.object({ __start__: z.object({ messages: z.unknown() }) });

/** Reads the conversation at a checkpoint. */
export async function conversationAt(saver: BaseCheckpointSaver, { values, config, next }: StateSnapshot) {
  const { messages } = valuesSchema.parse(values);
  const tuple = next.includes("__start__") ? await saver.getTuple(config) : undefined;
  const input = startSchema.safeParse(tuple?.checkpoint.channel_values).data?.__start__.messages;
  const waiting = z.union([z.string(), z.array(z.looseObject({ content: z.string() }))]).safeParse(input).data ?? [];
  const arriving = typeof waiting === "string" ? [waiting] : waiting.map(({ content }) => content);
  return {
    questions: [...messages.filter(isHuman).map(({ text }) => text), ...arriving],
    // A call that is read again after a person changed the state has another id.
    messages: messages.map(({ id, type, text, tool_calls }) =>
      JSON.stringify({ id, type, text, calls: tool_calls.map(({ args }) => args.number) }),
    ),
  };
}

/** Returns a conversation without its last question, and what came after it. */
export function beforeLastQuestion({ questions, messages }: Conversation): Conversation {
  return { questions: questions.slice(0, -1), messages: messages.slice(0, messages.findLastIndex(isQuestion)) };
}

/** Returns a conversation up to its last question. */
export function upToLastQuestion({ questions, messages }: Conversation): Conversation {
  return { questions, messages: messages.slice(0, messages.findLastIndex(isQuestion) + 1) };
}

/** Returns a conversation with one more question. */
export function asking(question: string, { questions, messages }: Conversation): Conversation {
  return { questions: [...questions, question], messages };
}

/**
 * Tells whether a conversation goes on from another one: nothing of it has changed, and nothing else was asked.
 *
 * @param isUpdated True if somebody made the graph leave out nodes, or run one again: then only the questions stay for sure.
 */
export function goesOn(from: Conversation, to: Conversation, isUpdated: boolean): boolean {
  if (!isDeepStrictEqual(to.questions, from.questions)) return false;
  return isUpdated || isDeepStrictEqual(to.messages.slice(0, from.messages.length), from.messages);
}

/** Reads all checkpoints of a thread. */
export async function pastOf(saver: BaseCheckpointSaver, thread: string): Promise<Past> {
  const past = new Map<string, { readonly values: string; readonly parent: string }>();
  for await (const { checkpoint, parentConfig } of saver.list({
    configurable: { thread_id: thread, checkpoint_ns: "" },
  }))
    past.set(checkpoint.id, {
      values: JSON.stringify(checkpoint.channel_values),
      parent: String(parentConfig?.configurable?.checkpoint_id),
    });
  return past;
}

/** Compares the past of a thread with what it was. @param isPruned True if checkpoints may be gone, and others may follow on each other. */
export function wrongInPast(before: Past, now: Past, isPruned: boolean): string[] {
  return [...before].flatMap(([id, { values, parent }]) => {
    const found = now.get(id);
    if (found === undefined) return isPruned ? [] : [`checkpoint ${id} is gone`];
    if (found.values !== values) return [`checkpoint ${id} holds ${found.values} and not ${values}`];
    return found.parent === parent || isPruned ? [] : [`checkpoint ${id} has another parent`];
  });
}

/** Looks for contradictions within a thread. @param isUpdated True if somebody made the graph leave out nodes, or run one again. */
export function wrongIn(
  { values, next, tasks }: StateSnapshot,
  row: ThreadSummary | undefined,
  isUpdated: boolean,
): string[] {
  if (values.messages === undefined) return [];
  const { messages, turn, chatHistory, intermediateSteps, stopReason } = valuesSchema.parse(values);
  const ids = messages.map(({ id }) => id);
  const wrong = ids.length === new Set(ids).size ? [] : [`an id twice: ${ids}`];
  const questions = messages.filter(isHuman);
  if (row !== undefined) {
    const waits = tasks.some(({ interrupts }) => interrupts.length > 0);
    const fitting = next.length === 0 ? ["idle"] : ["failed", "interrupted", ...(waits ? ["waiting"] : [])];
    if (!fitting.includes(row.status)) wrong.push(`its row says ${row.status}, next is ${next}`);
    // A run from the past does not count the questions anew.
    const isBegun = !next.some((node) => node === "__start__" || node === "rephrase-question");
    if (isBegun && row.turns < (turn?.number ?? 0))
      wrong.push(`its row counts ${row.turns} turns, the state ${turn?.number}`);
  }
  if (next.length > 0 || isUpdated) return wrong;
  const last = messages.slice(messages.findLastIndex(isHuman) + 1);
  if (turn?.number !== questions.length) wrong.push(`turn ${turn?.number} of ${questions.length} questions`);
  if (turn?.asked !== questions.at(-1)?.text) wrong.push(`"${turn?.asked}" was asked, not the last question`);
  if (last.at(-1)?.type !== "ai") wrong.push("the last question has no answer");
  const remembered = chatHistory.turns.map(({ id }) => id);
  const earlier = questions.slice(0, -1).map(({ id }) => id);
  if (!isDeepStrictEqual(remembered, earlier)) wrong.push(`it remembers ${remembered}, and was asked ${earlier}`);
  // The turn before a question that was cut off at once: its results stand in its messages alone.
  if (["interrupted", "cancelled", "failed"].includes(stopReason ?? "")) return wrong;
  const steps = intermediateSteps.flatMap(({ results }) => results.map(({ action }) => action.toolInput.number));
  const calls = last.flatMap(({ tool_calls }) => tool_calls.map(({ args }) => args.number));
  if (!isDeepStrictEqual(steps, calls)) wrong.push(`the steps have ${steps}, the messages ${calls}`);
  return wrong;
}

const isHuman = ({ type }: Pick<Message, "type">) => type === "human";
const isQuestion = (message: string) => messageSchema.parse(JSON.parse(message)).type === "human";
