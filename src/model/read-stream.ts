import type { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { withDigits } from "../base/digits.js";
import { dataWithoutSecrets, withoutSecrets } from "../base/secrets/without-secrets.js";
import type { CutReply } from "../core/parts/models.js";
import type { Reply } from "../core/state/decision.js";
import { piecesIn } from "../provider-forms/call-pieces.js";
import { endingOf, finishReasonIn } from "../provider-forms/finish-reason.js";
import { sizeComplaint } from "../tool-inputs/call-size.js";
import { brokenOff } from "./event-stream.js";
import { joinCalls, readArguments } from "./join-calls.js";
import { streamEnds } from "./tables/stream-ends.js";

type Chunks = readonly (AIMessage | AIMessageChunk)[];

/**
 * Reads the chunks of a reply. Arguments of a call that are not whole are never completed: such a call is unreadable.
 *
 * @param chunks All that came, or the one message of a whole reply.
 * @param provider LangChain's word for the kind of the model. Left out if the end of its stream need not be among the chunks.
 * @returns The reply, or the failure of a stream that broke off before its provider's end, or of a server that failed in it.
 */
export function readStream(chunks: Chunks, provider?: string): Reply | CutReply {
  const finishReason = finishReasonOf(chunks.findLast((chunk) => finishReasonOf(chunk)));
  if (endingOf(finishReason) === "failed") return { cut: failedWith(finishReason) };
  if (finishReason === undefined && provider !== undefined && streamEnds.has(provider)) return { cut: brokenOff() };
  const text = withoutSecrets(chunks.map((chunk) => chunk.text).join(""));
  return { text, ...readCalls(chunks), ...(finishReason === undefined ? {} : { finishReason }) };
}

/** LangChain keeps Anthropic's reason beside the metadata if the reply was streamed. */
function finishReasonOf(message: AIMessage | AIMessageChunk | undefined): string | undefined {
  return finishReasonIn({ ...message?.additional_kwargs, ...message?.response_metadata });
}

function failedWith(finishReason = ""): Error {
  const error = { message: `the reply ended with the finish reason "${finishReason}"` };
  return Object.assign(new Error(error.message), { error });
}

function readCalls(chunks: Chunks): Pick<Reply, "toolCalls" | "invalidToolCalls"> {
  const pieces = chunks.flatMap(piecesIn);
  const written: readonly GivenCall[] = pieces.length > 0 ? joinCalls(pieces) : chunks.flatMap(callsOf);
  const isOfServer = chunks.some(callsOfServer);
  const calls: Reply["toolCalls"] = [];
  const invalid: Reply["invalidToolCalls"] = [];
  for (const { id, name = "", args, ...given } of written) {
    if (name === "" && isOfServer) continue;
    const read = readArguments(args);
    const error = read ? sizeComplaint(read) : given.error;
    if (read && error === undefined) calls.push({ id, name, args: withDigits(read) });
    else invalid.push({ id, name, args: read ? "{…}" : textOf(args), error });
  }
  return { toolCalls: dataWithoutSecrets(calls), invalidToolCalls: dataWithoutSecrets(invalid) };
}

interface GivenCall {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: unknown;
  readonly error?: string | undefined;
}

/** Returns the calls of a message without pieces, as its package read them. */
function callsOf({ tool_calls = [], invalid_tool_calls = [] }: AIMessage | AIMessageChunk): GivenCall[] {
  return [...tool_calls, ...invalid_tool_calls];
}

function textOf(args: unknown): string | undefined {
  return typeof args === "string" || args === undefined ? args : JSON.stringify(args);
}

/** Tells whether a reply has calls of the server's own tools. LangChain takes their arguments for calls without a name. */
function callsOfServer({ content }: AIMessage | AIMessageChunk): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === "server_tool_use");
}
