import { escaped } from "../../../base/escaped.js";
import { thinkingSigns, thinkingTokens } from "../../forms/call-forms.js";

/** The words of a reply, without the model's thinking. */
export interface Spoken {
  readonly text: string;
  /** Tells whether the reply has only thinking in it, or ends within a block of it. Then `text` is the thinking. */
  readonly stillThinking: boolean;
}

const thinkingSign = new RegExp(thinkingTokens.map(escaped).join("|"), "g");
const closings: ReadonlySet<string> = new Set(thinkingSigns.map(([, closing]) => closing));

/**
 * The words of a protocol right after a thinking tag. The model used the tag to begin its reply, and is not thinking.
 */
const ownWords = /^\s*\**(?:thought|action|final answer|do i need to use a tool)\b/i;

/** Tells whether a text begins with words of a protocol. */
export function speaksProtocol(text: string): boolean {
  return ownWords.test(text.slice(0, 100));
}

/**
 * Removes blocks of thinking. A block with only an end began in the prompt, if no other block comes before it. A reply that is
 * nothing but such blocks is its last one.
 */
export function withoutThinking(text: string): Spoken {
  let spoken = "";
  let place = 0;
  let thinkingSince: number | undefined;
  let thoughts: string | undefined;
  for (const match of text.matchAll(thinkingSign)) {
    const end = match.index + match[0].length;
    if (closings.has(match[0])) {
      if (thinkingSince === undefined && thoughts === undefined) spoken = "";
      else if (thinkingSince === undefined) spoken += text.slice(place, match.index);
      thoughts = text.slice(thinkingSince ?? 0, match.index);
      thinkingSince = undefined;
    } else {
      if (thinkingSince === undefined) spoken += `${text.slice(place, match.index)}\n`;
      thinkingSince ??= end;
    }
    place = end;
  }
  const rest = text.slice(thinkingSince ?? place);
  const stillThinking = thinkingSince !== undefined && !speaksProtocol(rest);
  const words = spoken.trim() === "" ? rest : spoken + rest;
  if (words.trim() === "" && thoughts !== undefined) return { text: thoughts, stillThinking: true };
  return { text: words, stillThinking };
}
