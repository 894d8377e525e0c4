import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { type Decision, endOf, type Reply } from "../../turn/decision.js";
import { answerIdOf, replyIdOf } from "../../turn/reply-id.js";
import type { AgentStateUpdate, AgentStateValues } from "../../turn/state.js";
import { limitSentence } from "../limits/limit.js";
import { callMessage } from "./action-messages.js";
import { tellActions } from "./agent-callbacks.js";
import type { AgentDependencies } from "./dependencies.js";
import { endTurn, type TurnEnd } from "./end-turn.js";
import { sendRest } from "./message-chunks.js";
import { decide, protocolOf } from "./parsing/decide.js";
import { sentOf } from "./reply-stream.js";

/**
 * Makes the node that turns the reply into a decision. A turn at one of its limits ends here too: with a `finish` and
 * its stop reason.
 */
export function parse(agent: AgentDependencies) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const reply = state.reply ?? emptyReply;
    const decision = decide(agent, state, reply, config);
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
  { output: answer, stopReason, why }: Finish,
): TurnEnd {
  const replyId = replyIdOf(state);
  const sent = sentOf(agent, protocolOf(reply, agent.protocols), { reply, mark: state.turn.mark });
  const id = answer.startsWith(sent.message) ? replyId : answerIdOf(replyId);
  const isSentence = why !== undefined && answer === limitSentence(why);
  const isGiven = endOf[stopReason] !== "none" && stopReason !== "refused" && !isSentence;
  const output = agent.output?.read(answer);
  return {
    answer,
    ...(isGiven && output?.kind === "fits" && { output: JSON.parse(output.json) }),
    stopReason,
    ...(isSentence && { why }),
    id,
    sent: sent.answer,
  };
}

const emptyReply: Reply = { text: "", toolCalls: [], invalidToolCalls: [] };
