import {
  type BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { Command, END, messagesStateReducer } from "@langchain/langgraph";
import { z } from "zod";
import { isRecord } from "../../../base/is-record.js";
import { messageOf } from "../../../base/message-of.js";
import { shorten } from "../../../base/shorten.js";
import { type AgentAction, type ToolCommand, toolCommandSchema } from "../../state/decision.js";
import type { AgentStateValues } from "../../state/state.js";

type Destination = ToolCommand["goto"][number];

interface ReadCommand {
  /** The tool message of the call, if the command has it. */
  readonly message?: ToolMessage;
  /** The sentences about the parts that were left out. */
  readonly complaints: readonly string[];
  readonly command?: ToolCommand;
}

/**
 * Reads a `Command` that a tool returned. It may add messages, end the turn, or hand over to a node of the graph around
 * the agent. Each other part is left out, with a sentence about it.
 *
 * @param canHandOver True if the agent can hand over to the graph around it.
 */
export function readCommand(
  action: AgentAction,
  given: Command,
  state: AgentStateValues,
  canHandOver: boolean,
): ReadCommand {
  const { messages: written, ...update } = updateOf(given);
  const read = readMessages(written, state.messages);
  const message = read.messages.findLast((message) => answers(message, action));
  const messages = read.messages.filter((message) => !answers(message, action) && !state.messages.includes(message));
  const goto = toolCommandSchema.shape.goto.catch([]).parse([given.goto].flat());
  const own = ToolMessage.isInstance(message) ? { message } : {};
  if (given.graph === Command.PARENT) {
    if (canHandOver)
      return { ...own, complaints: read.complaints, command: { messages, goto, toParent: true, update } };
    return { ...own, complaints: [`It hands over to ${names(goto)}, and ${cannotHandOver}`] };
  }
  const isOpen = (to: Destination) => to === END || to === "plan";
  const closed = goto.filter((to) => !isOpen(to));
  const keys = Object.keys(update);
  return {
    ...own,
    complaints: [
      ...read.complaints,
      ...(keys.length > 0 ? [`It writes ${quoted(keys)}, and a tool may write only "messages".`] : []),
      ...(closed.length > 0 ? [`It goes to ${names(closed)}, and a tool may go only to "plan" or END.`] : []),
    ],
    command: { messages, goto: goto.filter(isOpen), toParent: false, update: {} },
  };
}

const cannotHandOver =
  "this agent cannot: it runs in no graph, or keeps a thread of its own there (checkpointer: true).";

function updateOf({ update }: Command): Record<string, unknown> {
  if (Array.isArray(update)) return Object.fromEntries(update);
  return isRecord(update) ? update : {};
}

const listSchema = z.array(
  z.custom<BaseMessageLike>((value) => typeof value === "string" || (typeof value === "object" && value !== null)),
);

function answers(message: BaseMessage, { id }: AgentAction): boolean {
  return ToolMessage.isInstance(message) && message.tool_call_id === id;
}

/** Reads messages in all forms that LangGraph takes. It takes all of them, or none. */
function readMessages(
  written: unknown,
  known: readonly BaseMessage[],
): { readonly messages: BaseMessage[]; readonly complaints: string[] } {
  try {
    const messages = listSchema.parse([written ?? []].flat()).map(coerceMessageLikeToMessage);
    // It throws for the removal of a message that is not there.
    messagesStateReducer([...known], messages);
    return { messages, complaints: [] };
  } catch (error) {
    return { messages: [], complaints: [`Its messages cannot be taken: ${shorten(messageOf(error), 200)}`] };
  }
}

function names(destinations: readonly Destination[]): string {
  return quoted(destinations.map((to) => (typeof to === "string" ? to : to.node)));
}

function quoted(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(" and ");
}
