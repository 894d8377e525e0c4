import { type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { z } from "zod";
import { give } from "../../base/options.js";
import { isEmptyHistory, renderChatHistory } from "../../turn/chat-history.js";
import type { AgentAction, IntermediateStep, ToolInput } from "../../turn/decision.js";
import { takesNoInput, takesPlainText } from "../input-forms.js";
import type { PromptView, ToolSpec } from "../protocol.js";

/** What a prompt is worded from: each part is text ready to be shown, and empty when there is nothing to show. */
export interface PromptParts {
  /** The tools, one to a line: name, description, and the form of the input when it is not plain text. */
  readonly tools: string;
  /** The tools' names, separated by commas. */
  readonly toolNames: string;
  /** The worked examples, separated by empty lines. */
  readonly examples: string;
  /** The earlier conversation, when the question needs it. */
  readonly chatHistory: string;
}

/** What can be changed in the prompt of a protocol that speaks in text. */
export interface PromptOptions {
  /** Worked examples, each a whole transcript as the prompt shows it, from the question to the answer. */
  readonly examples?: readonly string[];
  /** Replaces all that stands above the question. The format it asks for must stay the protocol's own. */
  readonly wording?: (parts: PromptParts) => string;
}

/** What can be given to a protocol that speaks in text: {@link PromptOptions}, checked. */
export const promptOptionsSchema = z.strictObject({
  examples: z
    .array(z.string(give("a text: a whole transcript")), give("a list of texts, each a whole transcript"))
    .optional(),
  wording: z
    .custom<NonNullable<PromptOptions["wording"]>>(
      (value) => typeof value === "function",
      give("a function that makes the text above the question out of its parts"),
    )
    .optional(),
});

/** The parts of a view's prompt. */
export function promptParts(view: PromptView, examples: readonly string[]): PromptParts {
  return {
    tools: view.tools.map(describeTool).join("\n"),
    toolNames: view.tools.map((tool) => tool.name).join(", "),
    examples: examples.join("\n\n"),
    chatHistory: chatHistoryText(view),
  };
}

function describeTool(tool: ToolSpec): string {
  return `${tool.name}: ${oneLine(tool.description)}${describeInput(tool)}`;
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, " ");
}

function describeInput(tool: ToolSpec): string {
  if (takesPlainText(tool)) return "";
  if (takesNoInput(tool)) return " The input is empty: {}";
  const { $schema, additionalProperties, ...schema } = tool.parameters ?? {};
  return ` The input is a JSON object with this schema: ${JSON.stringify(schema)}`;
}

/** The earlier conversation; empty when there is none, or when the question already stands on its own. */
export function chatHistoryText(view: PromptView): string {
  return view.rephrased || isEmptyHistory(view.chatHistory) ? "" : renderChatHistory(view.chatHistory);
}

/** The user's instructions and the date, in a system message of their own; none when there is neither. */
export function systemMessages({ instructions, currentDate }: PromptView): SystemMessage[] {
  const text = paragraphs(instructions?.trim() ?? "", currentDate ? `Current date: ${currentDate}` : "");
  return text === "" ? [] : [new SystemMessage(text)];
}

/** How a protocol writes down what happened in a turn. */
export interface TranscriptForm {
  /** What stands before the first words of the model, such as `Thought:`. */
  readonly opening: string;
  /** What stands before an observation, such as `Observation: `. */
  readonly observation: string;
  /** What stands between an observation and the model's next words. */
  readonly next: string;
  /** A call as the protocol writes it, for one that a model made natively. */
  readonly writeAction: (action: AgentAction) => string;
}

/**
 * The prompt of a protocol that grows one text: what stands above the question, the question, and the steps so far, each
 * as the model wrote it up to its action, with what it was shown after it.
 */
export function transcript(view: PromptView, preamble: string, form: TranscriptForm): BaseMessage[] {
  const steps = view.intermediateSteps.map((step) => stepText(step, form)).join("");
  const text = `Question: ${view.question}\n${form.opening}${steps}`;
  return [...systemMessages(view), new HumanMessage(paragraphs(preamble, text))];
}

function stepText(step: IntermediateStep, form: TranscriptForm): string {
  const shown = observationsOf(step).map((text) => `\n${form.observation}${text}\n${form.next}`);
  const native = step.reply.toolCalls.length > 0 && step.results.length > 0;
  if (!native) return `${writtenStep(step)}${shown.join("")}`;
  const calls = step.results.map(({ action }, n) => `\n${form.writeAction(action)}${shown[n]}`);
  return `${step.reply.text.trimEnd()}${calls.join("")}`;
}

/** What a model wrote in a step: up to the end of its action, or all of a reply that could not be read. */
export function writtenStep({ reply, decision }: IntermediateStep): string {
  const log = decision.kind === "action" ? decision.actions.at(-1)?.log : undefined;
  return (log ?? reply.text).trimEnd();
}

function observationsOf({ decision, results }: IntermediateStep): string[] {
  return decision.kind === "unparseable" ? [decision.correction] : results.map((result) => result.observation);
}

/** What a model is shown after a step, in one text: the observations, or the correction of an unreadable reply. */
export function observationText(step: IntermediateStep): string {
  return observationsOf(step).join("\n\n");
}

/** An input as text: an object as JSON. */
export function inputAsText(input: ToolInput): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

/** Blocks of text with an empty line between them; empty blocks are left out. */
export function paragraphs(...blocks: readonly string[]): string {
  return blocks.filter((block) => block !== "").join("\n\n");
}
