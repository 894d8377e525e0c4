import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { Command, END, type LangGraphRunnableConfig, Send } from "@langchain/langgraph";
import { notedRepeat } from "../limits/repeats.js";
import type { AgentParts } from "../parts/agent-parts.js";
import { usageOf } from "../run/run.js";
import type { Acted, ActionResult, ToolCommand } from "../state/decision.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { isPolling } from "../tools/tool-metadata.js";
import { runActions } from "./acting/run-actions.js";
import { resultMessage } from "./action-messages.js";
import { endTurn } from "./end-turn.js";

/**
 * Makes the node that runs the tools of an action. Each result, even a failure, becomes an observation. The turn ends
 * here if a tool gave the answer, or handed over to the graph around the agent.
 */
export function act(agent: AgentParts) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate | Command> => {
    const { reply, decision } = state;
    if (reply === null || decision?.kind !== "action") throw new Error("act runs only after an action was decided");
    const spent = usageOf(config);
    const acted = await runActions(agent, state, decision.actions, config);
    const returnedResults = acted.map(({ command, usage, ...result }) => {
      if (usage) spent.add(usage);
      return result;
    });
    const { sources, results } = agent.answers.citations.numberSources(state.sources, returnedResults);
    spent.addToolCalls(results.length);
    const messages = [...results.map(resultMessage), ...addedMessages(acted)];
    const command = handOver(acted, [...state.messages, ...messages]);
    if (command) return command;
    const noted = (result: ActionResult) =>
      isPolling(agent.tools.byName.get(result.action.tool))
        ? result
        : { ...result, observation: notedRepeat(result, state.intermediateSteps) };
    const update = {
      intermediateSteps: { reply, decision, results: results.map(noted) },
      messages,
      ...(sources.length > state.sources.length && { sources: [...sources] }),
    };
    const answer = answerAtEnd(acted) ?? returnedAnswer(agent, results);
    if (answer === undefined) return update;
    const seen = { ...state, sources: [...sources] };
    const end = await endTurn(agent, seen, { answer: answer.text, stopReason: "returned" }, config);
    const others = messages.filter((message) => message !== answer.message);
    return { ...update, ...end, messages: [...others, ...end.messages] };
  };
}

/** Returns the observation of a tool with `returnDirect`. */
function returnedAnswer({ tools }: AgentParts, results: readonly ActionResult[]): ToolAnswer | undefined {
  const returned = results.find(({ action, status }) => {
    const tool = tools.byName.get(action.tool);
    return status === "success" && tool !== undefined && "returnDirect" in tool && tool.returnDirect;
  });
  return returned && { text: returned.observation };
}

/** Returns the messages that the commands of a step add. Each call of the step has its tool message elsewhere. */
function addedMessages(acted: readonly Acted[]): BaseMessage[] {
  const calls = new Set(acted.map(({ action }) => action.id));
  return acted
    .flatMap(({ command }) => command?.messages ?? [])
    .filter((message) => !ToolMessage.isInstance(message) || !calls.has(message.tool_call_id));
}

/** The answer that a tool gave. `message` is the message that says it, if a command added one. */
interface ToolAnswer {
  readonly text: string;
  readonly message?: BaseMessage;
}

/**
 * Returns the answer of a step whose command ends the turn: the last message that it adds, if the agent says it, or the
 * observation. Returns undefined if there is no such command.
 */
function answerAtEnd(acted: readonly Acted[]): ToolAnswer | undefined {
  const ending = acted.find(({ command }) => command?.goto.includes(END));
  if (ending === undefined) return undefined;
  const message = ending.command?.messages.at(-1);
  const isAnswer = AIMessage.isInstance(message) && !message.tool_calls?.length && message.text.trim() !== "";
  return isAnswer ? { text: message.text, message } : { text: ending.observation };
}

/**
 * Returns the command that hands over to the graph around the agent, if a tool of the step does so. It takes along all
 * messages of the agent, as at the end of a turn. Several commands become one.
 */
function handOver(acted: readonly Acted[], messages: readonly BaseMessage[]): Command | undefined {
  const commands = acted.flatMap(({ command }) => (command?.toParent ? [command] : []));
  if (commands.length === 0) return undefined;
  return new Command({
    graph: Command.PARENT,
    goto: commands.flatMap(({ goto }) => goto.map(destination)),
    update: { ...Object.assign({}, ...commands.map(({ update }) => update)), messages: [...messages] },
  });
}

function destination(to: ToolCommand["goto"][number]): string | Send {
  return typeof to === "string" ? to : new Send(to.node, to.args);
}
