import { HumanMessage } from "@langchain/core/messages";
import type { IntermediateStep, ParsedReply, Reply } from "../decision.js";
import {
  chatHistoryText,
  describeTools,
  observationOf,
  paragraphs,
  systemMessages,
  toolNames,
} from "./prompt-parts.js";
import type { PromptView, Protocol, ToolSpec } from "./protocol.js";
import { takesPlainText } from "./tool-input.js";

/** What a wording of the react prompt may say: each part is text ready to be shown, empty when there is nothing. */
export interface ReactPromptParts {
  /** The tools, one to a line. */
  readonly tools: string;
  /** The tools' names, separated by commas. */
  readonly toolNames: string;
  /** The examples given in {@link ReactOptions.examples}. */
  readonly examples: string;
  /** The earlier conversation, when the question needs it. */
  readonly chatHistory: string;
}

export interface ReactOptions {
  /** Worked examples, each a whole transcript from `Question:` to `Final Answer:`. None by default. */
  readonly examples?: readonly string[];
  /** Replaces all that stands above the question. The format it asks for must stay the one of the default wording. */
  readonly wording?: (parts: ReactPromptParts) => string;
}

/**
 * Zero-shot ReAct: thought, action, observation in one growing text, for models without native tool calls
 * (the prompt of the seeds and of LangChain's zero-shot agent; the idea is Yao et al. 2022, arXiv:2210.03629).
 */
export function react({ examples = [], wording = defaultWording }: ReactOptions = {}): Protocol {
  return {
    name: "react",
    stop: ["\nObservation:"],
    answerMarkers: ["Final Answer:"],
    render: (view) => render(view, examples, wording),
    parse,
    exampleReply,
  };
}

// The prompt

function defaultWording({ tools, toolNames, examples, chatHistory }: ReactPromptParts): string {
  return paragraphs(
    `Answer the following questions as best you can.${tools && " You have access to the following tools:"}`,
    tools,
    "Use the following format:",
    tools ? formatWithTools(toolNames) : formatWithoutTools,
    examples && `Examples:\n\n${examples}`,
    chatHistory && `The conversation so far:\n${chatHistory}`,
    "Begin!",
  );
}

function formatWithTools(toolNames: string): string {
  return `Question: the input question you must answer
Thought: you should always think about what to do
Action: the action to take, should be one of [${toolNames}]
Action Input: the input to the action
Observation: the result of the action
... (this Thought/Action/Action Input/Observation can repeat N times)
Thought: I now know the final answer
Final Answer: the final answer to the original input question`;
}

const formatWithoutTools = `Question: the input question you must answer
Thought: you should always think about what to say
Final Answer: the final answer to the original input question`;

function render(view: PromptView, examples: readonly string[], wording: (parts: ReactPromptParts) => string) {
  const preamble = wording({
    tools: describeTools(view.tools),
    toolNames: toolNames(view.tools),
    examples: examples.join("\n\n"),
    chatHistory: chatHistoryText(view),
  });
  const scratchpad = view.intermediateSteps.map(stepText).join("");
  return [
    ...systemMessages(view),
    new HumanMessage(`${preamble}\n\nQuestion: ${view.question}\nThought:${scratchpad}`),
  ];
}

function stepText(step: IntermediateStep): string {
  return `${step.reply.text.trimEnd()}\nObservation: ${observationOf(step)}\nThought:`;
}

function exampleReply([tool]: readonly ToolSpec[]): string {
  if (tool === undefined) return "I now know the final answer\nFinal Answer: the answer to the question";
  const input = takesPlainText(tool) ? "the input" : "{}";
  return `I need to use ${tool.name}\nAction: ${tool.name}\nAction Input: ${input}`;
}

// The parser

function parse(reply: Reply | string, tools: readonly (ToolSpec | string)[]): ParsedReply {
  const text = typeof reply === "string" ? reply : reply.text;
  const names = tools.map((tool) => (typeof tool === "string" ? tool : tool.name));
  const action = text.indexOf("Action:");
  const input = text.indexOf("\nAction Input:", action);
  const answer = text.indexOf("Final Answer:");
  if (action >= 0 && input >= 0 && (answer < 0 || action < answer)) {
    const observation = text.indexOf("\nObservation", input);
    const written = text.slice(action + "Action:".length, input).trim();
    const tool = names.find((name) => name.toLowerCase() === written.toLowerCase()) ?? written;
    const toolInput = text.slice(input + "\nAction Input:".length, observation < 0 ? undefined : observation).trim();
    return { kind: "action", actions: [{ tool, toolInput: toolInput.replaceAll(/^"|"$/g, ""), log: text }] };
  }
  if (answer >= 0) return { kind: "finish", output: text.slice(answer + "Final Answer:".length).trim() };
  return { kind: "unparseable", why: "It has neither an Action with its Action Input nor a Final Answer." };
}
