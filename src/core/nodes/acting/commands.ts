import { AIMessage, type BaseMessage, isBaseMessage, ToolMessage } from "@langchain/core/messages";
import { Command, END, Send } from "@langchain/langgraph";
import { z } from "zod";
import type { Tools } from "../../parts/tools.js";
import { type Acted, type ActionResult, callIdOf, type ToolCommand } from "../../state/decision.js";
import { type OutsideText, withOutside } from "../../state/outside.js";

/** Returns a result whose messages for other nodes and agents say what text from outside the agent read. */
export function sayingOutside({ command, ...result }: Acted, outside: readonly OutsideText[]): Acted {
  if (command === undefined) return result;
  const say = (message: BaseMessage) => withOutside(message, outside);
  const goto = command.goto.map((to) => {
    const sent = typeof to === "string" ? undefined : sentMessages.safeParse(to.args).data;
    return typeof to === "string" || sent === undefined
      ? to
      : { ...to, args: { ...sent, messages: sent.messages.map(say) } };
  });
  return { ...result, command: { ...command, messages: command.messages.map(say), goto } };
}

const sentMessages = z.looseObject({ messages: z.array(z.custom<BaseMessage>(isBaseMessage)) });

/** Returns the messages that the commands of a step add. Each call of the step has its tool message elsewhere. */
export function addedMessages(acted: readonly Acted[]): BaseMessage[] {
  const calls = new Set(acted.map(({ action }) => callIdOf(action)));
  return acted
    .flatMap(({ command }) => command?.messages ?? [])
    .filter((message) => !ToolMessage.isInstance(message) || !calls.has(message.tool_call_id));
}

/** The answer that a tool gave. `message` is the message that says it, if a command added one. */
interface ToolAnswer {
  readonly text: string;
  readonly message?: BaseMessage;
}

/** Returns the answer that a tool of a step gave; undefined if the turn goes on. */
export function answerOf(
  acted: readonly Acted[],
  results: readonly ActionResult[],
  tools: Pick<Tools, "byName">,
): ToolAnswer | undefined {
  return answerAtEnd(acted) ?? returnedAnswer(results, tools);
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
 * Returns the command that hands over to the graph around the agent, if a tool of the step does so. The command takes along
 * all messages of the agent, as at the end of a turn. Several commands become one.
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

/** Returns the observation of a tool with `returnDirect`. */
function returnedAnswer(results: readonly ActionResult[], { byName }: Pick<Tools, "byName">): ToolAnswer | undefined {
  const returned = results.find(({ action, status }) => {
    const tool = byName.get(action.tool);
    return status === "success" && tool !== undefined && "returnDirect" in tool && tool.returnDirect;
  });
  return returned && { text: returned.observation };
}
