import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { sendRest } from "../../langgraph/messages-stream.js";
import { isLimitSentence } from "../limits/limits.js";
import type { AgentParts } from "../parts/agent-parts.js";
import { runOf } from "../run/run.js";
import type { Decision, Reply } from "../state/decision.js";
import { paused } from "../state/finish-reason.js";
import { replyIdOf } from "../state/reply-id.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { answerMessage, callMessage } from "./action-messages.js";
import { tellActions } from "./agent-callbacks.js";
import { endTurn } from "./end-turn.js";
import { decide } from "./parsing/decide.js";

/**
 * Makes the node that turns the reply into a decision. A turn at one of its limits ends here too: with a `finish` and
 * its stop reason.
 *
 * @param decideOn Makes the decision.
 */
export function parse(agent: AgentParts, decideOn = decide) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const reply = state.reply ?? emptyReply;
    const decision = decideOn(agent, state, reply, config);
    const named = { id: replyIdOf(state), name: agent.answers.name, outside: runOf(config).outside };
    switch (decision.kind) {
      case "action": {
        const message = callMessage(decision, reply, named, agent.tools.specs);
        sendRest(config, message);
        await tellActions(config, decision.actions);
        return { decision, messages: [message], ...(state.reply && { reply: withoutMessage(reply) }) };
      }
      case "unparseable":
        if (reply.finishReason === paused) return pausedStep(reply, decision, named);
        return { decision, intermediateSteps: { reply, decision, results: [] } };
      case "finish": {
        const { output: answer, stopReason, why } = decision;
        // If the answer is our own sentence, the reply was not followed. When the turn is continued, the reply may be
        // followed.
        const isOurs = isLimitSentence(answer, why);
        const end = await endTurn(agent, state, { answer, stopReason, why, ...(!isOurs && { reply }) }, config);
        return { decision, ...end, ...(state.reply && !isOurs && { reply: withoutMessage(reply) }) };
      }
    }
  };
}

/** Keeps a reply that the provider paused. The model goes on from its message. */
function pausedStep(reply: Reply, decision: Decision, named: Parameters<typeof answerMessage>[2]): AgentStateUpdate {
  const message = answerMessage(reply.text, reply, named);
  const kept = withoutMessage(reply);
  return { decision, messages: [message], reply: kept, intermediateSteps: { reply: kept, decision, results: [] } };
}

/** The message of a reply that was read stands in `messages`. */
function withoutMessage({ message, ...reply }: Reply): Reply {
  return reply;
}

const emptyReply: Reply = { text: "", toolCalls: [], invalidToolCalls: [] };
