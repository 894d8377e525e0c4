import { type BaseMessage, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { type Reply, repliesIn } from "../../core/state/decision.js";
import { nothingShortened, type PromptRecord, promptDigest } from "../../core/state/prompt-record.js";
import { type QuietCall, quietDigest } from "../../core/state/quiet-call.js";
import { answerIdOf } from "../../core/state/reply-id.js";
import type { AgentStateValues } from "../../core/state/state.js";
import { promptMessages } from "../../prompts/write-prompt.js";
import { rephrasingPrompts } from "../../protocols/prompt/rephrasing.js";
import { formFor } from "../../provider-forms/form-for.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import type { PromptWriter } from "../known-agents.js";

/** A model call that left a reply, and the state from which its prompt was written. `after` is the number of replies before it. */
export type MadeCall = { readonly state: AgentStateValues; readonly after: number } & (
  | { readonly reply: Reply; readonly prompt: PromptRecord }
  | { readonly quiet: QuietCall }
);

/**
 * Finds the model calls between two checkpoints of a thread, oldest first. A checkpoint may hold several: not every node
 * leaves one of its own.
 */
export function callsBetween(before: AgentStateValues | undefined, now: AgentStateValues): MadeCall[] {
  const earlier = before?.turn.id === now.turn.id ? before : undefined;
  const quiet = now.quietCalls
    .slice(earlier?.quietCalls.length ?? 0)
    .map((call): MadeCall => ({ quiet: call, state: now, after: call.after ?? 0 }));
  return [...quiet, ...repliesAfter(earlier, now)].toSorted((first, second) => first.after - second.after);
}

/** The prompt of a reply shows the steps before it. All else in it stays the same during a turn, but not at its end. */
function repliesAfter(earlier: AgentStateValues | undefined, now: AgentStateValues): MadeCall[] {
  const { intermediateSteps: steps, prompt, reply: newest } = now;
  const known = new Set(earlier && repliesIn(earlier).map(({ id }) => id));
  return repliesIn(now).flatMap((reply, n) => {
    // No model wrote the reply at a limit, or one that a retrieval agent takes from a note.
    if (prompt === null || reply.model === undefined || known.has(reply.id)) return [];
    const state = {
      ...(earlier ?? now),
      messages: messagesBefore(now, n),
      reply: newest,
      intermediateSteps: steps.slice(0, n),
    };
    return [{ reply, prompt, state, after: n }];
  });
}

/** Returns the messages that were there when the reply after some steps was asked for. */
function messagesBefore(state: AgentStateValues, steps: number): AgentStateValues["messages"] {
  const replies = [...repliesIn(state).slice(steps), ...(state.reply ? [state.reply] : [])];
  const later = new Set(replies.flatMap(({ id = "" }) => [id, answerIdOf(id)]));
  const end = state.messages.findIndex(({ id = "" }) => later.has(id));
  return end < 0 ? state.messages : state.messages.slice(0, end);
}

/** The prompt of a model call, made again from what its thread keeps. */
export interface ModelPrompt {
  /** The purpose of the call: the reply of a step, or one of those that are no steps ({@link QuietCall}). */
  readonly purpose: "reply" | QuietCall["purpose"];
  /** The number of the turn, from 1. */
  readonly turn: number;
  /** The name of the model. */
  readonly model: string;
  /** The name of the protocol. Only a reply has one. */
  readonly protocol?: string;
  readonly messages: readonly BaseMessage[];
  /** The texts that were sent for the model to stop at. */
  readonly stop: readonly string[];
  /** The tools that the model got natively. In a text protocol they are in the messages. */
  readonly tools: readonly ToolSpec[];
  /** The JSON schema of the output tool or of the response format. Left out if there was none. */
  readonly outputSchema?: string;
  /** The text that the model wrote, as far as it was read. */
  readonly text: string;
  /** The native tool calls of the reply. */
  readonly toolCalls: Reply["toolCalls"];
  /** True if the recorded SHA-256 says that this is what was sent. */
  readonly exact: boolean;
  /** The reason why this may not be what was sent. Left out if it is. */
  readonly differs?: string;
}

/** Writes the prompt of a call again. */
export function writtenAgain(call: MadeCall, writer: PromptWriter): ModelPrompt {
  return "quiet" in call ? quietPrompt(call.quiet, call.state) : replyPrompt(call, writer);
}

function quietPrompt(
  { purpose, model, sha256, text, messages: kept }: QuietCall,
  state: AgentStateValues,
): ModelPrompt {
  const asked = { turn: state.turn.number, purpose, model, stop: [], tools: [], text, toolCalls: [] };
  const prompts = kept ? [kept.map(toMessage)] : [...rephrasingPrompts(state.turn, state.chatHistory)];
  const sent = prompts.find((messages) => quietDigest(messages, model) === sha256);
  if (sent) return { ...asked, messages: sent, exact: true };
  return { ...asked, messages: prompts[0] ?? [], exact: false, differs: changed };
}

function toMessage({ type, content }: NonNullable<QuietCall["messages"]>[number]): BaseMessage {
  return coerceMessageLikeToMessage({ type, content: Array.isArray(content) ? content : String(content) });
}

const changed =
  "This version of Glassloop words the prompt differently, or the thread has no checkpoint from before the call.";

function replyPrompt(
  { reply, prompt: record, state }: Extract<MadeCall, { readonly reply: Reply }>,
  writer: PromptWriter,
): ModelPrompt {
  const { text, toolCalls, sha256, model = "", protocol: name = "" } = reply;
  const asked = { purpose: "reply", turn: state.turn.number, model, protocol: name, text, toolCalls } as const;
  const protocol = writer.protocols.writerOf(record);
  if (protocol === undefined)
    return { ...asked, messages: [], stop: [], tools: [], exact: false, differs: unknownProtocol(record) };
  const shortened = reply.shortened ?? nothingShortened;
  const messages = promptMessages(protocol, record, state, shortened, reply.last?.request);
  const exact = promptDigest(messages, record) === sha256;
  return {
    ...asked,
    messages,
    stop: record.stop,
    tools: protocol.nativeTools
      ? formFor(record.form, [], protocol.shownTools(record.tools, state.turn.mark)).tools
      : [],
    ...(record.outputSchema && { outputSchema: record.outputSchema }),
    exact,
    ...(!exact && { differs: writer.isChanged ? hooked : changed }),
  };
}

const hooked = "A middleware of the agent may have changed the messages. These are those that it got.";

function unknownProtocol({ protocol }: PromptRecord): string {
  return `The agent cannot write the protocol "${protocol}" of this call. Give an agent whose option protocol it is, and not a function that returns it.`;
}
