import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { refusal } from "../../model/finish-reason.js";
import { correction } from "../../protocols/prompt/correction.js";
import type { Protocol } from "../../protocols/protocol.js";
import { cutReason } from "../../protocols/reading/sections/reply-text.js";
import {
  type Decision,
  type IntermediateStep,
  type ParsedReply,
  parsedReplySchema,
  type Reply,
} from "../../turn/decision.js";
import { answerIdOf, replyIdOf } from "../../turn/reply-id.js";
import type { AgentStateUpdate, AgentStateValues } from "../../turn/state.js";
import { callMessage } from "./action-messages.js";
import { tellActions } from "./agent-callbacks.js";
import { checkedResult } from "./checked-result.js";
import type { AgentDependencies, AgentProtocols } from "./dependencies.js";
import { endTurn, type TurnEnd } from "./end-turn.js";
import { sendRest } from "./message-chunks.js";
import { sentOf } from "./reply-stream.js";

/**
 * Makes the node that turns the reply into a decision. A turn at one of its limits ends here too: with a `finish` and
 * its stop reason.
 */
export function parse(agent: AgentDependencies) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const reply = state.reply ?? emptyReply;
    const decision = decide(agent, state, reply);
    switch (decision.kind) {
      case "action": {
        const message = callMessage(decision, replyIdOf(state), agent.name);
        sendRest(config, message);
        await tellActions(config, decision.actions);
        return { decision, messages: [message] };
      }
      case "unparseable":
        return { decision, intermediateSteps: { reply, decision, results: [] } };
      case "finish":
        return { decision, ...(await endTurn(agent, state, turnEnd(agent, state, reply, decision), config)) };
    }
  };
}

type Finish = Extract<Decision, { kind: "finish" }>;

/** The answer has the message of its reply, unless other words went out as that. */
function turnEnd(
  agent: AgentDependencies,
  state: AgentStateValues,
  reply: Reply,
  { output: answer, stopReason }: Finish,
): TurnEnd {
  const replyId = replyIdOf(state);
  const sent = sentOf(agent, protocolOf(reply, agent.protocols), reply);
  const id = answer.startsWith(sent.message) ? replyId : answerIdOf(replyId);
  const output = agent.output && stopReason === "answered" ? { output: JSON.parse(answer) } : {};
  return { answer, ...output, stopReason, id, sent: sent.answer };
}

const emptyReply: Reply = { text: "", toolCalls: [], invalidToolCalls: [] };

function decide(agent: AgentDependencies, state: AgentStateValues, reply: Reply): Decision {
  if (reply.finishReason === refusal) return finishRefused(reply);
  const protocol = protocolOf(reply, agent.protocols);
  const said = checkedResult("protocol", "parse", parsedReplySchema, protocol.parse(reply, agent.toolSpecs));
  const parsed = said.kind === "finish" ? inFormat(agent, said) : said;
  if (parsed.kind === "finish") {
    const { cut, ...answer } = parsed;
    return { ...answer, stopReason: cut ?? "answered" };
  }
  if (parsed.kind === "unparseable" && cutReason(reply.finishReason) === "filtered") return finishFiltered;
  const attempt = parsed.kind === "unparseable" ? unreadableInARow(state.intermediateSteps) + 1 : 0;
  if (attempt >= agent.maxUnreadable)
    return said.kind === "finish" ? finishInvalid(attempt) : finishUnreadable(attempt);
  if (state.intermediateSteps.length >= agent.maxSteps) return finishAtStepLimit(agent.maxSteps);
  if (parsed.kind === "unparseable") {
    const { why } = parsed;
    const text = correction({ protocol, why, reply, tools: agent.toolSpecs, attempt });
    return { kind: "unparseable", why, correction: text };
  }
  const id = replyIdOf(state);
  return { ...parsed, actions: parsed.actions.map((action, n) => ({ ...action, id: `${id}-${n + 1}` })) };
}

/**
 * Puts an answer into the format of the agent's output. An answer that does not fit is unreadable. A part of an answer
 * stays what it is: the same question would be cut again.
 */
function inFormat({ output }: AgentDependencies, said: Extract<ParsedReply, { kind: "finish" }>): ParsedReply {
  const read = output?.read(said.output);
  if (read?.kind === "fits") return { ...said, output: read.json, cut: undefined };
  return read === undefined || said.cut
    ? said
    : { kind: "unparseable", why: `Its final answer is not right. ${read.why}` };
}

/** Returns the protocol in which the model was asked for this reply. */
function protocolOf({ protocol }: Reply, { text, native }: AgentProtocols): Protocol {
  return native && native.name === protocol ? native : text;
}

function unreadableInARow(steps: readonly IntermediateStep[]): number {
  return steps.length - 1 - steps.findLastIndex((step) => step.decision.kind !== "unparseable");
}

function finishRefused({ text }: Reply): Decision {
  return { kind: "finish", output: text.trim() || "The model refused to answer.", stopReason: "refused" };
}

function finishInvalid(replies: number): Decision {
  const output = `I stopped without an answer: the model's last ${replies === 1 ? "reply was" : `${replies} replies were`} no answer in the form that this agent gives.`;
  return { kind: "finish", output, stopReason: "invalid-output" };
}

/** The same question would meet the same filter, so the model is not asked again. */
const finishFiltered: Decision = {
  kind: "finish",
  output: "I stopped without an answer: the content filter of the model's provider stopped its reply.",
  stopReason: "filtered",
};

function finishUnreadable(replies: number): Decision {
  const output = `I stopped without an answer: the model's last ${replies === 1 ? "reply" : `${replies} replies`} could not be read.`;
  return { kind: "finish", output, stopReason: "unreadable" };
}

function finishAtStepLimit(steps: number): Decision {
  const output = `I stopped without an answer: the question was not settled after ${steps} step${steps === 1 ? "" : "s"}, the most that this agent takes.`;
  return { kind: "finish", output, stopReason: "step-limit" };
}
