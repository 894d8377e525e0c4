import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { sendRest } from "../../langgraph/messages-stream.js";
import { isLimitSentence } from "../limits/limits.js";
import type { AgentParts } from "../parts/agent-parts.js";
import { type Decision, endOf, type Reply } from "../state/decision.js";
import { replyIdOf } from "../state/reply-id.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { callMessage } from "./action-messages.js";
import { tellActions } from "./agent-callbacks.js";
import { endTurn, type TurnEnd } from "./end-turn.js";
import { decide, protocolOf } from "./parsing/decide.js";
import { sentOf, withCheckedCitations } from "./reply-stream.js";

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
    switch (decision.kind) {
      case "action": {
        const { text: thought } = withCheckedCitations(agent.answers, state, decision.thought ?? "");
        const message = callMessage({ ...decision, thought }, replyIdOf(state), agent.answers.name);
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
  agent: AgentParts,
  state: AgentStateValues,
  reply: Reply,
  { output: answer, stopReason, why }: Finish,
): TurnEnd {
  const isGiven = endOf[stopReason] !== "none" && stopReason !== "refused" && !isLimitSentence(answer, why);
  const output = agent.answers.output?.read(answer);
  return {
    answer,
    ...(isGiven && output?.kind === "fits" && { output: JSON.parse(output.json) }),
    stopReason,
    why,
    sent: sentOf(agent, protocolOf(reply, agent.protocols), reply, state),
  };
}

const emptyReply: Reply = { text: "", toolCalls: [], invalidToolCalls: [] };
