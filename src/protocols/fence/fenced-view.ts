import { isDeepStrictEqual } from "node:util";
import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { Passage, PromptView, Protocol, ViewFence } from "../../core/parts/protocol.js";
import type { ChatHistory } from "../../core/state/chat-history.js";
import type { IntermediateStep } from "../../core/state/decision.js";
import { withContent } from "../../langgraph/message-form.js";
import { readableResults, shownParts, type TextLimits } from "../../prompts/long-text.js";
import { namesIn } from "../../tool-inputs/parameters.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import { type Fence, fence, isPlain } from "./fence.js";

/**
 * Returns a view in which all text from outside is fenced: the question, the chat history, the messages, the observations, and
 * the descriptions of tools from elsewhere. The user's instructions and examples, and the model's own words in a step, stay as
 * they are.
 */
export function fencedView(view: PromptView, protocol: Protocol, { mark, marks, ...limits }: ViewFence): PromptView {
  const { tools } = view;
  const known = { mark, protocol, tools };
  const shown = { mark, ...limits, readable: readableResults(tools, view.intermediateSteps) };
  return {
    ...view,
    question: fencedQuestion(view.question, known),
    ...(view.standalone !== undefined && { standalone: fencedQuestion(view.standalone, known) }),
    chatHistory: fencedHistory(view.chatHistory, known),
    ...(view.messages && { messages: fencedMessages(view.messages, known, marks) }),
    intermediateSteps: view.intermediateSteps.map((step) => fencedStep(step, known, shown)),
    tools: fencedTools(tools, known),
    ...(view.passages && { passages: fencedPassages(view.passages, known) }),
    ...(view.draft && { draft: fence(view.draft, known) }),
  };
}

/**
 * Returns messages with fenced texts, block by block. Other blocks stay as they are, and so does a message without anything to
 * fence. Each message has the mark of the turn whose question stands nearest before it.
 */
function fencedMessages(messages: readonly BaseMessage[], known: Fence, marks: ViewFence["marks"]): BaseMessage[] {
  let { mark } = known;
  return messages.map((message) => {
    mark = marks.get(message.id ?? "") || mark;
    const own = { ...known, mark: known.mark && mark };
    return fencedMessage(message, ToolMessage.isInstance(message) ? withToolFence(own, message.name) : own);
  });
}

function fencedMessage(message: BaseMessage, known: Fence): BaseMessage {
  const { content } = message;
  if (typeof content === "string") {
    const text = fenceOnce(message, content, known);
    return text === content ? message : withContent(message, text);
  }
  const blocks = content.map((block) => {
    if (block.type !== "text" || typeof block.text !== "string") return block;
    const text = fenceOnce(message, block.text, known);
    return text === block.text ? block : { ...block, text };
  });
  return blocks.every((block, n) => block === content[n]) ? message : withContent(message, blocks);
}

/** Returns the fence for the results of a tool. A tool with `fence: false` gets one that changes nothing. */
function withToolFence(known: Fence, name: string | undefined): Fence {
  const isOpen = known.tools?.some((tool) => typeof tool !== "string" && tool.name === name && tool.fence === false);
  return isOpen ? { ...known, mark: "" } : known;
}

/** Returns passages with fenced words. */
export function fencedPassages(passages: readonly Passage[], known: Fence): Passage[] {
  return passages.map(({ number, place, text }) => ({
    number,
    place: fence(place.replaceAll(/\s+/g, " "), known),
    text: fence(text, known),
  }));
}

/**
 * Returns a question with fenced words. A `Thought:` at the end gets no mark: people write prompts for a model in this way,
 * and nothing follows but the `Thought:` of the prompt itself.
 */
export function fencedQuestion(question: string, known: Fence): string {
  const [opening = ""] = /\n\s{0,9}Thought:\s{0,9}$/.exec(question.slice(-40)) ?? [];
  return fence(question.slice(0, question.length - opening.length), known) + opening;
}

/** Returns tools with fenced descriptions, if others wrote them. A description without anything to fence stays as it is. */
export function fencedTools(tools: readonly ToolSpec[], known: Fence): ToolSpec[] {
  return tools.map((tool) => {
    const fenced = tool.untrusted && tool.fence !== false ? fencedTool(tool, known) : tool;
    return isDeepStrictEqual(fenced, tool) ? tool : fenced;
  });
}

const spoken =
  /^[ \t]{0,9}(?:Q|A|Human|AI|Summary of what came before|Follow Up Input|Standalone question)[ \t]{0,9}:/gm;

/** Returns the places of labels that stand before the words of a speaker in prompts with a chat history. */
export function spokenPlaces(text: string): number[] {
  return [...text.matchAll(spoken)].map(({ index }) => index);
}

/** Returns a chat history with fenced words. In a text prompt no line of them begins like the words of another speaker. */
export function fencedHistory(history: ChatHistory, known: Fence): ChatHistory {
  return {
    ...history,
    summary: fenceSpoken(history.summary, known),
    turns: history.turns.map((turn) => {
      const own = { ...known, mark: known.mark && (turn.mark || known.mark) };
      const { steps } = turn;
      return {
        ...turn,
        question: fenceOnce(turn, turn.question, own, fenceSpoken),
        ...(steps !== undefined && { steps: fenceOnce(turn, steps, own, fenceSpoken) }),
        answer: fenceOnce(turn, turn.answer, own, fenceSpoken),
      };
    }),
  };
}

/** Fences what somebody said, and the labels of speakers in it. */
function fenceSpoken(text: string, { protocol = {}, ...known }: Fence): string {
  const labelsIn: NonNullable<Protocol["labelsIn"]> = (said, tools) => [
    ...spokenPlaces(said),
    ...(protocol.labelsIn?.(said, tools) ?? []),
  ];
  return fence(text, { ...known, protocol: protocol.nativeTools ? protocol : { ...protocol, labelsIn } });
}

function fencedStep(step: IntermediateStep, known: Fence, limits: TextLimits): IntermediateStep {
  const results = step.results.map((result) => {
    const { tool, id } = result.action;
    const { parts, notice } = shownParts(result.observation, id, limits);
    const own = withToolFence(known, tool);
    const observation = parts.map((part) => fenceOnce(result, part, own)).join(`\n${notice}\n`);
    return { ...result, observation, ...(result.note && { note: fenceOnce(result, result.note, known) }) };
  });
  return { ...step, results };
}

/**
 * Returns the description of a tool, with all its texts fenced. (The marks that a model copies are removed from its reply.)
 * Names in the schema are not fenced, as calls need them, and neither are texts equal to a name, as in `required`.
 */
function fencedTool(tool: ToolSpec, known: Fence): ToolSpec {
  const { parameters } = tool;
  const names = new Set(namesIn(parameters));
  return {
    ...tool,
    description: fence(tool.description, known),
    ...(parameters && { parameters: fencedTexts(parameters, names, known) }),
  };
}

function fencedTexts<Value>(value: Value, names: ReadonlySet<string>, known: Fence): Value;
function fencedTexts(value: unknown, names: ReadonlySet<string>, known: Fence): unknown {
  if (typeof value === "string") return names.has(value) ? value : fence(value, known);
  if (Array.isArray(value)) return value.map((item) => fencedTexts(item, names, known));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fencedTexts(inner, names, known)]));
}

/** The fenced texts of the parts of a state, with the fence they have. They are forgotten with the part. */
const remembered = new WeakMap<object, { readonly known: Fence; readonly texts: Map<string, string> }>();

/**
 * Fences a text of a part of the state, such as an earlier turn. Each prompt of a turn shows the part again, and a fence takes
 * longer to make than to remember.
 */
export function fenceOnce(part: object, text: string, known: Fence, make = fence): string {
  if (isPlain(text, known)) return text;
  let memory = remembered.get(part);
  if (memory === undefined || !isSameFence(memory.known, known)) {
    memory = { known, texts: new Map() };
    remembered.set(part, memory);
  }
  const fenced = memory.texts.get(text) ?? make(text, known);
  memory.texts.set(text, fenced);
  return fenced;
}

function isSameFence(one: Fence, { mark, protocol, tools = [] }: Fence): boolean {
  const others = one.tools ?? [];
  return (
    one.mark === mark &&
    one.protocol === protocol &&
    others.length === tools.length &&
    others.every((tool, index) => tool === tools[index])
  );
}
