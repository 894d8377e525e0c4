import { isDeepStrictEqual } from "node:util";
import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { Passage, PromptView, Protocol, ToolSpec, ViewFence } from "../../core/parts/protocol.js";
import type { ChatHistory, ChatTurn } from "../../core/state/chat-history.js";
import type { IntermediateStep } from "../../core/state/decision.js";
import { withContent } from "../../langgraph/message-form.js";
import { type Fence, fence } from "./fence.js";
import { restReader, shownParts, type TextLimits } from "./long-text.js";

/**
 * Returns a view in which all text from outside is fenced: the question, the chat history, the messages, the observations, and
 * the descriptions of tools from elsewhere. The user's instructions and examples, and the model's own words in a step, stay as
 * they are.
 */
export function fencedView(view: PromptView, protocol: Protocol, { mark, marks, ...limits }: ViewFence): PromptView {
  const { tools } = view;
  const known = { mark, protocol, tools };
  const results = view.intermediateSteps.flatMap((step) => step.results);
  const canRead = tools.some(({ name }) => name === restReader);
  const shown = { ...limits, readable: new Set(canRead ? results.map(({ action }) => action.id) : []) };
  return {
    ...view,
    question: fencedQuestion(view.question, known),
    chatHistory: fencedHistory(view.chatHistory, known, marks),
    ...(view.messages && { messages: fencedMessages(view.messages, known, marks, shown) }),
    intermediateSteps: view.intermediateSteps.map((step) => fencedStep(step, known, shown)),
    tools: fencedTools(tools, known),
    ...(view.passages && { passages: fencedPassages(view.passages, known) }),
    ...(view.draft && { draft: fence(view.draft, known) }),
  };
}

type Marks = ViewFence["marks"];

/**
 * Returns messages with fenced texts, block by block. Other blocks stay as they are, and so does a message without anything to
 * fence. Each message has the mark of the turn whose question stands nearest before it.
 */
function fencedMessages(messages: readonly BaseMessage[], known: Fence, marks: Marks, limits: TextLimits) {
  let { mark } = known;
  return messages.map((message) => {
    mark = markOf([message.id ?? ""], marks) ?? mark;
    const own = { ...known, mark: known.mark && mark };
    return withTexts(message, (text, n) =>
      fencedTexts(message, text, own, n === 0 ? limits : { ...limits, readable: none }),
    );
  });
}

/** The place that a notice names is one in the first block. */
const none: ReadonlySet<string> = new Set();

/** Returns the mark of a turn. A turn of an agent without a fence has none. */
function markOf(questions: readonly string[], marks: Marks): string | undefined {
  return questions.map((id) => marks.get(id)).find((mark) => mark);
}

function fencedTexts(message: BaseMessage, text: string, known: Fence, limits: TextLimits): string[] {
  if (!ToolMessage.isInstance(message)) return [fenceOnce(message, text, known)];
  const { parts, notice } = shownParts(text, resultId(message), limits);
  const own = withToolFence(known, message.name);
  const [head = "", ...tail] = parts.map((part) => fenceOnce(message, part, own));
  return notice === "" ? [head] : [head, writtenNotice(notice, known.mark), ...tail];
}

/** Returns the id of the action whose result a message has. */
function resultId({ id, tool_call_id }: ToolMessage): string {
  return id?.replace(/-observation$/, "") ?? tool_call_id;
}

/** Returns a message with other texts. The texts of one text become blocks, if there are several. */
function withTexts(message: BaseMessage, texts: (text: string, block: number) => readonly string[]): BaseMessage {
  const { content } = message;
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const made = blocks.flatMap((block, n) => {
    if (block.type !== "text" || typeof block.text !== "string") return [block];
    const shown = texts(block.text, n);
    return shown.length === 1 && shown[0] === block.text ? [block] : shown.map((text) => ({ ...block, text }));
  });
  if (made.length === blocks.length && made.every((block, n) => block === blocks[n])) return message;
  const [only] = made;
  return withContent(message, typeof content === "string" && made.length === 1 ? String(only?.text) : made);
}

/** Returns the fence of what a tool says. It is none for a tool with `fence: false`. */
function withToolFence(known: Fence, name: string | undefined): Fence {
  const isOpen = known.tools?.some((tool) => typeof tool !== "string" && tool.name === name && tool.fence === false);
  return isOpen ? { ...known, mark: "" } : known;
}

/** Writes what is left out of a text. The mark tells the notice from words of the text. */
function writtenNotice(notice: string, mark: string): string {
  return `${mark}[${notice}]${mark}`;
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
 * Returns a question with fenced words. A `Thought:` may end it: people write prompts for a model so, and nothing follows it but
 * the `Thought:` of the prompt.
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

/**
 * Returns a chat history with fenced words. In a text prompt no line of them begins like the words of another speaker.
 *
 * @param marks The marks of its turns, if these are kept. Default: all have the mark of the fence.
 */
export function fencedHistory(history: ChatHistory, known: Fence, marks: Marks = new Map()): ChatHistory {
  const fencedTurn = (turn: ChatTurn): ChatTurn => {
    const mark =
      markOf(
        turn.messages.map(({ id }) => id),
        marks,
      ) ?? known.mark;
    const own = { ...known, mark: known.mark && mark };
    const said = (text: string) => fenceOnce(turn, text, own, fenceSpoken);
    return { ...turn, standalone: said(turn.standalone), answer: said(turn.answer) };
  };
  return { ...history, summary: fenceSpoken(history.summary, known), turns: history.turns.map(fencedTurn) };
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
    const observation = parts
      .map((part) => fenceOnce(result, part, own))
      .join(`\n${writtenNotice(notice, known.mark)}\n`);
    return { ...result, observation, ...(result.note && { note: fenceOnce(result, result.note, known) }) };
  });
  return { ...step, results };
}

/** Returns the description of a tool, with fenced words. The names in its schema stay, as calls need them. */
function fencedTool(tool: ToolSpec, known: Fence): ToolSpec {
  const { parameters } = tool;
  return {
    ...tool,
    description: fence(tool.description, known),
    ...(parameters && { parameters: fencedWords(parameters, known) }),
  };
}

function fencedWords<Value>(value: Value, known: Fence): Value;
function fencedWords(value: unknown, known: Fence): unknown {
  if (Array.isArray(value)) return value.map((item) => fencedWords(item, known));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const says = (key === "description" || key === "title") && typeof inner === "string";
      return [key, says ? fence(inner, known) : fencedWords(inner, known)];
    }),
  );
}

/** The fenced texts of the parts of a state, with the fence they have. They are forgotten with the part. */
const remembered = new WeakMap<object, { readonly known: Fence; readonly texts: Map<string, string> }>();

/**
 * Fences a text of a part of the state, such as an earlier turn. Each prompt of a turn shows the part again, and a fence takes
 * longer to make than to remember.
 */
export function fenceOnce(part: object, text: string, known: Fence, make = fence): string {
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
