import { isDeepStrictEqual } from "node:util";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { fileBlocks } from "../../../content/content.js";
import { estimatePrompt } from "../../../content/estimated-tokens.js";
import { readFile, sentFile } from "../../../content/file-block.js";
import { readReply } from "../../model/ask-model.js";
import { timeoutsWithin } from "../../model/clock.js";
import { fallback, inOrder, isTimeOver, isTooLong } from "../../model/failures.js";
import { again, callModel } from "../../model/model-call.js";
import { emitPrompt, emitReply } from "../../model/prompt-events.js";
import { asTokensOf } from "../../model/tokens.js";
import type { NamedModels } from "../../parts/models.js";
import type { Reached } from "../../parts/reached.js";
import { runOf } from "../../run/run.js";
import * as seams from "../../seams/seams.js";
import { changedReply, type LastCall } from "../../state/decision.js";
import { nothingShortened, promptDigest, shortenedBefore } from "../../state/prompt-record.js";
import { drawReplyId } from "../../state/reply-id.js";
import { placeOf } from "../remember.js";
import { streamReply } from "../reply-stream.js";
import { type PreparedCall, prepareCall, type Step, writtenIn } from "./prepared-call.js";
import { firstRequest, withoutRefused } from "./refused-part.js";

/**
 * Asks a model for the reply of a step. At a limit of the turn the model is asked for the last reply instead. If the server
 * refuses a part of the request (tools, files, a response format, the length of the prompt), the request is repeated without
 * that part.
 */
export function askForStep(
  { models, ...given }: Pick<Step, "agent" | "state" | "settings"> & { readonly models: NamedModels },
  config: LangGraphRunnableConfig,
) {
  const ask = async ([named]: NamedModels) => {
    const model = { ...named, model: given.agent.models.forReplies?.(named.model) ?? named.model };
    const first = await prepare(firstRequest({ ...given, model, config }));
    return again(send, change)(first);
  };
  return again(ask, fallback("reply", config))(inOrder(models, config));
}

/** Prepares the call of a step. At a limit of the turn it is the last call. If a limit keeps the turn from that, too, it is not made. */
async function prepare(step: Step): Promise<PreparedCall> {
  const call = await prepareCall(step);
  const reached = await reachedBy(call);
  if (reached === undefined) return call;
  const { stopReason, why, isFinal } = reached;
  const { last } = step;
  if (last || isFinal) return { ...call, last: { ...(last ?? { stopReason, why }), isAsked: false } };
  return prepare({ ...step, last: lastCallAt({ stopReason, why }, step) });
}

/** Tells what the prompt of a call does not show. */
function tellUnseen(call: PreparedCall): void {
  const { state, config, shortened, tooLong } = call;
  const run = runOf(config);
  if (shortened !== shortenedBefore(state)) {
    const { turns, cut = {} } = shortened;
    const observations = new Set([...shortened.observations, ...Object.keys(cut)]).size;
    run.emit({ type: "shortened", observations, turns, ...(tooLong && { why: tooLong }) });
  }
  const unseen = unseenFiles(call);
  if (unseen !== "") run.emit({ type: "files-named", why: unseen });
}

/** Says which files of a new question the model does not take. */
function unseenFiles({ state, model, withoutFiles, prompt }: PreparedCall): string {
  const { messages, turn, intermediateSteps } = state;
  const question = messages[placeOf(turn.message.id, messages)];
  if (withoutFiles || intermediateSteps.length > 0 || question === undefined) return "";
  const unseen = fileBlocks(question).filter((block) => sentFile(block, prompt) === undefined);
  const kinds = unseen.map((block) => {
    const kind = readFile(block)?.kind ?? "file";
    return prompt.files.includes(kind) ? `${kind} without its data` : kind;
  });
  return kinds.length === 0 ? "" : `${model.name} takes no ${[...new Set(kinds)].join(", ")} in a question.`;
}

async function send(call: PreparedCall) {
  const { agent, protocol, model, state, config, settings, last, prompt, shortened } = call;
  if (last?.isAsked === false)
    return { reply: { text: "", toolCalls: [], invalidToolCalls: [], id: drawReplyId(), last }, prompt };
  tellUnseen(call);
  const origin = { purpose: "reply", model: model.name } as const;
  let id = "";
  // Each try has an id of its own: chunks of the one before may have gone out.
  const begin = (drawn: string) => {
    id = drawn;
    return streamReply(agent, protocol, { id, state }, config);
  };
  const { limits: own } = agent.models;
  const maxRetries = settings?.maxRetries === 0 ? 0 : own.maxRetries;
  const limits = { ...own, maxRetries, timeouts: timeoutsWithin(own.timeouts, leftFor(call)) };
  const { messages } = call;
  emitPrompt(config, { ...origin, messages, stop: prompt.stop, tools: [...call.specs, ...agent.tools.ofProvider] });
  const made = { ...call, purpose: "reply", stop: protocol.stop ?? [], begin, limits } as const;
  const reply = await callModel(made, readReply);
  emitReply(config, { ...origin, text: reply.text, toolCalls: reply.toolCalls });
  const sha256 = promptDigest(messages, prompt);
  const kept = { protocol: protocol.name, model: model.name, id, sha256, ...(last && { last }) };
  const noted = { ...reply, ...kept, ...(shortened !== nothingShortened && { shortened }) };
  return { reply: noted.changed ? changedReply(noted) : noted, prompt };
}

/** Prepares the call to make after a failed one. Throws a failure that no other call avoids. */
async function change(error: unknown, call: PreparedCall): Promise<PreparedCall> {
  // The limit is found when the next call is prepared.
  if (isTimeOver(error, leftFor(call))) return prepare(call);
  const step = withoutRefused(error, call) ?? (await shorter(error, call));
  if (step === undefined) throw error;
  return prepare(step);
}

/** Returns the request whose prompt is shorter, after the server refused it as too long. */
async function shorter(error: unknown, call: PreparedCall): Promise<Step | undefined> {
  const { room, messages, shortened, tooLong } = call;
  if (tooLong !== undefined || !isTooLong(error)) return undefined;
  room.learn(error, messages);
  const { shortened: next } = await writtenIn(call);
  return isDeepStrictEqual(next, shortened) ? undefined : { ...call, tooLong: error.message };
}

/** Returns what keeps a turn from a call. */
function reachedBy({ agent, model, state, config, last, messages, tools }: PreparedCall) {
  const inputTokens = () => asTokensOf(model.model, estimatePrompt(messages, tools));
  const isLast = last !== undefined;
  return seams.beforeAsk(agent.plugins, { state, config, model: model.name, inputTokens, isLast, step: state });
}

/** Returns the milliseconds that the call of a step may take. */
function leftFor({ agent, state, config, last }: Step): number {
  return seams.timeFor(agent.plugins, { state, config, isLast: last !== undefined });
}

/** Returns the last call of a turn at a limit that was found before its next model call. */
function lastCallAt(reached: Reached, { protocol, config }: Step): LastCall {
  const request = protocol.lastRequest(reached.why);
  runOf(config).emit({ type: "correction", text: request });
  return { ...reached, isAsked: true, request };
}
