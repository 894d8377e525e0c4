import { SystemMessage } from "@langchain/core/messages";
import { isEmptyHistory, renderChatHistory } from "../chat-history.js";
import type { IntermediateStep } from "../decision.js";
import type { PromptView, ToolSpec } from "./protocol.js";
import { takesNoInput, takesPlainText } from "./tool-input.js";

/** What the prompts of all protocols are made of: what they share is written once, here. */

/** The user's instructions and the date, in a system message of their own; none when there is neither. */
export function systemMessages({ instructions, currentDate }: PromptView): SystemMessage[] {
  const lines = [instructions?.trim(), currentDate && `Current date: ${currentDate}`].filter(Boolean);
  return lines.length > 0 ? [new SystemMessage(lines.join("\n\n"))] : [];
}

/** One line for each tool: its name, its description, and how its input is written when that is not plain text. */
export function describeTools(tools: readonly ToolSpec[]): string {
  return tools.map((tool) => `${tool.name}: ${oneLine(tool.description)}${describeInput(tool)}`).join("\n");
}

function describeInput(tool: ToolSpec): string {
  if (takesPlainText(tool)) return "";
  if (takesNoInput(tool)) return " (takes no input: write {} as its input)";
  return ` (its input is a JSON object with this schema: ${JSON.stringify(tool.parameters)})`;
}

/** The names of the tools as a prompt lists them. */
export function toolNames(tools: readonly ToolSpec[]): string {
  return tools.map((tool) => tool.name).join(", ");
}

/** The earlier conversation; empty when there is none, or when the question already stands on its own. */
export function chatHistoryText(view: PromptView): string {
  return view.rephrased || isEmptyHistory(view.chatHistory) ? "" : renderChatHistory(view.chatHistory);
}

/** What the model is shown after a step: the tools' observations, or the correction of a reply that could not be read. */
export function observationOf({ decision, results }: IntermediateStep): string {
  return decision.kind === "unparseable"
    ? decision.correction
    : results.map((result) => result.observation).join("\n\n");
}

/** Blocks of text with an empty line between them; empty blocks are left out. */
export function paragraphs(...blocks: readonly string[]): string {
  return blocks.filter((block) => block !== "").join("\n\n");
}

function oneLine(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}
