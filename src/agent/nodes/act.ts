import type { Command, LangGraphRunnableConfig } from "@langchain/langgraph";
import { numberSources } from "../../citations/numbered-sources.js";
import { isPolling } from "../../tools/calling/marks.js";
import type { ActionResult } from "../../turn/decision.js";
import { meterIn } from "../../turn/meter.js";
import type { AgentStateUpdate, AgentStateValues } from "../../turn/state.js";
import { notedRepeat } from "../limits/repeats.js";
import { runActions } from "./acting/run-actions.js";
import { addedMessages, answerAtEnd, handOver, type TurnAnswer } from "./acting/step-commands.js";
import { resultMessage } from "./action-messages.js";
import type { AgentDependencies } from "./dependencies.js";
import { endTurn, type TurnEnd } from "./end-turn.js";

/**
 * Makes the node that runs the tools of an action. Each result, even a failure, becomes an observation. The turn ends
 * here if a tool gave the answer, or handed over to the graph around the agent.
 */
export function act(agent: AgentDependencies) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate | Command> => {
    const { reply, decision } = state;
    if (reply === null || decision?.kind !== "action") throw new Error("act runs only after an action was decided");
    const acted = await runActions(agent, state, decision.actions, config);
    const returnedResults = acted.map(({ command, usage, ...result }) => {
      if (usage) meterIn(config)?.add(usage);
      return result;
    });
    const { sources, results } = numberSources(state.sources, returnedResults);
    meterIn(config)?.addToolCalls(results.length);
    const messages = [...results.map(resultMessage), ...addedMessages(acted)];
    const command = handOver(acted, [...state.messages, ...messages]);
    if (command) return command;
    const noted = (result: ActionResult) =>
      isPolling(agent.tools.get(result.action.tool))
        ? result
        : { ...result, observation: notedRepeat(result, state.intermediateSteps) };
    const update = {
      intermediateSteps: { reply, decision, results: results.map(noted) },
      messages,
      ...(sources.length > state.sources.length && { sources: [...sources] }),
    };
    const answer = answerAtEnd(acted) ?? returnedAnswer(agent, results);
    if (answer === undefined) return update;
    const end = await endTurn(agent, state, { ...returned(agent, answer.text), stopReason: "returned" }, config);
    const others = messages.filter((message) => message !== answer.message);
    return { ...update, ...end, messages: [...others, ...end.messages] };
  };
}

/** Returns the answer of a tool as it is, and what it is as an output, if it fits. */
function returned({ output }: AgentDependencies, answer: string): Pick<TurnEnd, "answer" | "output"> {
  const read = output?.read(answer);
  return read?.kind === "fits" ? { answer, output: JSON.parse(read.json) } : { answer };
}

/** Returns the observation of a tool with `returnDirect`. */
function returnedAnswer({ tools }: AgentDependencies, results: readonly ActionResult[]): TurnAnswer | undefined {
  const returned = results.find(({ action, status }) => {
    const tool = tools.get(action.tool);
    return status === "success" && tool !== undefined && "returnDirect" in tool && tool.returnDirect;
  });
  return returned && { text: returned.observation };
}
