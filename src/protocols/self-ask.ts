import { paragraphs } from "../base/paragraphs.js";
import type { Protocol, ReplyGrammar } from "../core/parts/protocol.js";
import type { ParsedReply } from "../core/state/decision.js";
import type { ToolSpec } from "../tool-inputs/tool-spec.js";
import { replyGrammar } from "./prompt/grammars.js";
import {
  inputAsText,
  type PromptOptions,
  type PromptParts,
  type TranscriptForm,
  transcriptPrompt,
} from "./prompt/prompt-parts.js";
import { readSelfAsk, selfAskPlaces, selfAskWords } from "./reading/read-self-ask.js";
import { lineLabels } from "./reading/sections/labels.js";
import { LabelReader } from "./streaming/label-reader.js";

/**
 * Makes the protocol of self-ask with search (LangChain's `self-ask-with-search`). The model asks itself follow-up
 * questions, and a search tool answers them. The idea and the examples come from Press et al. 2022, arXiv:2210.03350.
 * Only examples teach the protocol, so give at least one if you replace them with the option `examples` of the agent.
 *
 * The agent needs one tool that answers questions. It is the tool named "Intermediate Answer", the only tool, or the
 * only tool with "search" in its name.
 *
 * @param options.wording Replaces the text above the question.
 * @throws InvalidOptionError when an option does not exist or has a wrong value.
 */
export function selfAsk(options: PromptOptions = {}): Protocol {
  return {
    name: "self-ask",
    ...transcriptPrompt("selfAsk", options, { form, wording, examples: paperExamples }),
    stop: ["\nIntermediate answer:"],
    parse: readSelfAsk,
    labelsIn: selfAskPlaces,
    reader: (tools) => new LabelReader({ parse: readOwn }, tools),
    exampleReply,
    grammar,
    exampleAnswer: "So the final answer is: the answer to the question",
  };
}

/** Reads a reply with a label of self-ask. Without one it may still go on with one: nothing in it is certain. */
function readOwn(reply: string, tools: readonly ToolSpec[]): ParsedReply {
  const hasLabel = lineLabels(reply, selfAskWords).next().done === false;
  return hasLabel ? readSelfAsk(reply, tools) : { kind: "unparseable", why: "It has no label." };
}

// The prompt

function wording({ tools, examples, chatHistory }: PromptParts): string {
  const withoutTools = 'Answer each question yourself, on a line that begins with "So the final answer is:".';
  return paragraphs(tools ? examples : withoutTools, chatHistory && `The conversation so far:\n${chatHistory}`);
}

const paperExamples = [
  `Question: Who lived longer, Muhammad Ali or Alan Turing?
Are follow up questions needed here: Yes.
Follow up: How old was Muhammad Ali when he died?
Intermediate answer: Muhammad Ali was 74 years old when he died.
Follow up: How old was Alan Turing when he died?
Intermediate answer: Alan Turing was 41 years old when he died.
So the final answer is: Muhammad Ali`,
  `Question: When was the founder of craigslist born?
Are follow up questions needed here: Yes.
Follow up: Who was the founder of craigslist?
Intermediate answer: Craigslist was founded by Craig Newmark.
Follow up: When was Craig Newmark born?
Intermediate answer: Craig Newmark was born on December 6, 1952.
So the final answer is: December 6, 1952`,
  `Question: Who was the maternal grandfather of George Washington?
Are follow up questions needed here: Yes.
Follow up: Who was the mother of George Washington?
Intermediate answer: The mother of George Washington was Mary Ball Washington.
Follow up: Who was the father of Mary Ball Washington?
Intermediate answer: The father of Mary Ball Washington was Joseph Ball.
So the final answer is: Joseph Ball`,
  `Question: Are both the directors of Jaws and Casino Royale from the same country?
Are follow up questions needed here: Yes.
Follow up: Who is the director of Jaws?
Intermediate answer: The director of Jaws is Steven Spielberg.
Follow up: Where is Steven Spielberg from?
Intermediate answer: The United States.
Follow up: Who is the director of Casino Royale?
Intermediate answer: The director of Casino Royale is Martin Campbell.
Follow up: Where is Martin Campbell from?
Intermediate answer: New Zealand.
So the final answer is: No`,
];

const form: TranscriptForm = {
  question: ({ question, standalone }) =>
    standalone === undefined ? `Question: ${question}` : `Follow Up Input: ${question}\nQuestion: ${standalone}`,
  opening: "Are follow up questions needed here:",
  observation: "Intermediate answer: ",
  next: "",
  writeAction: ({ toolInput }) => `Follow up: ${inputAsText(toolInput)}`,
};

function exampleReply([tool]: readonly ToolSpec[]): string | undefined {
  return tool && "Follow up: a question that the search can answer";
}

function grammar(tools: readonly ToolSpec[]): ReplyGrammar {
  return replyGrammar(tools, {
    act: '" Yes.\\n"? "Follow up: " line',
    answer: '" No.\\n"? "So the final answer is: " text',
  });
}
