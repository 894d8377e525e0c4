import { withoutDanglingMarks } from "./calls/call-input.js";
import { findCall } from "./calls/find-call.js";
import { finish, followed, type Outcome, type Reading } from "./outcome.js";
import { readFound } from "./read-prose.js";
import type { Label } from "./sections/labels.js";
import type { Section } from "./sections/sections.js";

/** Reads a `Final Answer:` or another label with the same meaning. */
export function readAnswer(reading: Reading, section: Section, index: number): Outcome | undefined {
  const value = withoutDanglingMarks(ownTurn(section)).trim();
  if (isTentative(reading, section, index)) return undefined;
  if (/^(?:```\w*\s*)?\{/.test(value)) {
    const found = findCall(value, reading.names);
    if (found && !("cut" in found) && (found.call.kind !== "call" || found.call.offered)) {
      return readFound(reading, section, found);
    }
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

/** Tells whether an action or a final answer follows a section, before any observation. */
function hasStepAfter(sections: readonly Section[], index: number): boolean {
  const next = sections.slice(index + 1).find(({ kind, label }) => kind === "observation" || isStep(kind, label));
  return next !== undefined && next.kind !== "observation";
}

function isStep(kind: Section["kind"], label: Label | undefined): boolean {
  return (kind === "action" || kind === "answer") && label?.weak === false;
}
