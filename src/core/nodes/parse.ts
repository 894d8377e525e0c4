import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { tellActions } from "../../langgraph/agent-callbacks.js";
import { sendRest } from "../../langgraph/messages-stream.js";
import { paused } from "../../provider-forms/finish-reason.js";
import { toArguments } from "../../tool-inputs/tool-input.js";
import type { AgentParts } from "../parts/agent-parts.js";
import { isLimitSentence } from "../parts/reached.js";
import { runOf } from "../run/run.js";
import * as seams from "../seams/seams.js";
import { type Decision, type Reply, withoutMessage } from "../state/decision.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { answerMessage, callMessage, type WrittenBy, writtenBy } from "./action-messages.js";
import { endTurn } from "./end-turn.js";
import { type Follow, followThroughHooks } from "./parsing/after-model.js";
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
    const read = { reply, decision: decideOn(agent, state, reply, config) };
    const isSeen = seams.hasHook(agent.plugins, "afterModel");
    return isSeen ? followThroughHooks(follow, agent, state, read, config) : follow(agent, state, read, config);
  };
}

/** Makes of a decision what the turn goes on with: the calls in a message, a step with a correction, or the end. */
const follow: Follow = async (agent, state, { reply, decision }, config, now) => {
  const named = writtenBy(agent, state, runOf(config));
  switch (decision.kind) {
    case "action": {
      const message = now ?? callMessage(decision, reply, named, agent.tools.specs);
      sendRest(config, message);
      const told = decision.actions.map(({ tool, toolInput, log }) => ({
        tool,
        toolInput: toArguments(toolInput),
        log,
      }));
      await tellActions(config, told);
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
      const own = { ...(now && { id: now.id }), ...(!isOurs && { reply }) };
      const end = await endTurn(agent, state, { answer, stopReason, why, ...own }, config);
      const isSame = end.answer === answer;
      const kept = withoutMessage(isSame ? reply : { ...reply, text: end.answer, changed: true });
      const followed = isSame ? decision : { ...decision, output: end.answer };
      return { decision: followed, ...end, ...(state.reply && !isOurs && { reply: kept }) };
    }
  }
};

/** Keeps a reply that the provider paused. The model goes on from its message. */
function pausedStep(reply: Reply, decision: Decision, named: WrittenBy) {
  const message = answerMessage(reply.text, reply, named);
  const kept = withoutMessage(reply);
  return { decision, messages: [message], reply: kept, intermediateSteps: { reply: kept, decision, results: [] } };
}

const emptyReply: Reply = { text: "", toolCalls: [], invalidToolCalls: [] };
