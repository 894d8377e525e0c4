import { paragraphs } from "../base/paragraphs.js";
import type { Protocol, ReplyGrammar } from "../core/parts/protocol.js";
import type { ToolSpec } from "../tool-inputs/tool-spec.js";
import { exampleInput } from "./prompt/example-input.js";
import { replyGrammar, toolCallRule } from "./prompt/grammars.js";
import {
  inputAsText,
  type PromptOptions,
  type PromptParts,
  reactForm,
  transcriptPrompt,
} from "./prompt/prompt-parts.js";
import { readReply } from "./reading/read-reply.js";

/**
 * Makes the zero-shot ReAct protocol, for models without native tool calls. Thoughts, actions and observations form one
 * growing text. The prompt is that of the seeds and of LangChain's zero-shot agent. The idea comes from Yao et al.
 * 2022, arXiv:2210.03629. The parser also reads the paper's own dialect, `Action 1: Search[…]` and `Finish[…]`.
 *
 * @param options.wording Replaces the text above the question.
 * @returns A protocol for the `protocol` option of an agent. It keeps no state, so several agents may share it.
 * @throws InvalidOptionError when an option does not exist or has a wrong value.
 * @example
 * createAgent({ model, tools, protocol: react({ wording: ({ tools }) => `Answer with these tools:\n${tools}` }) });
 */
export function react(options: PromptOptions = {}): Protocol {
  return {
    name: "react",
    ...transcriptPrompt("react", options, { form: reactForm, wording }),
    stop: ["\nObservation:"],
    parse: readReply,
    exampleReply,
    grammar,
    exampleAnswer: "I now know the final answer\nFinal Answer: the answer to the question",
  };
}

// The prompt

function wording({ tools, toolNames, examples, chatHistory }: PromptParts): string {
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
Thought: you should always think about what to do
Final Answer: the final answer to the original input question`;

function exampleReply([tool]: readonly ToolSpec[]): string | undefined {
  return tool && `I should use ${tool.name}\nAction: ${tool.name}\nAction Input: ${inputAsText(exampleInput(tool))}`;
}

function grammar(tools: readonly ToolSpec[]): ReplyGrammar {
  const thought = '" " line "\\n"';
  return replyGrammar(tools, {
    act: `${thought} "Action: " ${toolCallRule(tools, "\nAction Input: ")}`,
    answer: `${thought} "Final Answer: " text`,
  });
}
