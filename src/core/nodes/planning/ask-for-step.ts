import { isDeepStrictEqual } from "node:util";
import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import {
  isTimeOver,
  limitOfConditions,
  limitOnCall,
  type Reached,
  timeLeft,
  timeoutsWithin,
  turnSoFar,
} from "../../limits/limits.js";
import { askForReply } from "../../model/ask-model.js";
import { isTooLong } from "../../model/failures.js";
import { emitPrompt, emitReply } from "../../model/prompt-events.js";
import { asTokensOf, estimatePrompt } from "../../model/tokens.js";
import type { AgentParts } from "../../parts/agent-parts.js";
import type { NamedModel } from "../../parts/models.js";
import { around, changesPrompt, type Plugin, type Prompt } from "../../parts/plugin.js";
import { runOf } from "../../run/run.js";
import { runView } from "../../run/run-view.js";
import { fileBlocks } from "../../state/content.js";
import { type LastCall, type Reply, unsigned } from "../../state/decision.js";
import { readFile, sentFile } from "../../state/file-block.js";
import { nothingShortened, type PromptRecord } from "../../state/prompt-record.js";
import { drawReplyId } from "../../state/reply-id.js";
import type { AgentStateValues } from "../../state/state.js";
import { placeOf } from "../remember.js";
import { streamReply } from "../reply-stream.js";
import { fittingPrompt, type PreparedCall, prepareCall, type Step, shortenedBefore } from "./prepared-call.js";
import { digestOf } from "./prompt-view.js";
import { protocolFor, type Refused, refusedIn, withoutRefused } from "./refused-part.js";

/** What comes of a request: the reply for a step and what its prompt was made of, or the reason to make another request. */
type Outcome =
  | { readonly kind: "answered"; readonly reply: Reply; readonly prompt: PromptRecord }
  | { readonly kind: "at-limit"; readonly reached: Reached }
  | { readonly kind: "out-of-time" }
  | { readonly kind: "too-long"; readonly why: string }
  | Refused;
type Answered = Extract<Outcome, { readonly kind: "answered" }>;

/**
 * Asks a model for the reply of a step. At a limit of the turn the model is asked for the last reply instead. If the server
 * refuses a part of the request (tools, files, a response format, the length of the prompt), the request is repeated without
 * that part.
 */
export async function askForStep(
  agent: AgentParts,
  named: NamedModel,
  state: AgentStateValues,
  config: LangGraphRunnableConfig,
  settings: Step["settings"] = {},
): Promise<Answered> {
  const model = { ...named, model: agent.models.forReplies?.(named.model) ?? named.model };
  const protocol = protocolFor(agent, model, state);
  const first = { agent, protocol, model, state, config, settings, last: lastCallIn(state) };
  let step: Step = first;
  for (;;) {
    const outcome = await request(step);
    if (outcome.kind === "answered") return outcome;
    step = nextStep(first, step, outcome);
  }
}

/** Returns the step with what changes in its next request. */
function nextStep(first: Step, step: Step, outcome: Exclude<Outcome, Answered>): Step {
  switch (outcome.kind) {
    case "at-limit":
      return { ...step, last: lastCallAt(outcome.reached, step) };
    case "out-of-time":
      // The limit is found before the next request.
      return step;
    case "refused":
      return withoutRefused(first, step, outcome);
    case "too-long":
      return { ...step, tooLong: outcome.why };
  }
}

/** Makes one request, if no limit keeps the turn from it. After the last call, a limit leaves the reply empty. */
async function request(step: Step): Promise<Outcome> {
  const call = await prepareCall(step);
  const { prompt, shortened } = call;
  const reached = await limitBefore(step, call);
  if (reached && (step.last || step.agent.limits.isForced)) {
    const last = { ...(step.last ?? reached), isAsked: false };
    const reply = { text: "", toolCalls: [], invalidToolCalls: [], id: drawReplyId(), last };
    return { kind: "answered", reply, prompt };
  }
  if (reached) return { kind: "at-limit", reached };
  if (shortened !== shortenedBefore(step.state)) {
    const { turns, cut = {} } = shortened;
    const observations = new Set([...shortened.observations, ...Object.keys(cut)]).size;
    runOf(step.config).emit({ type: "shortened", observations, turns, ...(step.tooLong && { why: step.tooLong }) });
  }
  const unseen = unseenFiles(step, call);
  if (unseen !== "") runOf(step.config).emit({ type: "files-named", why: unseen });
  return send(step, call);
}

/** Says which files of a new question the model does not take. */
function unseenFiles({ state, model, withoutFiles }: Step, { prompt }: PreparedCall): string {
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

const wrapSendOf = ({ wrapSend }: Plugin) => wrapSend;

async function send(step: Step, call: PreparedCall): Promise<Outcome> {
  const { agent, protocol, model: named, state, config, last } = step;
  const { asked, tools, ownName, sendStop, prompt, shortened } = call;
  let id = "";
  // Each try has an id of its own: chunks of the one before may have gone out.
  const begin = () => {
    id = drawReplyId();
    return streamReply(agent, protocol, { id, state }, config);
  };
  const options = { asked, tools, ownName, stop: protocol.stop ?? [], sendStop, begin, replyId: () => id };
  const origin = { purpose: "reply", model: named.name } as const;
  const { limits: own } = agent.models;
  const maxRetries = step.settings?.maxRetries === 0 ? 0 : own.maxRetries;
  const limits = { ...own, maxRetries, timeouts: timeoutsWithin(own.timeouts, leftFor(step)) };
  let sent: { readonly messages: BaseMessage[]; readonly arrived: Reply } | undefined;
  const ask = around<Prompt, Reply>(agent.plugins.map(wrapSendOf), async ({ messages }) => {
    emitPrompt(config, { ...origin, messages, stop: prompt.stop, tools: [...call.specs, ...agent.tools.ofProvider] });
    const arrived = await askForReply(messages, options, { model: named, limits, config });
    sent = { messages, arrived };
    return arrived;
  });
  try {
    const given = await ask({ messages: call.messages, model: named.name, state, config });
    const { messages, arrived } = sent ?? { messages: call.messages, arrived: given };
    const reply = given === arrived ? given : changedReply(given, arrived);
    emitReply(config, { ...origin, text: reply.text, toolCalls: reply.toolCalls });
    const sha256 = digestOf(messages, prompt, agent.plugins.some(changesPrompt));
    const kept = { protocol: protocol.name, model: named.name, id, sha256, ...(last && { last }) };
    const noted = { ...reply, ...kept, ...(shortened !== nothingShortened && { shortened }) };
    return { kind: "answered", reply: withProviderSteps(noted, arrived), prompt };
  } catch (error) {
    return outcomeOf(error, step, call);
  }
}

/** Returns the reply of a plug-in. What the provider signed stays only if the plug-in left the words and the calls. */
function changedReply(reply: Reply, arrived: Reply): Reply {
  const said = ({ text, toolCalls, invalidToolCalls }: Reply) => ({ text, toolCalls, invalidToolCalls });
  if (isDeepStrictEqual(said(reply), said(arrived))) return reply;
  return { ...reply, ...(reply.message && { message: unsigned(reply.message) }), changed: true };
}

/**
 * Returns the reply with what tools of the provider did for it. This record stays even if the blocks of the message are left
 * out.
 */
function withProviderSteps(reply: Reply, { byProvider: providerSteps }: Reply): Reply {
  if (providerSteps === undefined) return reply;
  const { response_metadata, ...given } = reply.message ?? {};
  const message = { ...given, response_metadata: { ...response_metadata, ...(reply.changed && { providerSteps }) } };
  return { ...reply, message, byProvider: providerSteps };
}

/** Names a failure that another request may avoid. Throws all other failures. */
async function outcomeOf(error: unknown, step: Step, call: PreparedCall): Promise<Outcome> {
  const { prompt, room, messages, shortened } = call;
  if (isTimeOver(error, leftFor(step))) return { kind: "out-of-time" };
  const refused = refusedIn(error, step, call);
  if (refused) return refused;
  if (step.tooLong === undefined && isTooLong(error)) {
    room.learn(error, messages);
    const { shortened: again } = await fittingPrompt(step, prompt, room);
    if (JSON.stringify(again) !== JSON.stringify(shortened)) return { kind: "too-long", why: error.message };
  }
  throw error;
}

/** Finds the limit that keeps a turn from a model call. */
async function limitBefore({ agent, model, state, config, last }: Step, { messages, tools }: PreparedCall) {
  const turn = turnSoFar(state, config);
  const inputTokens = () => asTokensOf(model.model, estimatePrompt(messages, tools));
  const place = { isLast: last !== undefined, isFirst: turn.steps.length === 0 };
  const reached = limitOnCall(agent.limits, turn, { model: model.name, inputTokens, ...place });
  // A turn that is continued goes on, even if the condition is still met.
  const isContinued = state.turn.continued !== undefined && turn.steps.length === 0;
  if (reached || last || isContinued) return reached;
  return limitOfConditions(agent.limits, runView(state, config));
}

/** Returns the milliseconds that the call of a step may take. It may not take longer than the turn. */
function leftFor({ agent, state, config, last }: Step): number {
  return timeLeft(agent.limits, turnSoFar(state, config), { isLast: last !== undefined });
}

/** Returns the last call of a turn that `parse` ended at a limit. The correction in its last step asks for the answer. */
function lastCallIn({ intermediateSteps }: AgentStateValues): LastCall | undefined {
  const decision = intermediateSteps.at(-1)?.decision;
  if (decision?.kind !== "unparseable" || decision.limit === undefined) return undefined;
  return { stopReason: decision.limit, why: decision.why, isAsked: true };
}

/** Returns the last call of a turn at a limit that was found before its next model call. */
function lastCallAt(reached: Reached, { protocol, config }: Step): LastCall {
  const request = protocol.lastRequest(reached.why);
  runOf(config).emit({ type: "correction", text: request });
  return { ...reached, isAsked: true, request };
}
