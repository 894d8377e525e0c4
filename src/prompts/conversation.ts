import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { blocksOf, contentText } from "../content/content.js";
import type { ContentBlock } from "../content/content-block.js";
import { type FilesTaken, filesIn, sentFile } from "../content/file-block.js";
import { messagesAfter, questionIn, writersOf } from "../core/nodes/remember.js";
import { type FoundResult, Results } from "../core/nodes/steps-in-messages.js";
import { textOf } from "../core/state/chat-history.js";
import { type IntermediateStep, writeCall } from "../core/state/decision.js";
import type { PromptRecord } from "../core/state/prompt-record.js";
import { observationId } from "../core/state/reply-id.js";
import type { AgentStateValues } from "../core/state/state.js";
import { withContent } from "../langgraph/message-form.js";
import { paused } from "../provider-forms/finish-reason.js";
import { noWords } from "../provider-forms/form-for.js";
import { noteOnEnd, writeSaid } from "./chat-history-text.js";
import { correctionsOf } from "./corrections.js";
import { shownParts, type TextLimits } from "./long-text.js";
import { isLong, shortenedText } from "./shortened-view.js";

/** What a native prompt shows beside the messages of the state. */
interface Shown {
  /** The steps of the turn, with the request for the last reply. Only their corrections are looked at. */
  readonly steps: readonly IntermediateStep[];
  readonly prompt: Pick<PromptRecord, "model" | "name" | "files" | "fileForm" | "tools" | "refuses">;
  /** The ids of the actions whose results are shown in their first words. */
  readonly shortened: ReadonlySet<string>;
  /** How much of a result is shown. */
  readonly limits: TextLimits;
  /** The number of the oldest turns in the chat history that are left out. */
  readonly turnsLeftOut: number;
}

/**
 * Returns the conversation of a prompt with native calls: the messages of the state as they stand, from where the memory reaches.
 * Beside them stand the corrections of this turn and its standalone question. What servers demand is kept: results stand right
 * after their calls, and the last message is not the model's own.
 */
export function conversation(state: AgentStateValues, shown: Shown): BaseMessage[] {
  const messages = shownMessages(state, shown);
  const results = new Results(messages);
  const corrections = correctionsOf(shown.steps);
  const notes = notesByMessage(state);
  const isForeign = foreignTo(state, shown.prompt);
  const marks = marksOf(state);
  let inTurn = shown;
  const said: BaseMessage[] = [];
  for (const [place, message] of messages.entries()) {
    const mark = marks.get(message.id ?? "");
    if (mark !== undefined) inTurn = { ...shown, limits: { ...shown.limits, mark } };
    said.push(...(corrections.byReply.get(message.id) ?? []));
    const found = results.of(message, place).sort((one, other) => one.place - other.place || 0);
    if (!results.areShown(message)) said.push(...told(message, found, inTurn, isForeign));
    said.push(...(notes.get(message.id ?? "") ?? []));
  }
  said.push(...corrections.newest);
  const { finishReason, model } = shown.steps.at(-1)?.reply ?? {};
  // Another model does not go on with words that it did not write.
  const isPaused = finishReason === paused && model === shown.prompt.model;
  const whole = isPaused ? said : endedByOthers(said);
  return shown.prompt.refuses.includes("question-after-result") ? withPauses(whole) : whole;
}

/** Returns the marks of the turns that a prompt shows, by the ids of the messages of their questions. */
export function marksOf({ turn, chatHistory }: Pick<AgentStateValues, "turn" | "chatHistory">): Map<string, string> {
  const marks = new Map(chatHistory.turns.flatMap(({ id, mark }) => (mark ? [[id, mark] as const] : [])));
  return marks.set(turn.message.id, turn.mark);
}

/** Returns the messages from where the memory reaches, and all system messages. */
function shownMessages({ messages, chatHistory, turn }: AgentStateValues, { turnsLeftOut }: Shown): BaseMessage[] {
  const { turns, steps = turns.length, upTo } = chatHistory;
  const bare = new Set(turns.slice(0, Math.max(0, turns.length - steps)).map(({ id }) => id));
  const from = turnsLeftOut === 0 ? upTo : turns[turnsLeftOut - 1]?.end;
  let isBare = false;
  return [
    ...messages.filter((message) => message.getType() === "system"),
    ...messagesAfter(messages, from).filter((message) => {
      const type = message.getType();
      if (type === "human") isBare = bare.has(String(message.id)) && message.id !== turn.message.id;
      const isStep = type === "tool" || (AIMessage.isInstance(message) && Boolean(message.tool_calls?.length));
      return type !== "system" && !(isBare && isStep);
    }),
  ];
}

/** Returns a message and its results as the model is told of them. */
function told(
  message: BaseMessage,
  results: readonly FoundResult[],
  shown: Shown,
  isForeign: (message: AIMessage) => Foreign,
): BaseMessage[] {
  const found = results.map((result) => result.message);
  const { prompt, shortened } = shown;
  if (ToolMessage.isInstance(message)) return [new HumanMessage(writeSaid([message]))];
  if (!AIMessage.isInstance(message)) return [withFiles(message, prompt)];
  const { tool_calls: calls = [] } = message;
  const foreign = isForeign(message);
  if (foreign === "another-agent" || (calls.length > 0 && (foreign === "unsigned" || prompt.tools.length === 0))) {
    return asText(message, found, foreign);
  }
  const isPlain = foreign === "another-model" || prompt.refuses.includes("reply-blocks");
  const own = isPlain ? plainMessage(message) : message;
  if (calls.length === 0 && own.content.length === 0) return [];
  return [own, ...found.map((result) => shownResult(result, shown)), ...fileMessages(found, prompt, shortened)];
}

/** Tells a message and its results as text. Words of the agent itself stay its own. */
function asText(message: AIMessage, found: readonly ToolMessage[], foreign: Foreign): BaseMessage[] {
  const isOwn = foreign !== "another-agent";
  const words = textOf(message).trim();
  const calls = (message.tool_calls ?? []).map(writeCall);
  const text = [...(isOwn ? [] : [writeSaid([message])]), ...(isOwn ? calls : []), writeSaid(found)];
  const lines = text.filter((line) => line !== "").join("\n");
  return [...(isOwn && words !== "" ? [new AIMessage(words)] : []), ...(lines === "" ? [] : [new HumanMessage(lines)])];
}

/**
 * The reason why a message is not sent as it came: another agent or another model wrote it. `unsigned` is a call of this turn that
 * lacks what a reasoning model signs, because another model made it or it was changed.
 */
type Foreign = "another-agent" | "another-model" | "unsigned" | undefined;

/** Returns a function that tells why a message is not sent to a model as it came. */
function foreignTo(
  { messages, turn, chatHistory, intermediateSteps }: AgentStateValues,
  { model, name, refuses }: Shown["prompt"],
): (message: AIMessage) => Foreign {
  const replies = intermediateSteps.map(({ reply }) => reply);
  const changed = new Set(replies.flatMap(({ id, changed }) => (changed ? [id] : [])));
  const writers = [...chatHistory.turns.flatMap((turn) => turn.writers ?? []), ...writersOf(intermediateSteps, null)];
  const byReply = new Map(writers.map((writer) => [writer.from, writer.model]));
  const current = new Set<BaseMessage>(messagesAfter(messages, turn.message.id));
  // The message from which on a model wrote may not be shown.
  const writerOf = new Map<string, string | undefined>();
  let writer: string | undefined;
  for (const { id = "" } of messages) {
    writer = byReply.get(id) ?? byReply.get(id.replace(/-answer$/, "")) ?? writer;
    writerOf.set(id, writer);
  }
  return (message) => {
    const { id = "" } = message;
    const writer = writerOf.get(id);
    if (message.name !== undefined && message.name !== name) return "another-agent";
    const isOther = writer !== undefined && writer !== model;
    if (refuses.includes("unsigned-calls") && current.has(message) && (isOther || changed.has(id))) return "unsigned";
    return isOther ? "another-model" : undefined;
  };
}

/** Returns the text and the calls of a message. A signature is good only for the model that gave it. */
function plainMessage({ id, name, text, tool_calls = [] }: AIMessage): AIMessage {
  return new AIMessage({ ...(id && { id }), ...(name && { name }), content: text, tool_calls });
}

function withFields(message: ToolMessage, fields: Pick<ToolMessage, "content">): ToolMessage {
  const { id, name, tool_call_id, status, additional_kwargs } = message;
  return new ToolMessage({ id, name, tool_call_id, status, additional_kwargs, ...fields });
}

/** Returns a result as it is shown: whole, as text if its blocks are not taken, or in its first words. */
function shownResult(message: ToolMessage, { prompt: { refuses }, shortened, limits }: Shown): ToolMessage {
  const { content } = message;
  const isShort = shortened.has(observationId(message)) && isLong(textOf(message));
  const text = typeof content === "string" ? content : contentText(blocksOf(message));
  if (isShort) return withFields(message, { content: shortenedText(text) });
  const isTaken = blocksOf(message).every(({ type }) => type === "text" && !refuses.includes("result-blocks"));
  return withCut(isTaken ? message : withFields(message, { content: text }), limits, refuses);
}

/** Returns a result as far as its limits let it be shown. The notice is a block of its own. */
function withCut(message: ToolMessage, limits: TextLimits, refuses: PromptRecord["refuses"]): ToolMessage {
  if (limits.most === undefined && limits.cut === undefined) return message;
  const blocks = typeof message.content === "string" ? [{ type: "text", text: message.content }] : blocksOf(message);
  const made = blocks.flatMap((block) => {
    const text = typeof block.text === "string" ? block.text : "";
    const { parts, notice } = shownParts(text, observationId(message), limits);
    const [head, tail] = parts;
    return tail === undefined ? [block] : [head, notice, tail].map((text) => ({ ...block, text }));
  });
  if (made.length === blocks.length) return message;
  return withFields(message, { content: refuses.includes("result-blocks") ? contentText(made) : made });
}

/** Shows the files in results. Most servers take only text in a tool message, so a human one has them. */
function fileMessages(
  results: readonly ToolMessage[],
  taken: FilesTaken,
  shortened: ReadonlySet<string>,
): HumanMessage[] {
  const content = results.flatMap((message) => {
    const found = shortened.has(observationId(message)) ? [] : filesIn(blocksOf(message), taken);
    return found.length === 0 ? [] : [{ type: "text" as const, text: `${message.name} returned:` }, ...found];
  });
  return content.length === 0 ? [] : [new HumanMessage({ content })];
}

/** Questions as they were shown, with what was taken of their files. The estimates and digests of messages are kept with them. */
const shownQuestions = new WeakMap<BaseMessage, { readonly kinds: string; readonly shown: BaseMessage }>();

/**
 * Returns a question with its files in the form that the model accepts. Files that the model does not accept are described in
 * words.
 */
function withFiles(message: BaseMessage, taken: FilesTaken): BaseMessage {
  const blocks = blocksOf(message);
  if (blocks.every(({ type }) => type === "text")) return message;
  const kinds = [taken.fileForm, ...taken.files].join();
  const known = shownQuestions.get(message);
  if (known?.kinds === kinds) return known.shown;
  const shown = withContent(
    message,
    blocks.map((block) => shownBlock(block, taken)),
  );
  // The packages convert blocks under this version on their own, and leave out all others.
  shown.response_metadata = { ...message.response_metadata, output_version: undefined };
  shownQuestions.set(message, { kinds, shown });
  return shown;
}

function shownBlock(block: ContentBlock, taken: FilesTaken): ContentBlock {
  const sent = typeof block.text === "string" ? undefined : sentFile(block, taken);
  return sent ?? (block.type === "text" ? block : { type: "text", text: contentText([block]) });
}

/** Returns the files of the questions in a prompt, as the model takes them. */
export function questionFiles(state: AgentStateValues, shown: Shown): ContentBlock[] {
  return shownMessages(state, shown)
    .filter((message) => message.getType() === "human")
    .flatMap((message) => blocksOf(withFiles(message, shown.prompt)))
    .filter(({ text }) => text === undefined);
}

/** Returns what stands after messages of the state: the standalone question, and the note on the end of a turn. */
function notesByMessage({
  messages,
  turn,
  question,
  chatHistory,
}: AgentStateValues): ReadonlyMap<string, BaseMessage[]> {
  const ends = chatHistory.turns.map(({ end, stopReason }) => [end, noteOnEnd(stopReason)] as const);
  const isAsked = questionIn({ messages, turn }) !== undefined;
  const asked = question === turn.asked ? undefined : `The question in full: ${question}`;
  const inFull = isAsked ? asked : question;
  const notes = [...ends, [turn.message.id, inFull] as const];
  return new Map(notes.flatMap(([id, note]) => (note ? [[id, [new HumanMessage(note)]] as const] : [])));
}

/** Puts words of the model between a result and a question. */
function withPauses(said: readonly BaseMessage[]): BaseMessage[] {
  return said.flatMap((message, n) => {
    const isAfterResult = message.getType() === "human" && ToolMessage.isInstance(said[n - 1]);
    return isAfterResult ? [new AIMessage(noWords), message] : [message];
  });
}

/**
 * A prompt that ends with a message of the model asks the server to continue that message. So the message is told as text
 * instead.
 */
function endedByOthers(said: readonly BaseMessage[]): BaseMessage[] {
  const last = said.findLastIndex((message) => !AIMessage.isInstance(message) || message.tool_calls?.length);
  const trailing = said.slice(last + 1);
  const told = writeSaid(trailing);
  return [...said.slice(0, last + 1), ...(told === "" ? [] : [new HumanMessage(`Since then:\n${told}`)])];
}
