import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { sendRest } from "../../langgraph/messages-stream.js";
import { limitSentence } from "../limits/limit.js";
import { type Decision, endOf, type Reply } from "../state/decision.js";
import { replyIdOf } from "../state/reply-id.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { callMessage } from "./action-messages.js";
import { tellActions } from "./agent-callbacks.js";
import { withCheckedCitations } from "./answer-citations.js";
import type { AgentDependencies } from "./dependencies.js";
import { endTurn, type TurnEnd } from "./end-turn.js";
import { decide, protocolOf } from "./parsing/decide.js";
import { sentOf } from "./reply-stream.js";

/**
 * Makes the node that turns the reply into a decision. A turn at one of its limits ends here too: with a `finish` and
 * its stop reason.
 *
 * @param decideOn Makes the decision.
 */
export function parse(agent: AgentDependencies, decideOn = decide) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const reply = state.reply ?? emptyReply;
    const decision = decideOn(agent, state, reply, config);
    switch (decision.kind) {
      case "action": {
        const { text: thought } = withCheckedCitations(agent, state, decision.thought ?? "");
        const message = callMessage({ ...decision, thought }, replyIdOf(state), agent.name);
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

function turnEnd(
  agent: AgentDependencies,
  state: AgentStateValues,
  reply: Reply,
  { output: answer, stopReason, why }: Finish,
): TurnEnd {
  const isSentence = why !== undefined && answer === limitSentence(why);
  const isGiven = endOf[stopReason] !== "none" && stopReason !== "refused" && !isSentence;
  const output = agent.output?.read(answer);
  return {
    answer,
    ...(isGiven && output?.kind === "fits" && { output: JSON.parse(output.json) }),
    stopReason,
    ...(isSentence && { why }),
    sent: sentOf(agent, protocolOf(reply, agent.protocols), reply, state),
  };
}

const emptyReply: Reply = { text: "", toolCalls: [], invalidToolCalls: [] };
