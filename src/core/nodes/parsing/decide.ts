import { isDeepStrictEqual } from "node:util";
import { AIMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { checkpointOfNode } from "../../../langgraph/node-checkpoint.js";
import { cutReason, endingOf, paused } from "../../../provider-forms/finish-reason.js";
import { sizeComplaint } from "../../../tool-inputs/call-size.js";
import { limitOnActions, limitOnSteps, limitSentence, type Reached, turnSoFar } from "../../limits/limits.js";
import type { AgentParts, AgentProtocols } from "../../parts/agent-parts.js";
import type { Limits } from "../../parts/limits.js";
import type { Said } from "../../parts/plugin.js";
import type { FencedProtocol } from "../../parts/protocol.js";
import {
  type Decision,
  type IntermediateStep,
  isFollowed,
  type ParsedAction,
  type ParsedReply,
  type Reply,
  writeCall,
} from "../../state/decision.js";
import { marksShown, unfenced, withoutMark } from "../../state/mark.js";
import { replyIdOf } from "../../state/reply-id.js";
import type { AgentStateValues } from "../../state/state.js";
import { metadataOf, polls } from "../../tools/tool-metadata.js";
import { areJudged } from "../acting/judged-calls.js";
import { copiedCalls } from "./copied-calls.js";

/** The number of times that a model may write the same unreadable reply. After that it would only repeat itself. */
const mostTheSame = 3;

/**
 * Makes the decision of a reply. It is pure, but for the clock.
 *
 * An unreadable reply is corrected, and one beyond a limit is not followed.
 */
export function decide(
  agent: AgentParts,
  state: AgentStateValues,
  reply: Reply,
  config: LangGraphRunnableConfig,
): Decision {
  const { limits, tools } = agent;
  const { maxUnreadable } = limits.steps;
  const protocol = protocolOf(reply, agent.protocols);
  const marks = marksShown(state);
  const read = () => (reply.isRead ? saidIn(reply) : withoutMark(protocol.parse(reply, tools.specs), marks));
  if (reply.last) return finishAtLimit(reply.last, reply.last.isAsked ? lastAnswer(agent, read()) : undefined);
  if (endingOf(reply.finishReason) === "refused") return finishRefused(reply, marks, read());
  if (reply.finishReason === paused) return goOn(agent, state, config);
  const turn = turnSoFar(state, config);
  const before = timesBefore(turn.steps, reply, marks);
  const readBefore = (earlier: Reply) => protocol.parse(earlier, tools.specs);
  const said = answerIfMeant(withinCalls(limits, read()), before, turn.steps.at(-1), readBefore);
  const copies = said.kind === "action" ? copiedCalls(said.actions, state, marks) : noCopies;
  const isRefused = [...copies].some(({ tool }) => !canAskAbout(tool, agent, config));
  const unknown = unknownEnd(reply);
  const own = isRefused ? copied(protocol) : askedAgain(said, unknown, turn.steps);
  const parsed = readBy(agent, own);
  if (parsed.kind === "finish") {
    const { cut, ...answer } = parsed;
    return { ...answer, stopReason: cut ?? "answered" };
  }
  if (parsed.kind === "unparseable" && cutReason(reply.finishReason) === "filtered") return finishFiltered;
  if (parsed.kind === "unparseable") {
    const attempt = unreadableInARow(turn.steps) + 1;
    const isLast = attempt >= maxUnreadable || before + 1 >= mostTheSame;
    if (isLast && parsed.isAnswer) return finishAtLimit(invalidReplies(attempt), undefined);
    const reached = isLast ? unreadableReplies(attempt) : limitOnSteps(limits.steps, turn);
    if (reached) return endAt(reached, limits, protocol, said);
    const { why } = parsed;
    return { kind: "unparseable", why, correction: protocol.correct({ why, reply, tools: tools.specs, attempt }) };
  }
  const reached = limitOnActions(limits.steps, turn, parsed.actions, (name) => polls(tools, name));
  if (reached) return endAt(reached, limits, protocol);
  const id = replyIdOf(state);
  const isNew = newCallIds(state);
  const actions = parsed.actions.map((action, n) => {
    const { callId, written, ...call } = action;
    return {
      ...call,
      id: `${id}-${n + 1}`,
      ...(callId !== undefined && isNew(callId) && { callId }),
      ...(copies.has(action) && { copied: true as const }),
      ...unsureEffect(agent, action.tool, unknown, config),
    };
  });
  return { ...parsed, actions };
}

/** Returns what a reply says that is no text of a protocol. */
function saidIn({ text, toolCalls }: Reply): ParsedReply {
  if (toolCalls.length === 0) return { kind: "finish", output: text };
  const actions = toolCalls.map(({ id, name, args }) => {
    return { tool: name, toolInput: args, log: writeCall({ name, args }), ...(id && { callId: id }) };
  });
  return { kind: "action", actions, thought: text };
}

/** Returns a function that tells whether no call of the conversation has an id yet. Some servers count their calls anew in each reply. */
function newCallIds({ messages }: AgentStateValues): (id: string) => boolean {
  const calls = messages.flatMap((message) => (AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []));
  const known = new Set(calls.map(({ id }) => id));
  return (id) => !known.has(id) && known.add(id) !== undefined;
}

/** Lets the model go on with a reply that the provider paused, if no limit ends the turn. */
function goOn({ limits, protocols }: AgentParts, state: AgentStateValues, config: LangGraphRunnableConfig): Decision {
  const reached = limitOnSteps(limits.steps, turnSoFar(state, config));
  if (reached) return endAt(reached, limits, protocols.native ?? protocols.text);
  return { kind: "unparseable", why: "The provider paused the reply.", correction: "" };
}

/** Refuses a reply with too many calls, or with one that is too large. None of them is made. */
function withinCalls({ steps: { maxParallelCalls: most } }: Limits, said: ParsedReply): ParsedReply {
  if (said.kind !== "action") return said;
  const complaint = said.actions.map(({ toolInput }) => sizeComplaint(toolInput)).find((text) => text !== undefined);
  if (complaint) return { kind: "unparseable", why: `It makes a call that cannot be made. ${complaint}` };
  if (said.actions.length <= most) return said;
  const why = `It makes ${said.actions.length} tool calls at once, and none of them was made. Make at most ${most} in a reply.`;
  return { kind: "unparseable", why };
}

/**
 * Accepts a reply as the answer that it may be: if the model repeated it, or if the correction before asked how a call is meant and
 * the reply only shows one.
 *
 * @param before How often the model wrote the same reply right before.
 */
function answerIfMeant(
  said: ParsedReply,
  before: number,
  last: IntermediateStep | undefined,
  readBefore: (reply: Reply) => ParsedReply,
): ParsedReply {
  if (said.kind !== "unparseable") return said;
  const wasAsked = () => last?.decision.kind === "unparseable" && mayBeAnswer(readBefore(last.reply)) !== undefined;
  const output = (before > 0 ? said.ifRepeated : undefined) ?? (said.ifShown && wasAsked() ? said.ifShown : undefined);
  return output === undefined ? said : { kind: "finish", output };
}

/** Returns the words of an unreadable reply that may be an answer. */
function mayBeAnswer(said: ParsedReply): string | undefined {
  return said.kind === "unparseable" ? (said.ifRepeated ?? said.ifShown ?? said.atLimit) : undefined;
}

/** Returns how often the model wrote the same unreadable reply right before. */
function timesBefore(steps: readonly IntermediateStep[], reply: Reply, marks: readonly string[]): number {
  const unreadable = steps.slice(steps.findLastIndex(isFollowed) + 1);
  const saidIn = ({ text, toolCalls, invalidToolCalls }: Reply) => [
    unfenced(text, marks).trim(),
    ...[...toolCalls, ...invalidToolCalls].map(({ name, args }) => ({ name, args })),
  ];
  const other = unreadable.findLastIndex((step) => !isDeepStrictEqual(saidIn(step.reply), saidIn(reply)));
  return unreadable.length - 1 - other;
}

const noCopies: ReadonlySet<ParsedAction> = new Set();

/** Tells whether a person can decide about the calls of a tool. */
function canAskAbout(name: string, { tools, plugins }: AgentParts, config: LangGraphRunnableConfig): boolean {
  const tool = tools.byName.get(name);
  const isKept = tools.keepsSteps && checkpointOfNode(config) !== undefined;
  return tool !== undefined && isKept && areJudged(plugins, tool);
}

/** Refuses a reply with a call that only repeats a text. None of its calls is made. */
function copied({ nativeTools }: FencedProtocol): ParsedReply {
  const way = nativeTools ? "call the tool natively" : "write it in the form below";
  const why = `It repeats a call that stands in a text, word for word, so no call was made. To make one, ${way}, with the arguments that the question needs. To report that text, give the final answer in words of your own.`;
  return { kind: "unparseable", why };
}

/** Returns the finish reason of a reply if it does not say whether the reply is whole. */
function unknownEnd({ finishReason }: Reply): string | undefined {
  return endingOf(finishReason) === "unknown" ? finishReason : undefined;
}

/** Asks once in a turn for calls that may not be whole. The server that says the same again means an end with it. */
function askedAgain(
  said: ParsedReply,
  finishReason: string | undefined,
  steps: readonly IntermediateStep[],
): ParsedReply {
  const isKnown = finishReason === undefined || steps.some(({ reply }) => reply.finishReason === finishReason);
  if (said.kind !== "action" || isKnown) return said;
  const why = `Its server ended it with the finish reason "${finishReason}", which does not say that the reply is whole, so no call was made. Make the calls that you need again.`;
  return { kind: "unparseable", why };
}

/** Marks a call with effects in a reply that may not be whole. */
function unsureEffect(
  agent: AgentParts,
  name: string,
  finishReason: string | undefined,
  config: LangGraphRunnableConfig,
) {
  const tool = agent.tools.byName.get(name);
  if (finishReason === undefined || tool === undefined || !metadataOf(tool).effects) return {};
  return { unsure: { finishReason, asks: canAskAbout(name, agent, config) } };
}

/** Ends a turn at a limit: with a last call of the model, or at once, then with the words of a reply that may be an answer. */
function endAt(reached: Reached, { isForced }: Limits, protocol: FencedProtocol, said?: ParsedReply): Decision {
  const { stopReason: limit, why } = reached;
  if (isForced) return finishAtLimit(reached, said && mayBeAnswer(said));
  return { kind: "unparseable", why, correction: protocol.lastRequest(why), limit };
}

/** Reads the answer in the last reply of a turn. A model that still makes a call gives none; words that may be one are it. */
function lastAnswer(agent: AgentParts, said: ParsedReply): string | undefined {
  const parsed = readBy(agent, said);
  return parsed.kind === "finish" ? parsed.output : mayBeAnswer(parsed);
}

function finishAtLimit(reached: Reached, answer: string | undefined): Decision {
  const { stopReason, why } = reached;
  return { kind: "finish", output: answer ?? limitSentence(why), stopReason, why };
}

/** Returns what the plug-ins of an agent take for what was read. */
function readBy({ plugins }: AgentParts, said: Said): Said {
  return plugins.reduceRight((read, plugin) => plugin.read?.(read) ?? read, said);
}

function unreadableInARow(steps: readonly IntermediateStep[]): number {
  return steps.length - 1 - steps.findLastIndex(isFollowed);
}

/** Ends a turn with a refusal. Its words are the answer in the reply, or the whole reply if it has none. */
function finishRefused({ text }: Reply, marks: readonly string[], said: ParsedReply): Decision {
  const words = said.kind === "finish" ? said.output : unfenced(text, marks).trim();
  return { kind: "finish", output: words || "The model refused to answer.", stopReason: "refused" };
}

function invalidReplies(replies: number): Reached {
  const why = `the model's last ${replies === 1 ? "reply was" : `${replies} replies were`} no answer in the required form`;
  return { stopReason: "invalid-output", why };
}

/** The same question would meet the same filter, so the model is not asked again. */
const finishFiltered: Decision = {
  kind: "finish",
  output: limitSentence("the content filter of the model's provider stopped its reply"),
  stopReason: "filtered",
};

function unreadableReplies(replies: number): Reached {
  const why = `the model's last ${replies === 1 ? "reply" : `${replies} replies`} could not be read`;
  return { stopReason: "unreadable", why };
}

/** Returns the protocol in which the model was asked for this reply. */
export function protocolOf({ protocol }: Reply, { text, native }: AgentProtocols): FencedProtocol {
  return native && native.name === protocol ? native : text;
}
