import { type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { z } from "zod";
import { checkedOptions, give } from "../../base/options.js";
import { paragraphs } from "../../base/paragraphs.js";
import type { PromptView, Protocol } from "../../core/parts/protocol.js";
import type { AgentAction, IntermediateStep } from "../../core/state/decision.js";
import { isEmptyHistory, renderChatHistory } from "../../prompts/chat-history-text.js";
import type { ToolInput } from "../../tool-inputs/tool-input.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import { takesNoInput, takesPlainText } from "../input-forms.js";

/** The parts of a prompt. Each part is finished text, or an empty text if there is nothing to show. */
export interface PromptParts {
  /**
   * The tools, one in a line. A line has the name, the description, and the form of an input that is not plain text.
   */
  readonly tools: string;
  /** The names of the tools, separated by commas. */
  readonly toolNames: string;
  /** The worked examples, separated by empty lines. */
  readonly examples: string;
  /** The earlier conversation, if the question needs it. */
  readonly chatHistory: string;
}

/** The changes to the prompt of a text protocol. */
export interface PromptOptions {
  /** Replaces all text above the question. The new text must ask for the format of the protocol. */
  readonly wording?: (parts: PromptParts) => string;
}

/** The schema of {@link PromptOptions}. */
export const promptOptionsSchema = z.strictObject({
  wording: z
    .custom<NonNullable<PromptOptions["wording"]>>(
      (value) => typeof value === "function",
      give("a function that makes the text above the question out of its parts"),
    )
    .optional(),
});

/** Returns the options of a protocol as data. A function becomes its source. */
export function optionData({ wording, ...options }: PromptOptions): Readonly<Record<string, unknown>> {
  return { ...options, ...(wording && { wording: String(wording) }) };
}

/** Makes the parts of the prompt for a view. */
export function promptParts(view: PromptView, examples: readonly string[] = []): PromptParts {
  return {
    tools: view.tools.map(describeTool).join("\n"),
    toolNames: view.tools.map((tool) => tool.name).join(", "),
    examples: (view.examples ?? examples).join("\n\n"),
    chatHistory: isEmptyHistory(view.chatHistory) ? "" : renderChatHistory(view.chatHistory),
  };
}

function describeTool(tool: ToolSpec): string {
  return `${tool.name}: ${tool.description.trim().replaceAll(/\s*\n\s*/g, " ")}${describeInput(tool)}`;
}

function describeInput(tool: ToolSpec): string {
  if (takesPlainText(tool)) return "";
  if (takesNoInput(tool)) return " The input is empty: {}";
  const { $schema, additionalProperties, ...schema } = tool.parameters ?? {};
  return ` The input is a JSON object with this schema: ${JSON.stringify(schema)}`;
}

/** Returns the question as it was asked, and below it the standalone question, if there is one. */
export function questionText({ question, standalone }: PromptView, label = "Question"): string {
  return `${label}: ${question}${standalone === undefined ? "" : `\nStandalone question: ${standalone}`}`;
}

/** Returns a system message with the user's instructions and the date, and words around it. Returns none without any. */
export function systemMessages({ instructions, currentDate }: PromptView, before = "", after = ""): SystemMessage[] {
  const date = currentDate ? `Current date: ${currentDate}` : "";
  const text = paragraphs(instructions?.trim() ?? "", before, date, after);
  return text === "" ? [] : [new SystemMessage(text)];
}

/** The form in which a protocol writes down the steps of a turn. */
export interface TranscriptForm {
  /** Writes the question. Default: the question as it was asked, and below it the standalone question. */
  readonly question?: (view: PromptView) => string;
  /** The text before the first words of the model, such as `Thought:`. */
  readonly opening: string;
  /** The text before an observation, such as `Observation: `. */
  readonly observation: string;
  /** The text between an observation and the next words of the model. */
  readonly next: string;
  /** Writes a native tool call in the form of the protocol. */
  readonly writeAction: (action: AgentAction) => string;
}

/** The form of the react family. */
export const reactForm: TranscriptForm = {
  opening: "Thought:",
  observation: "Observation: ",
  next: "Thought:",
  writeAction: ({ tool, toolInput }) => `Action: ${tool}\nAction Input: ${inputAsText(toolInput)}`,
};

/** What a protocol that grows one text has of its own. */
interface TranscriptPrompt {
  readonly form: TranscriptForm;
  readonly wording: NonNullable<PromptOptions["wording"]>;
  readonly examples?: readonly string[];
}

/**
 * Makes the prompt of a protocol that grows one text.
 *
 * @param factory The name of the function with these options, for errors.
 * @throws InvalidOptionError when an option does not exist or has a wrong value.
 */
export function transcriptPrompt(
  factory: string,
  options: PromptOptions,
  own: TranscriptPrompt,
): Pick<Protocol, "options" | "render"> {
  const { wording = own.wording } = checkedOptions(factory, promptOptionsSchema, options);
  return {
    options: optionData(options),
    render: (view) => transcript(view, wording(promptParts(view, own.examples)), own.form),
  };
}

/**
 * Writes the prompt of a protocol whose prompt is one growing text: the text above the question, the question, and the steps
 * so far. Each step is the model's text up to its action, and the observation.
 */
export function transcript(view: PromptView, preamble: string, form: TranscriptForm): BaseMessage[] {
  const steps = view.intermediateSteps.map((step) => stepText(step, form)).join("");
  const text = `${(form.question ?? questionText)(view)}\n${form.opening}${steps}`;
  return [...systemMessages(view), new HumanMessage(paragraphs(preamble, text))];
}

function stepText(step: IntermediateStep, form: TranscriptForm): string {
  const shown = observationsOf(step).map((text) => `\n${form.observation}${text}\n${form.next}`);
  const native = step.reply.toolCalls.length > 0 && step.results.length > 0;
  if (!native) return `${writtenStep(step)}${shown.join("")}`;
  const calls = step.results.map(({ action }, n) => `\n${form.writeAction(action)}${shown[n]}`);
  return `${step.reply.text.trimEnd()}${calls.join("")}`;
}

/** Returns the model's text in a step, up to the end of its action. An unreadable reply is returned whole. */
export function writtenStep({ reply, decision }: IntermediateStep): string {
  const log = decision.kind === "action" ? decision.actions.at(-1)?.log : undefined;
  return (log ?? reply.text).trimEnd();
}

function observationsOf({ decision, results }: IntermediateStep): string[] {
  if (decision.kind === "unparseable") return [decision.correction];
  return results.map(({ observation, note }) => {
    const shown = observation || "The tool returned nothing.";
    return note ? `${shown}\n${note}` : shown;
  });
}

/**
 * Returns the text that the model is shown after a step: the observations, or the correction of an unreadable reply.
 */
export function observationText(step: IntermediateStep): string {
  return observationsOf(step).join("\n\n");
}

/** Writes an input as text, and an object as JSON. */
export function inputAsText(input: ToolInput): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

/** Writes an action, or an answer, as a blob of JSON in a code block. */
export function actionBlob(action: string, input: unknown, language = ""): string {
  return `\`\`\`${language}\n${JSON.stringify({ action, action_input: input }, null, 2)}\n\`\`\``;
}
