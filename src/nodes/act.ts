import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { ActionResult, AgentAction } from "../decision.js";
import type { AgentStateUpdate, AgentStateValues } from "../state.js";
import { thoughtOf } from "../thought.js";
import { addUsage } from "../usage.js";
import type { AgentDependencies } from "./dependencies.js";
import { endTurn } from "./end-turn.js";
import { runAction } from "./run-action.js";

/** Runs the tools of an action, in parallel and in order. Whatever happens there becomes an observation. */
export function act(agent: AgentDependencies) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const { reply, decision } = state;
    if (reply === null || decision?.kind !== "action") throw new Error("act runs only after an action was decided");
    const results = await Promise.all(decision.actions.map((action) => runAction(action, agent.tools, config)));
    const update = {
      intermediateSteps: { reply, decision, results },
      messages: toMessages(results),
      usage: addUsage(state.usage, { toolCalls: results.length }),
    };
    const returned = results.find(
      ({ action, status }) => status === "success" && agent.tools.get(action.tool)?.returnDirect === true,
    );
    if (returned === undefined) return update;
    const end = await endTurn(agent, state, returned.observation, "returned", config);
    return { ...update, ...end, messages: [...update.messages, ...end.messages] };
  };
}

/** The step as LangGraph's clients draw it: the thought with its tool calls, and a tool message for each. */
function toMessages(results: readonly ActionResult[]): BaseMessage[] {
  const [first] = results;
  const step = new AIMessage({
    id: first ? first.action.id.slice(0, first.action.id.lastIndexOf("-")) : undefined,
    content: first ? thoughtOf(first.action.log) : "",
    tool_calls: results.map(({ action }) => ({ id: action.id, name: action.tool, args: toArguments(action) })),
  });
  return [step, ...results.map(toToolMessage)];
}

function toArguments({ toolInput }: AgentAction): Record<string, unknown> {
  return typeof toolInput === "string" ? { input: toolInput } : toolInput;
}

function toToolMessage({ action, observation, status }: ActionResult): ToolMessage {
  return new ToolMessage({
    id: `${action.id}-observation`,
    tool_call_id: action.id,
    name: action.tool,
    content: observation,
    status,
  });
}
