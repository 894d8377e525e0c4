import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { checkedOptions, oneOf } from "../base/options.js";
import { paragraphs } from "../base/paragraphs.js";
import type { PromptView, Protocol, ReplyGrammar, ReplyReader } from "../core/parts/protocol.js";
import type { ToolSpec } from "../tool-inputs/tool-spec.js";
import { exampleInput } from "./prompt/example-input.js";
import { jsonActionGrammar, replyGrammar, toolCallRule } from "./prompt/grammars.js";
import {
  actionBlob,
  inputAsText,
  observationText,
  optionData,
  type PromptOptions,
  type PromptParts,
  promptOptionsSchema,
  promptParts,
  questionText,
  reactForm,
  systemMessages,
  transcript,
  writtenStep,
} from "./prompt/prompt-parts.js";
import { speakers } from "./reading/label-words.js";
import { readReply } from "./reading/read-reply.js";
import { lineLabels, wordPlace } from "./reading/sections/labels.js";
import { LabelReader } from "./streaming/label-reader.js";

export interface ConversationalOptions extends PromptOptions {
  /**
   * The format of the prompt. `text` is the "Do I need to use a tool?" format, `json` is one JSON blob in each reply.
   * Replies in both formats are always read.
   */
  readonly format?: "text" | "json";
}

const optionsSchema = promptOptionsSchema.extend({ format: oneOf(["text", "json"]).optional() });

/**
 * Makes a ReAct protocol that may also just talk, as LangChain's conversational agents do. The text format is that of
 * `conversational-react`, the JSON format that of `chat-conversational-react`.
 *
 * @param options.format Default: `"text"`.
 * @param options.wording Replaces the text above the question.
 * @throws InvalidOptionError when an option does not exist or has a wrong value.
 */
export function conversational(options: ConversationalOptions = {}): Protocol {
  const { format = "text", wording } = checkedOptions("conversational", optionsSchema, options);
  const word = wording ?? (format === "text" ? textWording : jsonWording);
  return {
    name: "conversational",
    options: optionData(options),
    stop: format === "text" ? ["\nObservation:"] : ["\nTOOL RESPONSE:"],
    render: (view) => {
      const preamble = word(promptParts(view));
      return format === "text" ? transcript(view, preamble, reactForm) : conversation(view, preamble);
    },
    parse: readReply,
    ...(format === "text" && { reader: textFormatReader }),
    labelsIn: (text) => [...lineLabels(text, speakers)].map(wordPlace),
    exampleReply: format === "text" ? textExample : jsonExample,
    grammar: format === "text" ? textGrammar : jsonActionGrammar,
    exampleAnswer: format === "text" ? textAnswer : blob("Final Answer", "your words to the human"),
  };
}

// The text format

function textWording({ tools, toolNames, examples, chatHistory }: PromptParts): string {
  return paragraphs(
    "You are a helpful assistant who talks with a human. You answer questions, hold a conversation, and use tools where " +
      "they help.",
    tools && `Tools:\n\n${tools}`,
    tools && `To use a tool, use the following format:\n\n${toolFormat(toolNames)}`,
    "When you have something to say to the human, " +
      `${tools && "or do not need a tool, "}you must use the following format:\n\n${sayFormat}`,
    examples && `Examples:\n\n${examples}`,
    chatHistory && `The conversation so far:\n${chatHistory}`,
    "Begin!",
  );
}

function toolFormat(toolNames: string): string {
  return `Thought: Do I need to use a tool? Yes
Action: the action to take, should be one of [${toolNames}]
Action Input: the input to the action
Observation: the result of the action`;
}

const sayFormat = `Thought: Do I need to use a tool? No
AI: [your response here]`;

function textExample([tool]: readonly ToolSpec[]): string | undefined {
  return tool && `Do I need to use a tool? Yes\nAction: ${tool.name}\nAction Input: ${inputAsText(exampleInput(tool))}`;
}

function textGrammar(tools: readonly ToolSpec[]): ReplyGrammar {
  return replyGrammar(tools, {
    act: `" Do I need to use a tool? Yes\\nAction: " ${toolCallRule(tools, "\nAction Input: ")}`,
    answer: '" Do I need to use a tool? No\\nAI: " text',
  });
}

/** The reader of the text format. Nothing else has its answer after `AI:`. */
function textFormatReader(tools: readonly ToolSpec[]): ReplyReader {
  return new LabelReader({ parse: readReply }, tools, ({ weak, word }) => !weak || word === "AI");
}

const textAnswer = "Do I need to use a tool? No\nAI: your words to the human";

// The JSON format

function jsonWording({ tools, toolNames, examples, chatHistory }: PromptParts): string {
  return paragraphs(
    "You are a helpful assistant who talks with a human. You answer questions, hold a conversation, and use tools where " +
      "they help.",
    tools && `Tools:\n\n${tools}`,
    "Reply with one JSON blob in a markdown code block, and nothing else, in one of these formats.",
    tools && `To use a tool; "action" must be one of ${toolNames}:\n\n${blob("$TOOL_NAME", "$INPUT")}`,
    `To say something to the human:\n\n${blob("Final Answer", "[your response here]")}`,
    examples && `Examples:\n\n${examples}`,
    chatHistory && `The conversation so far:\n${chatHistory}`,
  );
}

function conversation(view: PromptView, preamble: string): BaseMessage[] {
  const steps = view.intermediateSteps.flatMap((step) => [
    new AIMessage(writtenStep(step) || blob("", "")),
    new HumanMessage(`TOOL RESPONSE:\n${observationText(step)}\n\nGo on with one JSON blob, and nothing else.`),
  ]);
  return [...systemMessages(view), new HumanMessage(paragraphs(preamble, questionText(view, "Human"))), ...steps];
}

function blob(action: string, input: unknown): string {
  return actionBlob(action, input, "json");
}

function jsonExample([tool]: readonly ToolSpec[]): string | undefined {
  return tool && blob(tool.name, exampleInput(tool));
}
