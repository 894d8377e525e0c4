import { isRecord } from "../../base/is-record.js";
import type { ToolInput } from "../../tool-inputs/tool-input.js";
import { canOmitInput } from "../input-forms.js";
import { type ActionLine, readActionLine, saysNone } from "./calls/action-line.js";
import { namedArguments, readArguments, schemasOf } from "./calls/arguments.js";
import { inputText, withoutDanglingMarks, withoutWaiting } from "./calls/call-input.js";
import { unnamed } from "./calls/code-calls.js";
import { findCalls } from "./calls/find-call.js";
import { answerText } from "./calls/json-call.js";
import { JsonReader } from "./calls/json-reader.js";
import { act, copied, finish, followed, noInput, nothing, type Outcome, problem, type Reading } from "./outcome.js";
import { isPlaceholder } from "./placeholders.js";
import { readFound, readProse } from "./read-prose.js";
import type { Section } from "./sections/sections.js";

/** Reads an `Action:` and its input. */
export function readAction(reading: Reading, section: Section, index: number): Outcome | undefined {
  const { value } = section;
  if (/^\s*(?:(?:```|''')\w*\s*)?[{[<]/.test(value)) {
    const found = findCalls(value, reading.names);
    const outcome = found && readFound(reading, section, found, { isLabelled: true });
    if (outcome) return outcome;
  }
  const line = readActionLine(withoutDanglingMarks(value), reading.names);
  const input = inputOf(reading.sections, index);
  switch (line.kind) {
    case "none":
      return nothing;
    case "unclear":
      return readProse(reading, section, index) ?? problem(line.why);
    case "finish":
      return readFinish(reading, line.output, section, input);
    case "tool":
      return readTool(reading, line, section, input);
  }
}

/** Returns the input below an action, or the input above it if the reply has the two in reverse order. */
function inputOf(sections: readonly Section[], action: number): Section | undefined {
  const [before, above, below] = [sections[action - 2], sections[action - 1], sections[action + 1]];
  if (below?.kind === "input") return below;
  return above?.kind === "input" && before?.kind !== "action" ? above : undefined;
}

/** Reads `Action: Finish`. The answer is in brackets, or it is the input of the action. */
function readFinish(reading: Reading, output: string, action: Section, input?: Section): Outcome {
  const { text } = inputText(withoutWaiting(output || (input?.value ?? "")));
  if (output === "" && saysNone(text)) return nothing;
  const blob = text.startsWith("{") ? new JsonReader(text).read(text) : undefined;
  const whole = isComplete(reading, action, input);
  return finish(reading, isRecord(blob) ? answerText(blob) : text, { start: action.start, whole });
}

/** The problem of an action and an input that describe a use of a tool, as in a plan. */
const sentence = "The Action line is a sentence. It must be only the name of a tool, with an Action Input below.";

function readTool(reading: Reading, line: ActionLine & { kind: "tool" }, action: Section, input?: Section): Outcome {
  const { tool, offered } = line;
  const isName = line.input !== undefined || reading.names.match(action.value) === tool;
  if (offered && !isName && /^input$/i.test(input?.label?.word ?? "")) return problem(sentence);
  const labelled = input !== undefined && input.value.trim() !== "";
  const written = labelled ? input.value : line.input;
  const complete = isComplete(reading, action, input);
  const start = Math.min(action.start, input?.start ?? action.start);
  const from = start === action.start ? action.end - action.value.length : start;
  const end = Math.max(action.end, input?.end ?? 0);
  if (written === undefined) {
    const takesNone = Object.keys(schemasOf(reading.names.spec(tool))).length === 0;
    if (offered && !isName && !takesNone) return problem(sentence);
    const omitted = (offered || input !== undefined) && canOmitInput(reading.names.spec(tool) ?? tool);
    const place = { start, end, whole: complete };
    return omitted ? act(reading, [{ tool, toolInput: "", start: from, end }], place) : problem(noInput(tool));
  }
  const { text, whole, cut } = inputText(withoutWaiting(written));
  if (cut) return problem("The JSON of its input breaks off before the end.");
  if (isPlaceholder(text) || isDescription(action, input)) return problem(copied);
  const read = toolInput(reading, tool, text, labelled);
  if (read === undefined) return problem(unnamed(tool));
  return act(reading, [{ tool, toolInput: read, start: from, end }], { start, end, whole: whole || complete });
}

/** Tells whether an action is the description of a tool in the prompt: `Tool Name: search`, `Tool Arguments: {}`. */
function isDescription(action: Section, input: Section | undefined): boolean {
  if (!/^tool[ _-]?name$/i.test(action.label?.word ?? "") || !/^tool[ _-]?arg/i.test(input?.label?.word ?? ""))
    return false;
  return /^\s*\{\s*\}|["'](?:description|type)["']\s*:|\bTool Description\s*:/i.test(input?.value.slice(0, 2000) ?? "");
}

/** Tells whether an action is complete: something follows it, or its brackets are closed. */
function isComplete(reading: Reading, action: Section, input?: Section): boolean {
  const last = input && input.end > action.end ? input : action;
  return followed(reading, last) || (input === undefined && /[)\]]\s*$/.test(action.value.slice(-100)));
}

/**
 * Reads an input by the schema of its tool. The input after a label is text, unless all its arguments have names. The input in
 * brackets is that of a program.
 */
function toolInput(
  { options, names }: Reading,
  tool: string,
  text: string,
  isLabelled: boolean,
): ToolInput | undefined {
  const spec = names.spec(tool);
  if (text.startsWith("{")) {
    const value = options.objectInputs ? new JsonReader(text).read(text) : undefined;
    return isRecord(value) ? value : text;
  }
  return isLabelled ? (namedArguments(text, spec) ?? text) : readArguments(text, spec);
}
