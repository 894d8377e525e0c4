import { isDeepStrictEqual } from "node:util";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { firstToAnswer } from "../model/failures.js";
import type { AgentParts } from "../parts/agent-parts.js";
import { runOf } from "../run/run.js";
import { outsideText } from "../state/outside.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { calledIn } from "./find-outside.js";
import { askForStep } from "./planning/ask-for-step.js";

/**
 * Makes the node that shows the model the messages of the protocol and keeps its reply. At a limit of the turn it asks for the
 * last reply. It decides nothing about replies.
 *
 * After a failure the next model is asked. The turn stays with it.
 */
export function plan(agent: AgentParts) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const models = await agent.models.load();
    const current = models.findIndex(({ name }) => name === state.reply?.model);
    const { reply, prompt } = await firstToAnswer("reply", models.slice(Math.max(0, current)), config, (model) =>
      askForStep(agent, model, state, config),
    );
    const brought = calledIn(reply.byProvider).map((tool) => outsideText(tool, state.turn));
    runOf(config).learn(brought);
    return { reply, ...(!isDeepStrictEqual(prompt, state.prompt) && { prompt }) };
  };
}
