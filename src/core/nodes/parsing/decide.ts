import { isDeepStrictEqual } from "node:util";
import { AIMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { unfenced } from "../../../content/marks.js";
import { checkpointOfNode } from "../../../langgraph/node-checkpoint.js";
import { cutReason, endingOf, paused } from "../../../provider-forms/finish-reason.js";
import { sizeComplaint } from "../../../tool-inputs/call-size.js";
import type { AgentParts, AgentProtocols } from "../../parts/agent-parts.js";
import type { Said } from "../../parts/plugin.js";
import type { FencedProtocol } from "../../parts/protocol.js";
import { limitSentence, type Reached } from "../../parts/reached.js";
import * as seams from "../../seams/seams.js";
import {
  type Decision,
  type IntermediateStep,
  isFollowed,
  type ParsedReply,
  type Reply,
  writeCall,
} from "../../state/decision.js";
import { marksShown, withoutMark } from "../../state/mark.js";
import { replyIdOf } from "../../state/reply-id.js";
import type { AgentStateValues } from "../../state/state.js";

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
  const { tools } = agent;
  const protocol = protocolOf(reply, agent.protocols);
  const marks = marksShown(state);
  const heard = () => (reply.isRead ? saidIn(reply) : withoutMark(protocol.parse(reply, tools.specs), marks));
  const canAsk = (name: string) => canAskAbout(name, agent, config);
  const given = { reply, state, config, tools, protocol, canAsk, timesBefore: 0 };
  if (reply.last)
    return finishAtLimit(
      reply.last,
      reply.last.isAsked ? answerIn(seams.read(agent.plugins, heard(), given)) : undefined,
    );
  if (endingOf(reply.finishReason) === "refused") return finishRefused(reply, marks, heard());
  const steps = state.intermediateSteps.slice(state.turn.continued?.steps);
  const before = timesBefore(steps, reply, marks);
  const readBefore = (earlier: Reply) => protocol.parse(earlier, tools.specs);
  const isPaused = reply.finishReason === paused;
  const said = isPaused ? pause : answerIfMeant(withinSize(heard()), before, steps.at(-1), readBefore);
  const read = seams.read(agent.plugins, said, { ...given, timesBefore: before });
  switch (read.kind) {
    case "limit": {
      const { stopReason: limit, why } = read;
      if (read.isFinal) return finishAtLimit(read, mayBeAnswer(said));
      return { kind: "unparseable", why, correction: protocol.lastRequest(why), limit };
    }
    case "finish": {
      const { cut, ...answer } = read;
      return { ...answer, stopReason: cut ?? "answered" };
    }
    case "unparseable": {
      const { why } = read;
      if (isPaused) return { kind: "unparseable", why, correction: "" };
      if (cutReason(reply.finishReason) === "filtered") return finishFiltered;
      const attempt = steps.length - steps.findLastIndex(isFollowed);
      return { kind: "unparseable", why, correction: protocol.correct({ why, reply, tools: tools.specs, attempt }) };
    }
    case "action": {
      const id = replyIdOf(state);
      const isNew = newCallIds(state);
      const actions = read.actions.map((action, n) => {
        const { callId, written, ...call } = action;
        return {
          ...call,
          id: `${id}-${n + 1}`,
          ...(callId !== undefined && isNew(callId) && { callId }),
        };
      });
      return { ...read, actions };
    }
  }
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

/** What a reply says that the provider paused. The model goes on with it. */
const pause: ParsedReply = { kind: "unparseable", why: "The provider paused the reply." };

/** Refuses a reply with a call that is too large. None of its calls is made. */
function withinSize(said: ParsedReply): ParsedReply {
  if (said.kind !== "action") return said;
  const complaint = said.actions.map(({ toolInput }) => sizeComplaint(toolInput)).find((text) => text !== undefined);
  return complaint ? { kind: "unparseable", why: `It makes a call that cannot be made. ${complaint}` } : said;
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
function mayBeAnswer(said: Said): string | undefined {
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

/** Tells whether a person can decide about the calls of a tool. */
function canAskAbout(name: string, { tools, plugins }: AgentParts, config: LangGraphRunnableConfig): boolean {
  const tool = tools.byName.get(name);
  const isKept = tools.keepsSteps && checkpointOfNode(config) !== undefined;
  return tool !== undefined && isKept && seams.judges(plugins, tool);
}

/** Reads the answer in the last reply of a turn. A model that still makes a call gives none; words that may be one are it. */
function answerIn(said: Said): string | undefined {
  return said.kind === "finish" ? said.output : mayBeAnswer(said);
}

function finishAtLimit({ stopReason, why }: Reached, answer: string | undefined): Decision {
  return { kind: "finish", output: answer ?? limitSentence(why), stopReason, why };
}

/** Ends a turn with a refusal. Its words are the answer in the reply, or the whole reply if it has none. */
function finishRefused({ text }: Reply, marks: readonly string[], said: ParsedReply): Decision {
  const words = said.kind === "finish" ? said.output : unfenced(text, marks).trim();
  return { kind: "finish", output: words || "The model refused to answer.", stopReason: "refused" };
}

/** The same question would meet the same filter, so the model is not asked again. */
const finishFiltered: Decision = {
  kind: "finish",
  output: limitSentence("the content filter of the model's provider stopped its reply"),
  stopReason: "filtered",
};

/** Returns the protocol in which the model was asked for this reply. */
export function protocolOf({ protocol }: Reply, { text, native }: AgentProtocols): FencedProtocol {
  return native && native.name === protocol ? native : text;
}
