import { paragraphs } from "../base/paragraphs.js";
import type { Protocol } from "../core/parts/protocol.js";
import type { ToolSpec } from "../tool-inputs/tool-spec.js";
import { exampleInput } from "./prompt/example-input.js";
import { jsonActionGrammar } from "./prompt/grammars.js";
import {
  actionBlob,
  type PromptOptions,
  type PromptParts,
  reactForm,
  type TranscriptForm,
  transcriptPrompt,
} from "./prompt/prompt-parts.js";
import { readReply } from "./reading/read-reply.js";

/**
 * Makes a ReAct protocol with one JSON blob for each action (LangChain's structured chat agent). Its tools can take
 * several arguments.
 *
 * @param options.wording Replaces the text above the question.
 * @throws InvalidOptionError when an option does not exist or has a wrong value.
 */
export function structuredChat(options: PromptOptions = {}): Protocol {
  return {
    name: "structured-chat",
    ...transcriptPrompt("structuredChat", options, { form, wording }),
    stop: ["\nObservation:"],
    parse: (reply, tools) => readReply(reply, tools, { objectInputs: true }),
    exampleReply,
    grammar: jsonActionGrammar,
    exampleAnswer: `I know what to respond\nAction:\n${actionBlob("Final Answer", "the answer to the question")}`,
  };
}

// The prompt

function wording({ tools, toolNames, examples, chatHistory }: PromptParts): string {
  return paragraphs(
    `Respond to the human as helpfully and accurately as possible.${tools && " You have access to the following tools:"}`,
    tools,
    `Write each action as a JSON blob with an "action" key (${tools ? "the tool's name, or " : ""}"Final Answer") and an ` +
      `"action_input" key. Valid "action" values: "Final Answer"${toolNames && ` or ${toolNames}`}. Give one action per blob:`,
    '```\n{\n  "action": $TOOL_NAME,\n  "action_input": $INPUT\n}\n```',
    "Follow this format:",
    tools ? `${questionFormat}\n${actionFormat}\n${answerFormat}` : `${questionFormat}\n${answerFormat}`,
    examples && `Examples:\n\n${examples}`,
    chatHistory && `The conversation so far:\n${chatHistory}`,
    "Begin! Always respond with a valid JSON blob of a single action.",
  );
}

const questionFormat = "Question: the input question to answer";
const actionFormat = `Thought: consider the previous and the next steps
Action:
\`\`\`
$JSON_BLOB
\`\`\`
Observation: the result of the action
... (this Thought/Action/Observation can repeat N times)`;
const answerFormat = `Thought: I know what to respond
Action:
${actionBlob("Final Answer", "Final response to human")}`;

const form: TranscriptForm = {
  ...reactForm,
  writeAction: ({ tool, toolInput }) => `Action:\n${actionBlob(tool, toolInput)}`,
};

function exampleReply([tool]: readonly ToolSpec[]): string | undefined {
  return tool && `I should use ${tool.name}\nAction:\n${actionBlob(tool.name, exampleInput(tool))}`;
}
