import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { noJournal } from "../../turn/action-journal.js";
import { type ActionResult, type AgentAction, toArguments } from "../../turn/decision.js";
import type { AgentStateUpdate, AgentStateValues } from "../../turn/state.js";
import { addUsage } from "../../turn/usage.js";
import type { AgentDependencies } from "./dependencies.js";
import { endTurn } from "./end-turn.js";
import { hasEffects } from "./idempotency.js";
import { runAction } from "./run-action.js";

/**
 * Runs the tools of an action, in parallel and in order. Whatever happens there becomes an observation. What had finished
 * when this node was stopped is not run again.
 */
export function act(agent: AgentDependencies) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const { reply, decision } = state;
    if (reply === null || decision?.kind !== "action") throw new Error("act runs only after an action was decided");
    const journal = needsJournal(agent, decision.actions) ? await agent.openJournal(config) : noJournal;
    const results = await all(decision.actions.map((action) => runAction(action, agent.tools, journal, config)));
    const update = {
      intermediateSteps: { reply, decision, results },
      messages: toMessages(results, decision.thought),
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

/** A single action without effects is simply run again. */
function needsJournal({ tools }: AgentDependencies, actions: readonly AgentAction[]): boolean {
  const called = actions.map(({ tool }) => tools.get(tool));
  return actions.length > 1 || called.some((tool) => tool !== undefined && hasEffects(tool));
}

/** Waits for every one, also when one fails: none is at work any more when the node ends. */
async function all<T>(running: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(running);
  return Promise.all(running);
}

/** The step as LangGraph's clients draw it: the thought with its tool calls, and a tool message for each. */
function toMessages(results: readonly ActionResult[], thought = ""): BaseMessage[] {
  const [first] = results;
  const step = new AIMessage({
    id: first ? first.action.id.slice(0, first.action.id.lastIndexOf("-")) : undefined,
    content: thought,
    tool_calls: results.map(({ action }) => ({
      id: action.id,
      name: action.tool,
      args: toArguments(action.toolInput),
    })),
  });
  return [step, ...results.map(toToolMessage)];
}

function toToolMessage({ action, observation, status }: ActionResult): ToolMessage {
  return new ToolMessage({
    id: `${action.id}-observation`,
    tool_call_id: action.id,
    name: action.tool,
    content: observation,
    status: status === "success" ? "success" : "error",
  });
}
