import { escaped } from "../../../base/escaped.js";
import { thinkingSigns } from "../../forms/call-forms.js";

/** The words of a reply, without the model's thinking. */
export interface Spoken {
  readonly text: string;
  /** Tells whether the reply has only thinking in it, or ends within a block of it. Then `text` is the thinking. */
  readonly stillThinking: boolean;
}

const thinkingSign = new RegExp(thinkingSigns.flatMap((signs) => signs.map(escaped)).join("|"), "g");
const closings: ReadonlySet<string> = new Set(thinkingSigns.map(([, closing]) => closing));

/**
 * The words of a protocol right after a thinking tag. The model used the tag to begin its reply, and is not thinking.
 */
const ownWords = /^\s*\**(?:thought|action|final answer|do i need to use a tool)\b/i;

/** Tells whether a text begins with words of a protocol. */
export function speaksProtocol(text: string): boolean {
  return ownWords.test(text.slice(0, 100));
}

/** Removes blocks of thinking. A block with only an end began in the prompt. */
export function withoutThinking(text: string): Spoken {
  let spoken = "";
  let place = 0;
  let thinkingSince: number | undefined;
  for (const match of text.matchAll(thinkingSign)) {
    const closes = closings.has(match[0]);
    const end = match.index + match[0].length;
    if (!closes) {
      if (thinkingSince === undefined) spoken += `${text.slice(place, match.index)}\n`;
      thinkingSince ??= end;
    } else {
      if (thinkingSince === undefined) spoken = "";
      thinkingSince = undefined;
    }
    place = end;
  }
  const rest = text.slice(thinkingSince ?? place);
  const stillThinking = thinkingSince !== undefined && !speaksProtocol(rest);
  return { text: spoken.trim() === "" ? rest : spoken + rest, stillThinking };
}
