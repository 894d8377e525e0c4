import { type BaseMessage, coerceMessageLikeToMessage, isBaseMessage, ToolMessage } from "@langchain/core/messages";
import { Command, END, isCommand, type LangGraphRunnableConfig, messagesStateReducer } from "@langchain/langgraph";
import { z } from "zod";
import { parsedJson } from "../../../base/attempted.js";
import { endWithStop } from "../../../base/end-with-stop.js";
import { isRecord } from "../../../base/is-record.js";
import { messageOf } from "../../../base/message-of.js";
import { shorten } from "../../../base/shorten.js";
import { contentText } from "../../../content/content.js";
import { contentBlockSchema } from "../../../content/content-block.js";
import { messagesSchema } from "../../../langgraph/message-form.js";
import { canHandOver } from "../../../langgraph/node-path.js";
import type { Plugin } from "../../parts/plugin.js";
import { ranAgent } from "../../run/run.js";
import { allChannels } from "../../seams/channels.js";
import {
  type AgentAction,
  callIdOf,
  endOf,
  type Outcome,
  stopReasonSchema,
  type ToolCommand,
  toolCommandSchema,
} from "../../state/decision.js";
import { sourceSchema } from "../../state/source.js";
import type { AgentStateValues } from "../../state/state.js";
import { withNote } from "./outcomes.js";

/** The call of a tool: the state of its agent, and the config of its node. */
interface ObservedCall {
  readonly state: AgentStateValues;
  readonly config: LangGraphRunnableConfig;
  /** What plugs into the agent. A tool may write the channels of it. */
  readonly plugins: readonly Plugin[];
}

/** Turns what a tool returned into the outcome of its call. */
export function observe(action: AgentAction, returned: unknown, { state, config, plugins }: ObservedCall): Outcome {
  const isAgent = ranAgent(config);
  if (!isCommand(returned)) return observeValue(returned, isAgent);
  const channels = new Set(Object.keys(allChannels(plugins)));
  const { message, complaints, command } = readCommand(action, returned, { state, channels }, canHandOver(config));
  const outcome = message
    ? observeMessage(message, isAgent)
    : { observation: `${action.tool} has run.`, status: "success" as const };
  const withCommand = { ...outcome, ...(command && { command }) };
  if (complaints.length === 0) return withCommand;
  const note = `A part of what ${action.tool} returned was left out. ${complaints.map(endWithStop).join(" ")}`;
  return { ...withNote(note, withCommand), status: "error" };
}

const blocksSchema = z.array(contentBlockSchema).min(1);

/**
 * Observes a value that is no command. A runnable used as a tool returns the bare value, and no tool message.
 *
 * @param isAgent True if the tool ran an agent.
 */
function observeValue(value: unknown, isAgent: boolean): Outcome {
  if (typeof value === "string") return { observation: value, status: "success" };
  if (isBaseMessage(value)) return observeMessage(value, isAgent);
  const ofAgent = observeState(value, isAgent);
  if (ofAgent) return ofAgent;
  const content = blocksSchema.safeParse(value).data;
  if (content) return { observation: contentText(content), status: "success", content };
  return { observation: JSON.stringify(value) ?? "", status: "success" };
}

function observeMessage(message: BaseMessage, isAgent: boolean): Outcome {
  const { artifact, status } = ToolMessage.isInstance(message) ? message : {};
  return {
    ...observeContent(message.content, artifact, isAgent),
    ...(artifact !== undefined && { artifact }),
    ...(Object.keys(message.additional_kwargs).length > 0 && { additional_kwargs: message.additional_kwargs }),
    ...(status === "error" && { status }),
  };
}

function observeContent(content: BaseMessage["content"], artifact: unknown, isAgent: boolean): Outcome {
  // LangChain writes the state of an agent that a tool returns as JSON.
  const isState = isAgent && typeof content === "string" && content.startsWith('{"messages":[');
  const outcome = observeState(isState && parsedJson(content), isAgent) ?? observeValue(content, isAgent);
  // LangChain's adapters for MCP put resources only there.
  const beside = content.length === 0 ? blocksSchema.safeParse(artifact).data : undefined;
  return beside ? { ...outcome, observation: contentText(beside) } : outcome;
}

const agentSchema = z.object({
  messages: z.array(z.unknown()),
  answer: z.string(),
  stopReason: stopReasonSchema,
  sources: z.array(sourceSchema).default([]),
});
const graphSchema = z.object({ messages: z.array(z.unknown()) });

/** Observes the state of an agent in the tool: its answer, and its sources. Another graph has a last message. */
function observeState(state: unknown, isAgent: boolean): Outcome | undefined {
  if (!isRecord(state)) return undefined;
  const { answer, stopReason, sources } = (isAgent && agentSchema.safeParse(state).data) || {};
  if (answer !== undefined && stopReason !== undefined) {
    const status = endOf(stopReason) === "answer" ? "success" : "error";
    return { observation: answer, status, ...(sources?.length && { artifact: { sources, cited: true } }) };
  }
  const last = graphSchema.safeParse(state).data?.messages.at(-1);
  return isBaseMessage(last) ? observeMessage(last, isAgent) : undefined;
}

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
function readCommand(
  action: AgentAction,
  given: Command,
  { state, channels }: { readonly state: AgentStateValues; readonly channels: ReadonlySet<string> },
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
  const keys = Object.keys(update).filter((key) => !channels.has(key));
  const kept = Object.fromEntries(Object.entries(update).filter(([key]) => channels.has(key)));
  return {
    ...own,
    complaints: [
      ...read.complaints,
      ...(keys.length > 0 ? [`It writes ${quoted(keys)}, and a tool may write only "messages".`] : []),
      ...(closed.length > 0 ? [`It goes to ${names(closed)}, and a tool may go only to "plan" or END.`] : []),
    ],
    command: { messages, goto: goto.filter(isOpen), toParent: false, update: kept },
  };
}

const cannotHandOver =
  "this agent cannot: it runs in no graph, or keeps a thread of its own there (checkpointer: true).";

function updateOf({ update }: Command): Record<string, unknown> {
  if (Array.isArray(update)) return Object.fromEntries(update);
  return isRecord(update) ? update : {};
}

function answers(message: BaseMessage, action: AgentAction): boolean {
  return ToolMessage.isInstance(message) && message.tool_call_id === callIdOf(action);
}

/** Reads messages in all forms that LangGraph takes. It takes all of them, or none. */
function readMessages(
  written: unknown,
  known: readonly BaseMessage[],
): { readonly messages: BaseMessage[]; readonly complaints: string[] } {
  try {
    const messages = messagesSchema.parse([written ?? []].flat()).map(coerceMessageLikeToMessage);
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
