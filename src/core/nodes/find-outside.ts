import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { blocksOf } from "../../content/content.js";
import { describeFile, readFile } from "../../content/file-block.js";
import { type ProviderStep, providerSteps } from "../../provider-forms/provider-steps.js";
import { metadataOf } from "../parts/tool-metadata.js";
import type { Tools } from "../parts/tools.js";
import { type OutsideText, outsideOf, outsideText } from "../state/outside.js";
import type { AgentStateValues, Turn } from "../state/state.js";
import { messagesAfter } from "./remember.js";

/** The state of a thread, and the tools of the agent that goes on with it. */
type Found = Pick<AgentStateValues, "messages" | "turn" | "outside">;

/**
 * Finds text from outside in what came into a thread since its last question: files, what agents of others said, and what tools
 * returned that the agent does not have. Agents of this package say in their messages what they read.
 *
 * @param turn The turn in which it came.
 */
export function outsideInNew(state: Found, turn: Turn, tools: Tools["byName"]): OutsideText[] {
  // A thread of an older version of this package may hold such text from before, and the messages of its agent do not say so.
  const isOld = isOlder(state);
  const messages = isOld ? state.messages : messagesAfter(state.messages, state.turn.message.id);
  return messages.flatMap((message) => {
    const said = isOld ? undefined : outsideOf(message, turn);
    return said ?? sourcesIn(message, tools, isOld).map((source) => outsideText(source, turn));
  });
}

/** Tells whether a thread was kept by a version of this package that did not note text from outside. */
export function isOlder({ outside, turn }: Found): boolean {
  return outside === null && turn.number > 0;
}

/** Returns the tools of the provider that were called. */
function calledIn(steps: readonly ProviderStep[]): string[] {
  return steps.flatMap((step) => (step.type === "action" ? [step.tool] : []));
}

/** Returns the sources of text from outside in a message. @param isOwn True if the agent itself wrote what it said. */
function sourcesIn(message: BaseMessage, tools: Tools["byName"], isOwn: boolean): string[] {
  if (ToolMessage.isInstance(message)) {
    const { name = "another tool", status } = message;
    const tool = tools.get(name);
    // The message "There is no tool named …" also has the status "error".
    const counts = tool ? metadataOf(tool).untrusted : !isOwn || status !== "error";
    return counts ? [name] : [];
  }
  if (AIMessage.isInstance(message))
    return isOwn ? calledIn(providerSteps(message, "")) : [message.name ?? "another agent"];
  return message.getType() === "human" ? filesIn(message) : [];
}

function filesIn(message: BaseMessage): string[] {
  return blocksOf(message).flatMap((block) => {
    if (block.type === "text" || block.type === "input_text") return [];
    const file = readFile(block);
    return [file ? describeFile(file) : block.type];
  });
}
