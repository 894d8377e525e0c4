import type { ParsedReply, Reply, ToolInput } from "../decision.js";
import { type ActionLine, looksLikeAction, readActionLine, saysNone } from "./action-line.js";
import { answerText, type CallBlob } from "./call-blob.js";
import { type CutCall, type FoundCall, findCall } from "./find-call.js";
import { inputText, withoutDanglingMarks, withoutWaiting } from "./input-text.js";
import { JsonReader } from "./json-blob.js";
import { isPlaceholder } from "./placeholders.js";
import { isPlainAnswer } from "./plain-answer.js";
import type { ToolSpec } from "./protocol.js";
import { type ReplyText, replyText } from "./reply-text.js";
import { type Section, splitSections } from "./sections.js";
import { canOmitInput, isRecord } from "./tool-input.js";
import { ToolNames } from "./tool-names.js";

/** How a protocol reads what all prompted protocols share. */
export interface ReadingOptions {
  /** An input that is a JSON object is read as one; otherwise it stays the text that it is. */
  readonly objectInputs?: boolean;
}

/** A reply under the eyes of its reader. */
interface Reading {
  readonly reply: ReplyText;
  readonly sections: readonly Section[];
  readonly tools: readonly (ToolSpec | string)[];
  readonly names: ToolNames;
  readonly options: ReadingOptions;
  /** See {@link findFirmLater}. */
  readonly firmLater: readonly boolean[];
}

/**
 * What a section says: a step (`whole` when it is known to be complete though the reply was cut), or what is wrong with
 * it. `nothing`: it says itself that there is nothing to do.
 */
type Outcome =
  | { readonly kind: "step"; readonly parsed: ParsedReply; readonly whole: boolean }
  | { readonly kind: "problem"; readonly why: string; readonly nothing?: boolean };

/**
 * Reads the reply of a prompted model: `Action:` with its input, a JSON call, a call in tags, a final answer, or plain
 * words to the user, told apart by what the reply contains. The first complete step counts. What follows an observation
 * the model invented was invented too. Where two readings are as likely, the reply is `unparseable`; so is a reply that
 * the provider cut off, unless what it asks for was complete by then.
 */
export function readReply(
  reply: Reply | string,
  tools: readonly (ToolSpec | string)[],
  options: ReadingOptions = {},
): ParsedReply {
  const spoken = replyText(reply);
  const names = new ToolNames(tools);
  const sections = splitSections(spoken.text, new JsonReader(spoken.text), (line) => looksLikeAction(line, names));
  return decide({ reply: spoken, sections, tools, names, options, firmLater: findFirmLater(sections) });
}

function decide(reading: Reading): ParsedReply {
  let problem: string | undefined;
  let nothing = false;
  for (const [index, section] of reading.sections.entries()) {
    if (section.kind === "observation" && isInvented(reading.sections, index, nothing)) {
      problem ??= "It has an Observation of its own. Observations come from the tools, after an action.";
      break;
    }
    const outcome = readSection(reading, section, index);
    if (outcome?.kind === "step") return unlessCut(reading, outcome);
    problem ??= outcome?.why;
    if (section.kind === "action") nothing = outcome?.nothing ?? false;
  }
  return readWords(reading, problem);
}

/** An observation that begins the reply repeats the one before; after `Action: None` none was invented. */
function isInvented(sections: readonly Section[], index: number, nothing: boolean): boolean {
  return !nothing && sections.slice(0, index).some(({ label, value }) => label !== undefined || value.trim() !== "");
}

function unlessCut({ reply: { cut } }: Reading, { parsed, whole }: Outcome & { kind: "step" }): ParsedReply {
  return cut && !whole ? { kind: "unparseable", why: cutReasons[cut] } : parsed;
}

/** What is said of a reply that the provider ended. */
export const cutReasons = {
  length: "It was cut off at the token limit, before it was complete.",
  content_filter: "The provider's content filter stopped it before it was complete.",
};

function readSection(reading: Reading, section: Section, index: number): Outcome | undefined {
  switch (section.kind) {
    case "text":
    case "thought":
      return readProse(reading, section, index);
    case "action":
      return readAction(reading, section, index);
    case "answer":
      return readAnswer(reading, section, index);
    case "input":
      return reading.sections[index - 1]?.kind === "action"
        ? undefined
        : problem("It has an Action Input, but no Action line that names the tool.");
    default:
      return undefined;
  }
}

function problem(why: string): Outcome {
  return { kind: "problem", why };
}

// Prose

function readProse(reading: Reading, section: Section, index: number): Outcome | undefined {
  const found = findCall(section.value, reading.names);
  const outcome = found && readFound(reading, section, found);
  return outcome ?? (reading.sections[index + 1]?.kind === "answer" ? undefined : readAfterNo(reading, section));
}

/** The conversational agent's "Do I need to use a tool? No", with the answer right after it. */
function readAfterNo({ names }: Reading, { label, value }: Section): Outcome | undefined {
  const text = `${label?.word ?? ""}\n${value}`;
  const match = /do i need to use a tool\?\s{0,9}no\b[.,!:\s]{0,9}/i.exec(text);
  const said = match ? text.slice(match.index + match[0].length).trim() : "";
  const rest = said.replace(/^(?:AI|Assistant)\s{0,9}[:：]\s*/, "");
  return isPlainAnswer(rest, names)
    ? { kind: "step", parsed: { kind: "finish", output: rest }, whole: false }
    : undefined;
}

// JSON and tags

function readFound(reading: Reading, section: Section, found: FoundCall | CutCall): Outcome | undefined {
  if ("cut" in found) return problem("Its JSON breaks off before the end.");
  const { call, whole } = found;
  if (call.kind === "none") return { kind: "problem", why: nothingToDo, nothing: true };
  if (call.kind === "answer") return finish(call.output, whole);
  const end = section.end - section.value.length + found.end;
  return readBlobCall(reading, call, end, whole);
}

const nothingToDo = "It names no tool to use, and gives no final answer either.";

function readBlobCall(reading: Reading, call: CallBlob & { kind: "call" }, end: number, whole: boolean): Outcome {
  const { tool, offered } = call;
  if (!offered && !reading.reply.text.includes(tool)) return problem("It names a tool that there is not.");
  if (call.input === undefined && !canOmitInput(specOf(reading, tool), true)) return problem(noInput(tool));
  if (typeof call.input === "string" && isPlaceholder(call.input)) return problem(copied);
  return act(reading, tool, call.input ?? "", end, whole);
}

const copied = "It copies the instructions, with nothing filled in.";

function noInput(tool: string): string {
  return `It names the tool ${JSON.stringify(tool.slice(0, 100))}, but gives no input for it.`;
}

function specOf({ tools }: Reading, name: string): ToolSpec | string {
  return tools.find((tool) => typeof tool !== "string" && tool.name === name) ?? name;
}

function act({ reply }: Reading, tool: string, toolInput: ToolInput, end: number, whole: boolean): Outcome {
  const log = reply.text.slice(0, end).trimEnd();
  return { kind: "step", parsed: { kind: "action", actions: [{ tool, toolInput, log }] }, whole };
}

function finish(output: string, whole: boolean): Outcome {
  const text = output.trim();
  if (text === "") return problem("Its final answer is empty.");
  if (isPlaceholder(text)) return problem(copied);
  return { kind: "step", parsed: { kind: "finish", output: text }, whole };
}

// Action and Action Input

function readAction(reading: Reading, section: Section, index: number): Outcome | undefined {
  const { value } = section;
  if (/^\s*(?:```\w*\s*)?[{[<]/.test(value)) {
    const found = findCall(value, reading.names);
    const outcome = found && readFound(reading, section, found);
    if (outcome) return outcome;
  }
  const line = readActionLine(withoutDanglingMarks(value), reading.names);
  const input = inputOf(reading.sections, index);
  switch (line.kind) {
    case "none":
      return { kind: "problem", why: nothingToDo, nothing: true };
    case "unclear":
      return readProse(reading, section, index) ?? problem(line.why);
    case "finish":
      return readFinish(reading, line.output, section, input);
    case "tool":
      return readTool(reading, line, section, input);
  }
}

/** The input below an action; or the one above it, in a reply that turns them round. */
function inputOf(sections: readonly Section[], action: number): Section | undefined {
  const [before, above, below] = [sections[action - 2], sections[action - 1], sections[action + 1]];
  if (below?.kind === "input") return below;
  return above?.kind === "input" && before?.kind !== "action" ? above : undefined;
}

/** `Action: Finish` with the answer in brackets, or as the action's input. */
function readFinish(reading: Reading, output: string, action: Section, input?: Section): Outcome {
  const { text } = inputText(withoutWaiting(output || (input?.value ?? "")));
  if (output === "" && saysNone(text)) return { kind: "problem", why: nothingToDo, nothing: true };
  const blob = text.startsWith("{") ? new JsonReader(text).read(text) : undefined;
  return finish(isRecord(blob) ? answerText(blob) : text, isComplete(reading, action, input));
}

function readTool(reading: Reading, line: ActionLine & { kind: "tool" }, action: Section, input?: Section): Outcome {
  const { tool, offered } = line;
  const labelled = input !== undefined && input.value.trim() !== "";
  const written = labelled ? input.value : line.input;
  const complete = isComplete(reading, action, input);
  const end = Math.max(action.end, input?.end ?? 0);
  if (written === undefined) {
    const omitted = (offered || input !== undefined) && canOmitInput(specOf(reading, tool), input !== undefined);
    return omitted ? act(reading, tool, "", end, complete) : problem(noInput(tool));
  }
  const { text, whole, cut } = inputText(withoutWaiting(written));
  if (cut) return problem("The JSON of its input breaks off before the end.");
  if (isPlaceholder(text)) return problem(copied);
  return act(reading, tool, toolInput(reading, text), end, whole || complete);
}

/** Whether an action is known to be whole: something follows it, or it closes the brackets that hold its input. */
function isComplete(reading: Reading, action: Section, input?: Section): boolean {
  const last = input && input.end > action.end ? input : action;
  return followed(reading, last) || (input === undefined && /[)\]]\s*$/.test(action.value.slice(-100)));
}

/** Whether the reply goes on after a section: then the section is complete, wherever the reply was cut. */
function followed({ reply }: Reading, section: Section): boolean {
  return section.end < reply.text.length;
}

function toolInput({ options }: Reading, text: string): ToolInput {
  if (!options.objectInputs || !text.startsWith("{")) return text;
  const value = new JsonReader(text).read(text);
  return isRecord(value) ? value : text;
}

// Answers

function readAnswer(reading: Reading, section: Section, index: number): Outcome | undefined {
  const value = withoutDanglingMarks(ownTurn(section)).trim();
  if (isTentative(reading, section, index)) return undefined;
  if (/^(?:```\w*\s*)?\{/.test(value)) {
    const found = findCall(value, reading.names);
    if (found && !("cut" in found) && (found.call.kind !== "call" || found.call.offered)) {
      return readFound(reading, section, found);
    }
  }
  return finish(value, followed(reading, section));
}

/** A model that speaks as `AI:` may go on as the human. */
function ownTurn({ label, value }: Section): string {
  const next = isSpeaker(label?.word) ? /\n[ \t]{0,9}(?:Human|User|New input)[ \t]{0,9}:/.exec(value) : null;
  return next ? value.slice(0, next.index) : value;
}

function isSpeaker(word = ""): boolean {
  return /^(?:ai|assistant)$/i.test(word);
}

/** `Answer:` is the answer, unless the reply then takes an action or gives its final answer. */
function isTentative({ reply, firmLater }: Reading, { label }: Section, index: number): boolean {
  if (!label?.weak) return false;
  return reply.stillThinking || (firmLater[index] === true && !isSpeaker(label.word));
}

/** For each section, whether a proper action or final answer comes after it and before an observation. */
function findFirmLater(sections: readonly Section[]): boolean[] {
  const firm: boolean[] = new Array(sections.length).fill(false);
  for (let index = sections.length - 2; index >= 0; index -= 1) {
    const next = sections[index + 1];
    const isStep = (next?.kind === "action" || next?.kind === "answer") && next.label?.weak === false;
    firm[index] = isStep || (next?.kind !== "observation" && firm[index + 1] === true);
  }
  return firm;
}

// Nothing but words

function readWords({ reply, sections, names }: Reading, why: string | undefined): ParsedReply {
  const { text, cut, stillThinking } = reply;
  if (cut) return { kind: "unparseable", why: cutReasons[cut] };
  if (text.trim() === "") return { kind: "unparseable", why: "It is empty." };
  if (stillThinking) return { kind: "unparseable", why: "Its thinking never ends: nothing comes after it." };
  if (why !== undefined) return { kind: "unparseable", why };
  if (sections.every((section) => section.kind === "text") && isPlainAnswer(text, names)) {
    return { kind: "finish", output: text.trim() };
  }
  return { kind: "unparseable", why: "It has neither an action to take nor a final answer." };
}
