import { type BaseMessage, isBaseMessage, ToolMessage } from "@langchain/core/messages";
import { isCommand, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import { endWithStop } from "../../../base/end-with-stop.js";
import { isRecord } from "../../../base/is-record.js";
import { canHandOver } from "../../../langgraph/node-path.js";
import { contentBlockSchema, contentText } from "../../state/content.js";
import { type AgentAction, endOf, type Outcome, stopReasonSchema } from "../../state/decision.js";
import { sourceSchema } from "../../state/source.js";
import type { AgentStateValues } from "../../state/state.js";
import { withNote } from "./decided-call.js";
import { readCommand } from "./tool-command.js";

/** The call of a tool: the state of its agent, and the config of its node. */
interface ObservedCall {
  readonly state: AgentStateValues;
  readonly config: LangGraphRunnableConfig;
}

/** Turns what a tool returned into the outcome of its call. */
export function observe(action: AgentAction, returned: unknown, { state, config }: ObservedCall): Outcome {
  if (!isCommand(returned)) return observeValue(returned);
  const { message, complaints, command } = readCommand(action, returned, state, canHandOver(config));
  const outcome = message
    ? observeMessage(message)
    : { observation: `${action.tool} has run.`, status: "success" as const };
  const withCommand = { ...outcome, ...(command && { command }) };
  if (complaints.length === 0) return withCommand;
  const note = `A part of what ${action.tool} returned was left out. ${complaints.map(endWithStop).join(" ")}`;
  return { ...withNote(note, withCommand), status: "error" };
}

const blocksSchema = z.array(contentBlockSchema).min(1);

/** Observes a value that is no command. A runnable as a tool returns it as it is, and not as a tool message. */
function observeValue(value: unknown): Outcome {
  if (typeof value === "string") return { observation: value || nothing, status: "success" };
  if (isBaseMessage(value)) return observeMessage(value);
  const ofAgent = observeAgent(value);
  if (ofAgent) return ofAgent;
  const content = blocksSchema.safeParse(value).data;
  if (content) return { observation: contentText(content) || nothing, status: "success", content };
  return { observation: JSON.stringify(value) || nothing, status: "success" };
}

const nothing = "The tool returned nothing.";

function observeMessage(message: BaseMessage): Outcome {
  const { artifact, status } = ToolMessage.isInstance(message) ? message : {};
  return {
    ...observeContent(message.content, artifact),
    ...(artifact !== undefined && { artifact }),
    ...(status === "error" && { status }),
  };
}

function observeContent(content: BaseMessage["content"], artifact: unknown): Outcome {
  // LangChain writes the state of an agent that a tool returns as JSON.
  const state = typeof content === "string" && content.startsWith('{"messages":[') ? parsed(content) : undefined;
  const outcome = observeAgent(state) ?? observeValue(content);
  // LangChain's adapters for MCP put resources only there.
  const beside = content.length === 0 ? blocksSchema.safeParse(artifact).data : undefined;
  return beside ? { ...outcome, observation: contentText(beside) || nothing } : outcome;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const agentSchema = z.object({
  messages: z.array(z.unknown()),
  answer: z.string(),
  stopReason: stopReasonSchema,
  sources: z.array(sourceSchema).default([]),
});
const graphSchema = z.object({ messages: z.array(z.unknown()) });

/** Observes the state of an agent in the tool: its answer, and its sources. Another graph has a last message. */
function observeAgent(state: unknown): Outcome | undefined {
  if (!isRecord(state)) return undefined;
  const { answer, stopReason, sources } = agentSchema.safeParse(state).data ?? {};
  if (answer !== undefined && stopReason !== undefined) {
    const status = endOf[stopReason] === "answer" ? "success" : "error";
    return { observation: answer, status, ...(sources?.length && { artifact: { sources, cited: true } }) };
  }
  const last = graphSchema.safeParse(state).data?.messages.at(-1);
  return isBaseMessage(last) ? observeMessage(last) : undefined;
}
