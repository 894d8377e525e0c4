import { escaped } from "../../../base/escaped.js";
import type { Reply } from "../../../core/state/decision.js";
import { type Cut, cutReason } from "../../../provider-forms/finish-reason.js";
import { answerSigns } from "../../forms/call-forms.js";
import { openingSigns, withoutSeparators } from "../../forms/form-signs.js";
import { withoutFences } from "../shown-code.js";
import { spokenInChannels } from "./channels.js";
import { withoutEchoedCorrection } from "./correction-frame.js";
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
  if (!beginsMark.test(said.text)) return { text: said.text, stillThinking: said.stillThinking, cut };
  if (said.calls) return { text: said.text, stillThinking: false, cut };
  const { text: spoken, stillThinking } = withoutThinking(assistantTurn(withoutSeparators(said.text)));
  return {
    text: withoutEchoedCorrection(withoutAnswerSigns(spoken)),
    cut,
    stillThinking: said.stillThinking || stillThinking,
  };
}

/** The texts at which a model must stop, as they follow an action in a prompt. */
const stopTexts = ["Observation:", "TOOL RESPONSE:", "Intermediate answer:"];

/**
 * Returns the part of a prompted model's reply. It also removes a started stop text: `Action Input: cats\nObserv` loses
 * `\nObserv`.
 */
export function promptedText(reply: Reply | string): ReplyText {
  const spoken = replyText(reply);
  const line = spoken.text.lastIndexOf("\n");
  const rest = spoken.text.slice(line + 1);
  const isStop = line >= 0 && rest.length > 1 && stopTexts.some((stop) => stop !== rest && stop.startsWith(rest));
  return isStop ? { ...spoken, text: spoken.text.slice(0, line) } : spoken;
}

/** The first sign of every template token, thinking tag, native call and correction. */
const beginsMark = /[<[◁]|>>>/;

/** The beginnings of a turn, one for each family of models. The group is the speaker. */
const turnBeginnings = [
  String.raw`<\|im_start\|>[ \t]*(\w*)(?:<\|im_sep\|>)?`,
  String.raw`<\|start_header_id\|>(\w+)<\|end_header_id\|>`,
  String.raw`<\|header_start\|>(\w+)<\|header_end\|>`,
  String.raw`<\|start_of_role\|>(\w+)[^<|]{0,200}<\|end_of_role\|>`,
  String.raw`<start_of_turn>(\w*)`,
  String.raw`<\|turn>(\w*)`,
  String.raw`<\|(system|user|assistant|human|model|tool)\|>`,
];

export const turnEnds = [
  ...["<|im_end|>", "<|im_sep|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<end_of_turn>", "<turn|>", "<|endoftext|>"],
  ...["<|end_of_text|>", "<|end|>", "<|return|>", "<|call|>", "<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>"],
  ...["<|role_end|>", "<|im:end|>", "<|plamo:tag|>", "<seed:eos>", "<|endofturn|>", "<|EOT|>", "<|assistant_end|>"],
  ...["<|observation|>", "<|eom|>", "<|flush|>", "[EOS]", "[EOT]", "<|tool_response>", "<start_function_response>"],
];

const template = new RegExp([...turnBeginnings, ...turnEnds.map(escaped), String.raw`\[\/?INST\]`].join("|"), "g");

/**
 * Returns the assistant's own turn, without the tokens of its chat template. A model may write the next turns itself,
 * or repeat the prompt first. Neither belongs to its reply. But words are no answer if the model makes a call after their end.
 */
function assistantTurn(text: string): string {
  const whole = firstSequence(text.replace(/^\s*<s>/, ""));
  const tokens = [undefined, ...withoutFences(whole).matchAll(template)];
  const parts = tokens.map((token, n) => ({
    text: whole.slice(token && token.index + token[0].length, tokens[n + 1]?.index),
    isOwn: token === undefined || beginsOwnTurn(token),
  }));
  const said = parts.filter(({ text }) => text.trim() !== "");
  const firstOwn = said.findIndex(({ isOwn }) => isOwn);
  const from = said.slice(Math.max(0, firstOwn));
  const end = from.findIndex(({ isOwn }, n) => n > 0 && !isOwn);
  const [first = "", ...later] = from.slice(0, end < 0 ? undefined : end).map(({ text }) => text);
  return !hasCall(first) && later.some(hasCall) ? [first, ...later].join("\n") : first;
}

const hasCall = (text: string) => [...openingSigns, '"arguments":'].some((sign) => text.includes(sign));

function beginsOwnTurn([token, ...speakers]: RegExpExecArray): boolean {
  const speaker = speakers.find((name) => name !== undefined);
  return speaker === undefined ? token !== "[INST]" : ["", "model", "assistant"].includes(speaker);
}

/**
 * Returns the text before the end-of-sequence token. In HTML the same token can strike out words: then the text is
 * returned whole.
 */
function firstSequence(text: string): string {
  const end = text.includes("<s>") ? text.search(/<\/s>\s*$/) : text.search(/<\/s>(?!`)/);
  return end > 0 ? text.slice(0, end) : text;
}

/** The marks of citations in an answer of Command. */
const citationMark = /<\/?co(?:: ?[\d:[\],]{0,100})?>/g;

/** Removes the signs around an answer. */
function withoutAnswerSigns(text: string): string {
  const words = answerSigns.reduce((rest, sign) => rest.replaceAll(sign, ""), text);
  return hasCall(words) ? words : words.replaceAll(citationMark, "");
}
