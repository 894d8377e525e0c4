import type { Cut, Reply } from "../../../turn/decision.js";
import { spokenInChannels } from "./channels.js";
import { assistantTurn, withoutSeparators } from "./chat-template.js";
import { withoutEchoedCorrection } from "./correction-frame.js";
import { withPlainCall } from "./native-calls.js";
import { withoutThinking } from "./thinking.js";

/** The text of a reply, without the tokens of its chat template and without its thinking. */
export interface ReplyText {
  readonly text: string;
  /** The reason of the provider for stopping the reply early, if it did. */
  readonly cut?: Cut;
  /** Tells whether the reply has only thinking in it, or ends within a block of it. */
  readonly stillThinking: boolean;
}

/** Returns the part of a reply that a protocol reads. */
export function replyText(reply: Reply | string): ReplyText {
  const { text, finishReason } = typeof reply === "string" ? { text: reply, finishReason: undefined } : reply;
  const cut = cutReason(finishReason);
  const said = spokenInChannels(text);
  if (!beginsMark.test(said.text)) return { ...said, cut };
  const { text: spoken, stillThinking } = withoutThinking(assistantTurn(withoutSeparators(said.text)));
  return {
    text: withoutEchoedCorrection(withPlainCall(spoken)),
    cut,
    stillThinking: said.stillThinking || stillThinking,
  };
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

/** The first sign of every template token, thinking tag, native call and correction. */
const beginsMark = /[<[◁]|to=functions\./;

/** The finish reasons of providers for a reply that they ended early, in small letters. */
const cuts: Readonly<Record<string, Cut>> = {
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  content_filter: "filtered",
  // Google's words.
  safety: "filtered",
  recitation: "filtered",
  blocklist: "filtered",
  prohibited_content: "filtered",
  spii: "filtered",
};

/** Reads the reason of a provider for ending a reply early. Returns undefined for a complete reply. */
export function cutReason(finishReason = ""): Cut | undefined {
  return cuts[finishReason.toLowerCase()];
}
