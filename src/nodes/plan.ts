import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { AnswerStream } from "../answer-stream.js";
import { askForReply } from "../model-call.js";
import { modelAbilities } from "../models.js";
import type { PromptView } from "../protocols/protocol.js";
import type { AgentStateUpdate, AgentStateValues } from "../state.js";
import { addUsage } from "../usage.js";
import type { AgentDependencies } from "./dependencies.js";

/** Shows the model what the protocol renders and keeps its reply. It decides nothing. */
export function plan(agent: AgentDependencies) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const { protocol, toolSpecs } = agent;
    const model = await agent.model();
    const answer = new AnswerStream(protocol, toolSpecs, (event) => config.writer?.(event));
    const { reply, spent } = await askForReply(
      model,
      protocol.render(promptView(agent, state)),
      { stop: protocol.stop ?? [], sendStop: modelAbilities(model).stop, onText: (text) => answer.push(text) },
      config,
    );
    return { reply, usage: addUsage(state.usage, spent) };
  };
}

function promptView(agent: AgentDependencies, state: AgentStateValues): PromptView {
  return {
    question: state.question,
    rephrased: state.question !== state.turn.asked,
    chatHistory: state.chatHistory,
    intermediateSteps: state.intermediateSteps,
    tools: agent.toolSpecs,
    ...(agent.instructions ? { instructions: agent.instructions } : {}),
    ...(agent.currentDate ? { currentDate: state.turn.startedAt.slice(0, "YYYY-MM-DD".length) } : {}),
  };
}
