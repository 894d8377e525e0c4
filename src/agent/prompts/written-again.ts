import { isDeepStrictEqual } from "node:util";
import { type BaseMessage, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { protocolWith } from "../../protocols/by-name.js";
import type { Protocol, ToolSpec } from "../../protocols/protocol.js";
import type { Reply } from "../../turn/decision.js";
import { nothingShortened, type PromptRecord, promptDigest } from "../../turn/prompt-record.js";
import { type QuietCall, quietDigest } from "../../turn/quiet-call.js";
import type { AgentStateValues } from "../../turn/state.js";
import { promptView, shownTools } from "../nodes/planning/prompt-view.js";
import { rephrasingPrompts } from "../nodes/rephrasing.js";
import type { MadeCall } from "./made-calls.js";

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

/** What an agent adds to the prompts of its threads. */
export interface PromptWriter {
  readonly protocols: readonly Protocol[];
  /** True if the agent has the hook `beforeModel`. */
  readonly hasHook: boolean;
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
  "Glassloop writes this prompt with other words today, or the thread keeps no checkpoint from before it.";

function replyPrompt(
  { reply, prompt: record, state }: Extract<MadeCall, { readonly reply: Reply }>,
  writer: PromptWriter,
): ModelPrompt {
  const { text, toolCalls, sha256, model = "", protocol: name = "" } = reply;
  const asked = { purpose: "reply", turn: state.turn.number, model, protocol: name, text, toolCalls } as const;
  const protocol = protocolOf(record, writer.protocols);
  if (protocol === undefined)
    return { ...asked, messages: [], stop: [], tools: [], exact: false, differs: unknownProtocol(record) };
  const shortened = reply.shortened ?? nothingShortened;
  const messages = protocol.render(promptView(record, state, shortened, protocol, reply.last?.request));
  const exact = promptDigest(messages, record) === sha256;
  return {
    ...asked,
    messages,
    stop: record.stop,
    tools: protocol.nativeTools ? shownTools(record.tools, state.turn, protocol) : [],
    ...(record.outputSchema && { outputSchema: record.outputSchema }),
    exact,
    ...(!exact && { differs: writer.hasHook ? hooked : changed }),
  };
}

/** Returns the protocol that wrote a prompt: that of the agent, or else a built-in one with the same options. */
function protocolOf({ protocol: name, options = {} }: PromptRecord, own: readonly Protocol[]): Protocol | undefined {
  const named = own.filter((protocol) => protocol.name === name);
  return (
    named.find((protocol) => isDeepStrictEqual(protocol.options ?? {}, options)) ??
    protocolWith(name, options) ??
    named[0]
  );
}

const hooked = "The hook beforeModel of the agent may have changed the messages. Here they are as it gets them.";

function unknownProtocol({ protocol }: PromptRecord): string {
  return `The agent does not speak the protocol "${protocol}" of this call. Give an agent that does.`;
}
