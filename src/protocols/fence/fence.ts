import { unseenSign, writtenSign } from "../../base/unseen-signs.js";
import { escapedSign } from "../../content/marks.js";
import type { Protocol } from "../../core/parts/protocol.js";
import { looksLikeAction } from "../reading/calls/action-line.js";
import { callPlaces } from "../reading/calls/find-call.js";
import { findJsonAnswers } from "../reading/json-answer.js";
import { announcedPlaces } from "../reading/read-prose.js";
import { labelPlaces } from "../reading/sections/sections.js";
import { templateTokenPlaces, tokenPlaces } from "../reading/sections/special-tokens.js";
import { type KnownTools, ToolNames } from "../reading/tool-names.js";

/** What a reader of replies knows. Text from outside must not look like it. */
export interface Fence {
  /** The mark of the turn, which the text cannot know, or "" for an agent without a fence. */
  readonly mark: string;
  /** The protocol of the prompt. Left out for a prompt of no protocol, such as that of a summary. */
  readonly protocol?: Pick<Protocol, "nativeTools" | "stop" | "labelsIn">;
  readonly tools?: KnownTools;
}

/**
 * Writes text from outside so that no parser of replies takes a part of the text for a step of the model, and nothing in it
 * is invisible. The mark stands before each label, call and stop text of the protocol, and inside each tag and token of a
 * chat template. An invisible character becomes an escape, such as `~k7q2x~U+001B~`. All other text stays as it is. With an
 * empty mark nothing is changed.
 *
 * With native calls a server has the conversation in parts, so that text is no step there. Only tokens of the server's chat
 * template get the mark, and half a surrogate pair, which cannot be sent, becomes an escape.
 *
 * The places come from the parsers of replies, so a label that is added to a parser is fenced, too. Marking data so that a
 * model can tell it from instructions is "spotlighting": Hines et al. 2024, arXiv:2403.14720.
 *
 * @returns The fenced text. `unfenced` returns the original, and fencing the fenced text again changes nothing.
 */
export function fence(text: string, known: Fence): string {
  const { mark } = known;
  if (mark === "" || isPlain(text, known)) return text;
  let shown = withEscapedSigns(text, known);
  for (let pass = 1; pass <= mostPasses; pass += 1) {
    const places = placesToMark(shown, known);
    if (places.length === 0) return shown;
    shown = marked(shown, places, mark);
  }
  return placesToMark(shown, known).length === 0 ? shown : marked(shown, wordPlaces(shown, mark), mark);
}

/**
 * The passes in which places are marked one by one. A mark cuts words, and so may expose a name or a call that the words hid.
 * A text that needs more passes was made for that: then each word and each character gets a mark.
 */
const mostPasses = 3;

/** Returns the places of a text at which the mark has to stand, and does not yet. */
function placesToMark(text: string, known: Fence): number[] {
  const { mark, protocol } = known;
  // Readers take an odd line end for white space, and models for a line end.
  const lines = protocol?.nativeTools && !protocol.labelsIn ? text : withLineFeeds(text);
  const places = [...placesIn(lines, known), ...(lines === text ? [] : placesIn(text, known))];
  return places.filter((place) => isUnmarked(text, place, mark));
}

function isUnmarked(text: string, place: number, mark: string): boolean {
  return !text.startsWith(mark, place) && !text.startsWith(mark, place - mark.length);
}

/** Returns the places of all words and signs outside of marks and escapes. An unseen sign belongs to the sign before it. */
function wordPlaces(text: string, mark: string): number[] {
  const word = String.raw`(?:[\p{L}\p{M}\p{N}_]+|\S)\p{Default_Ignorable_Code_Point}*`;
  const words = text.matchAll(new RegExp(String.raw`${mark}(?:U\+[\dA-F]{4,6}~)?|${word}`, "gu"));
  return [...words].map(({ index }) => index).filter((place) => isUnmarked(text, place, mark));
}

/** The characters that begin a token of a chat template, and halves of characters. */
const special = /[<[\]\ud800-\udfff]/;

/** Tells at a glance whether a native prompt shows a text as it is. A prompt has the texts of a whole thread. */
export function isPlain(text: string, { protocol }: Fence): boolean {
  return protocol?.nativeTools === true && !protocol.labelsIn && !protocol.stop && !special.test(text);
}

/** Returns the places of a text at which the mark has to stand. */
function placesIn(text: string, { protocol, tools = [] }: Fence): number[] {
  const own = [...(protocol?.labelsIn?.(text, tools) ?? []), ...stopPlaces(text, protocol?.stop ?? [])];
  if (protocol?.nativeTools) return [...own, ...templateTokenPlaces(text).map((place) => place + 1)];
  const names = new ToolNames(tools);
  const startsAction = (line: string) => looksLikeAction(line, names);
  const answers = findJsonAnswers(text).map((place) => place - 1);
  const before = [...callPlaces(text, names), ...labelPlaces(text, startsAction), ...announcedPlaces(text), ...answers];
  const inside = tokenPlaces(text, names).map((place) => place + 1);
  return [...own, ...before, ...inside];
}

/** Puts the mark at places of a text, once at each. */
function marked(text: string, places: readonly number[], mark: string): string {
  if (places.length === 0) return text;
  const sorted = [...new Set([0, ...places, text.length])].sort((a, b) => a - b);
  const pieces = sorted.slice(0, -1).map((place, n) => text.slice(place, sorted[n + 1]));
  return (places.includes(0) ? mark : "") + pieces.join(mark);
}

/** Returns the places of the stop texts. A stop text may begin with a line break: then the beginning of the text counts, too. */
function stopPlaces(text: string, stops: readonly string[]): number[] {
  return stops.flatMap((stop) => {
    const words = stop.trimStart();
    const isLine = words !== stop;
    const found: number[] = [];
    for (let place = text.indexOf(words); place >= 0; place = text.indexOf(words, place + words.length)) {
      if (!isLine || place === 0 || text.charAt(place - 1) === "\n") found.push(place);
    }
    return found;
  });
}

/** Line ends that are no line feed. A carriage return before a line feed belongs to it. */
const oddLineEnd = /\r(?!\n)|[\v\f\u0085\u2028\u2029]/g;

/** Returns a text with the line ends that a model reads. Its length stays the same. */
export function withLineFeeds(text: string): string {
  return text.replaceAll(oddLineEnd, "\n");
}

const unwritten = new RegExp(`(${writtenSign.source})|${unseenSign.source}`, "gu");

/** Shows the signs that nobody sees, as they hide words and split labels. Half a character could not be sent at all. */
function withEscapedSigns(text: string, { mark, protocol }: Fence): string {
  if (protocol?.nativeTools) return text.replaceAll(/\p{Cs}/gu, (half) => escapedSign(half, mark));
  if (!unseenSign.test(text)) return text;
  return text.replaceAll(unwritten, (sign: string, kept?: string) => kept ?? escapedSign(sign, mark));
}
