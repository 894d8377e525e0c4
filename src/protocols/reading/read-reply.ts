import type { ParsedReply, Reply } from "../../core/state/decision.js";
import type { Cut } from "../../provider-forms/finish-reason.js";
import { looksLikeAction } from "./calls/action-line.js";
import { withoutDanglingMarks } from "./calls/call-input.js";
import { findCalls } from "./calls/find-call.js";
import { FormReader } from "./calls/form-calls.js";
import { JsonReader } from "./calls/json-reader.js";
import { wordsAfter } from "./calls/mention.js";
import { answerInWords } from "./evidence.js";
import {
  finish,
  followed,
  nothing,
  type Outcome,
  type Problem,
  parsedAs,
  problem,
  type Reading,
  type ReadingOptions,
} from "./outcome.js";
import { isPlainAnswer } from "./plain-answer.js";
import { readAction } from "./read-action.js";
import { readFound, readProse } from "./read-prose.js";
import { promptedText } from "./sections/reply-text.js";
import { hasStepAfter, type Section, splitSections } from "./sections/sections.js";
import { type KnownTools, ToolNames } from "./tool-names.js";

/**
 * Reads the reply of a prompted model. A call is an `Action:` with its input, JSON or tags. An answer is a final answer
 * or plain words to the user. The first complete step counts. Text after an invented observation is invented, too.
 *
 * An ambiguous reply is `unparseable`. A reply that the provider truncated is `unparseable`, too, unless its step is
 * complete, or unless it ends within its answer, which is then a cut answer.
 */
export function readReply(reply: Reply | string, tools: KnownTools, options: ReadingOptions = {}): ParsedReply {
  const spoken = promptedText(reply);
  const names = new ToolNames(tools);
  const json = new JsonReader(spoken.text);
  const calls = [...new FormReader(spoken.text, names, json).groups()].flatMap((group) =>
    "cut" in group ? [] : group,
  );
  const sections = splitSections(spoken.text, json, (line) => looksLikeAction(line, names), calls);
  return decide({ reply: spoken, sections, names, options });
}

function decide(reading: Reading): ParsedReply {
  let first: Problem | undefined;
  let isOver = false;
  for (const [index, section] of reading.sections.entries()) {
    if (section.kind === "observation" && isInvented(reading.sections, index, isOver)) {
      first ??= problem("It has an Observation of its own. Observations come from the tools, after an action.");
      break;
    }
    const outcome = readSection(reading, section, index);
    if (outcome?.kind === "step") return unlessCut(reading, outcome);
    first ??= outcome;
    if (section.kind === "action") isOver = outcome === nothing;
  }
  return readWords(reading, first);
}

/**
 * Tells whether the model invented an observation. One at the beginning of the reply only repeats the last one. One
 * after `Action: None` belongs to no call.
 */
function isInvented(sections: readonly Section[], index: number, isOver: boolean): boolean {
  return !isOver && sections.slice(0, index).some(({ label, value }) => label !== undefined || value.trim() !== "");
}

function unlessCut({ reply: { cut } }: Reading, { parsed, whole }: Outcome & { kind: "step" }): ParsedReply {
  if (!cut || whole) return parsed;
  return parsed.kind === "finish" ? { ...parsed, cut } : problem(cutReasons[cut]);
}

/** The reason for a reply that has only thinking in it. */
export const onlyThinking = "Its thinking never ends: nothing comes after it.";

/** The reasons for a reply that the provider ended. */
export const cutReasons: Readonly<Record<Cut, string>> = {
  length: "It was cut off at the token limit, before it was complete.",
  filtered: "The provider's content filter stopped it before it was complete.",
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

/** Reads a reply in which no section is a step: plain words to the user, or a reason why the reply cannot be read. */
function readWords(reading: Reading, found: Problem | undefined): ParsedReply {
  const { reply, sections, names } = reading;
  const { text, cut, stillThinking } = reply;
  if (cut) return problem(cutReasons[cut]);
  if (text.trim() === "") return problem("It is empty.");
  if (stillThinking) return problem(onlyThinking);
  if (found !== undefined) return parsedAs(found);
  if (sections.every((section) => section.kind === "text") && isPlainAnswer(text, names)) {
    return parsedAs(answerInWords(text.trim(), names));
  }
  return problem("It has neither an action to take nor a final answer.");
}

/** Reads a `Final Answer:` or another label with the same meaning. */
function readAnswer(reading: Reading, section: Section, index: number): Outcome | undefined {
  const value = withoutDanglingMarks(ownTurn(section)).trim();
  if (isTentative(reading, section, index)) return undefined;
  if (/^(?:```\w*\s*)?\{/.test(value)) {
    const found = findCalls(value, reading.names);
    const call = found && !("cut" in found) && !wordsAfter(value, found) ? found.calls[0]?.call : undefined;
    if (found && call && (call.kind !== "call" || call.offered)) return readFound(reading, section, found);
  }
  return finish(reading, value, { start: section.start, whole: followed(reading, section) });
}

/** Returns the words of the model. A model that speaks as `AI:` may write `AI:` twice, or continue as the human. */
function ownTurn({ label, value }: Section): string {
  if (!isSpeaker(label?.word)) return value;
  const next = /\n[ \t]{0,9}(?:Human|User|New input)[ \t]{0,9}:/.exec(value);
  return value.slice(0, next?.index).replace(/^\s*(?:(?:AI|Assistant)[ \t]{0,9}[:：]\s*)+/i, "");
}

function isSpeaker(word = ""): boolean {
  return /^(?:ai|assistant)$/i.test(word);
}

/** Tells whether an `Answer:` is not the final one. The reply then takes an action or gives its final answer later. */
function isTentative({ reply, sections }: Reading, { label }: Section, index: number): boolean {
  if (!label?.weak) return false;
  return reply.stillThinking || (!isSpeaker(label.word) && hasStepAfter(sections, index));
}
