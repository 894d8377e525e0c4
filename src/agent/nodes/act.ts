import { setMaxListeners } from "node:events";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { holdIn } from "../../threads/guard/hold.js";
import { noJournal } from "../../turn/action-journal.js";
import { type ActionResult, type AgentAction, toArguments } from "../../turn/decision.js";
import type { AgentStateUpdate, AgentStateValues } from "../../turn/state.js";
import { addUsage } from "../../turn/usage.js";
import type { AgentDependencies } from "./dependencies.js";
import { endTurn } from "./end-turn.js";
import { hasEffects } from "./idempotency.js";
import { runAction } from "./run-action.js";

/**
 * Makes the node that runs the tools of an action, in parallel. Their results keep the order of the calls. Each result,
 * even a failure, becomes an observation. Calls that had finished when the node was stopped are not run again.
 */
export function act(agent: AgentDependencies) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const { reply, decision } = state;
    if (reply === null || decision?.kind !== "action") throw new Error("act runs only after an action was decided");
    const journal = needsJournal(agent, decision.actions) ? await agent.openJournal(config) : noJournal;
    // Each tool listens to the signal. Node.js would warn of a leak if there are more than ten.
    if (config.signal) setMaxListeners(0, config.signal);
    const running = all(decision.actions.map((action) => runAction(action, agent.tools, journal, config)));
    holdIn(config, config.configurable?.thread_id)?.keepUntil(running);
    const results = await running;
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

/** Tells whether the actions need a journal. A single action without effects is simply run again. */
function needsJournal({ tools }: AgentDependencies, actions: readonly AgentAction[]): boolean {
  const called = actions.map(({ tool }) => tools.get(tool));
  return actions.length > 1 || called.some((tool) => tool !== undefined && hasEffects(tool));
}

/** Waits for all promises, even if one fails. So no tool is still running when the node ends. */
async function all<T>(running: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(running);
  return Promise.all(running);
}

/** Returns a step as messages for LangGraph clients: a thought with its tool calls, and a message for each result. */
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
