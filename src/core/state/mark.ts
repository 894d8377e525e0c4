import { randomInt } from "node:crypto";
import { beginningOf, HoldingFilter } from "../../base/holding-filter.js";
import { mapTexts } from "../../base/map-texts.js";
import type { ParsedReply } from "./decision.js";

/** Letters and digits that make no words and are not mistaken for one another. */
const signs = "bcdfghjkmnpqrstvwxz23456789";

/**
 * Draws a mark, such as `~k7q2x~`. Text from outside cannot know it: there are 14 million. So it can neither write marks of its
 * own nor close what a mark opens.
 */
export function drawMark(): string {
  return `~${Array.from({ length: 5 }, () => signs.charAt(randomInt(signs.length))).join("")}~`;
}

/** Makes a filter that takes a mark out of a text that comes in pieces. */
export function markFilter(mark: string): HoldingFilter {
  return new HoldingFilter(
    (text) => text.replaceAll(mark, ""),
    (text) => beginningOf(mark, text),
  );
}

/**
 * Takes a mark out of what a model says, when it is read. A model that copies a text from outside writes the mark, too. The log
 * of an action stays as it was written: prompts show it again.
 */
export function withoutMark(said: ParsedReply, mark: string): ParsedReply {
  if (said.kind === "unparseable") return said;
  const unmarked = (text: string) => text.replaceAll(mark, "");
  if (said.kind === "finish") return mapTexts(said, unmarked);
  const actions = said.actions.map((action) => ({ ...action, toolInput: mapTexts(action.toolInput, unmarked) }));
  return { ...said, ...(said.thought !== undefined && { thought: unmarked(said.thought) }), actions };
}
