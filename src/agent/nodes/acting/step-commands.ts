import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { Command, END, Send } from "@langchain/langgraph";
import type { Acted, ToolCommand } from "../../../turn/decision.js";

/** Returns the messages that the commands of a step add. Each call of the step has its tool message elsewhere. */
export function addedMessages(acted: readonly Acted[]): BaseMessage[] {
  const calls = new Set(acted.map(({ action }) => action.id));
  return acted
    .flatMap(({ command }) => command?.messages ?? [])
    .filter((message) => !ToolMessage.isInstance(message) || !calls.has(message.tool_call_id));
}

/** The answer to the question of a turn. `message` is the message that says it, if a command added one. */
export interface TurnAnswer {
  readonly text: string;
  readonly message?: BaseMessage;
}

/**
 * Returns the answer of a step whose command ends the turn: the last message that it adds, if the agent says it, or the
 * observation. Returns undefined if there is no such command.
 */
export function answerAtEnd(acted: readonly Acted[]): TurnAnswer | undefined {
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
export function handOver(acted: readonly Acted[], messages: readonly BaseMessage[]): Command | undefined {
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
