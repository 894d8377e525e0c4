import type { Reply } from "../../../turn/decision.js";
import { assistantTurn, withoutSeparators } from "./chat-template.js";
import { withoutEchoedCorrection } from "./correction-frame.js";

/** The text of a reply, without the tokens of its chat template and without its thinking. */
export interface ReplyText {
  readonly text: string;
  /** The reason of the provider for stopping the reply early, if it did. */
  readonly cut?: "length" | "content_filter";
  /** Tells whether the reply opens a block of thinking and never closes it. */
  readonly stillThinking: boolean;
}

/** Returns the part of a reply that a protocol reads. */
export function replyText(reply: Reply | string): ReplyText {
  const { text, finishReason } = typeof reply === "string" ? { text: reply, finishReason: undefined } : reply;
  const cut = cutReason(finishReason);
  if (!beginsMark.test(text)) return { text, cut, stillThinking: false };
  const { text: spoken, stillThinking } = withoutThinking(assistantTurn(finalChannel(withoutSeparators(text))));
  return { text: withoutEchoedCorrection(spoken), cut, stillThinking };
}

/**
 * The texts at which a model must stop, as they follow an action in a prompt. `least` is the number of characters of a
 * stop text that are enough to recognise it.
 */
const stopTexts: readonly (readonly [text: string, least: number])[] = [
  ["Observation:", 2],
  ["TOOL RESPONSE:", 4],
  ["Intermediate answer:", 5],
];
const stopRest = new RegExp(
  `\\n(?:${stopTexts
    .flatMap(([text, least]) => Array.from({ length: text.length - least }, (_, n) => text.slice(0, least + n)))
    .join("|")})$`,
);

/**
 * Returns the part of a prompted model's reply. It also removes a started stop text: `Action Input: cats\nObserv` loses
 * `\nObserv`.
 */
export function promptedText(reply: Reply | string): ReplyText {
  const spoken = replyText(reply);
  const rest = stopRest.exec(spoken.text.slice(-30));
  return rest ? { ...spoken, text: spoken.text.slice(0, -rest[0].length) } : spoken;
}

/** The first sign of every template token, thinking tag and correction. */
const beginsMark = /[<[◁]/;

/** Reads the reason of a provider for ending a reply early. Returns undefined for a complete reply. */
export function cutReason(finishReason: string | undefined): ReplyText["cut"] {
  const reason = finishReason?.toLowerCase();
  if (reason === "length" || reason === "max_tokens" || reason === "max_output_tokens") return "length";
  return reason === "content_filter" || reason === "safety" ? "content_filter" : undefined;
}

const finalMessage = /<\|channel\|>(?:final|commentary[^<]{0,100})<\|message\|>/;

/** Returns the final channel of gpt-oss, which writes in channels. It holds the last step or the answer. */
function finalChannel(text: string): string {
  if (!text.includes("<|channel|>")) return text;
  const match = finalMessage.exec(text);
  return match ? text.slice(match.index + match[0].length) : text;
}

const thinkingTag =
  /<(\/?)(?:think|thinking|thought|reasoning|reflection)>|<\|(begin|end)_of_thought\|>|[◁](\/?)think[▷]/g;

/**
 * The words of a protocol right after a thinking tag. The model used the tag to begin its reply, and is not thinking.
 */
const speaksProtocol = /^\s*\**(?:thought|action|final answer|do i need to use a tool)\b/i;

/** Removes blocks of thinking. A block with only an end began in the prompt. */
function withoutThinking(text: string): { text: string; stillThinking: boolean } {
  let spoken = "";
  let place = 0;
  let thinkingSince: number | undefined;
  for (const match of text.matchAll(thinkingTag)) {
    const closes = match[1] === "/" || match[2] === "end" || match[3] === "/";
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
  const stillThinking = thinkingSince !== undefined && !speaksProtocol.test(rest.slice(0, 100));
  return { text: spoken.trim() === "" ? rest : spoken + rest, stillThinking };
}
