import { escaped } from "../../../base/escaped.js";
import { answerSigns, callForms, thinkingSigns } from "../../forms/call-forms.js";
import { anyOpening, closingSigns, openingSigns, separators } from "../../forms/form-signs.js";
import { matchesFrom } from "../matches-from.js";
import type { ToolNames } from "../tool-names.js";
import { correctionStart } from "./correction-frame.js";
import { turnEnds } from "./reply-text.js";

/** The beginnings of the tokens that the chat template of a server reads as its own. */
const templateTokens = [
  ...["<|", "<｜", "</｜", "]<]", "<s>", "</s>", "<start_of_turn>", "[INST]", "[/INST]"],
  // Not the tags: other texts have them, too.
  ...[...openingSigns, ...closingSigns, ...thinkingSigns.flat().filter(Boolean), ...turnEnds].flatMap(
    (sign) => /^(?:\[.*|<(?:start|end)_\w+>|<\w+\|>)/.exec(sign)?.[0] ?? [],
  ),
];
/** The tokens that change how a reply is read. They belong to chat templates, thinking, answers and corrections. */
const tokens = [
  ...[
    ...templateTokens,
    "◁",
    correctionStart,
    ...separators,
    ...turnEnds,
    ...answerSigns,
    ...thinkingSigns.flat().filter(Boolean),
  ],
  // Citations
  ...["<co>", "<co:", "</co>", "</co:"],
];
/** The signs of a call that other texts have, too. The name of a tool, or JSON, has to follow. */
const weakSigns = callForms.flatMap(({ around, call, weak }) => (weak ? (around?.[0] ?? call.split("NAME", 1)) : []));
/** The token between thinking and answer in a reply of gpt-oss from which a server removed the signs of its tokens. */
const barePlace = /(?<=assistant)final/g;
const beginnings = [...tokens, ...openingSigns, ...weakSigns];
/** All beginnings of signs that are not whole, or may go on. */
const openSigns = new Set([...beginnings].flatMap((sign) => Array.from(sign, (_, n) => sign.slice(0, n + 1))));
const longest = Math.max(...beginnings.map(({ length }) => length));
/** Whatever a reader may take for a token or the sign of a call. `<` begins a tag, which may have the name of a tool. */
const anyMark = new RegExp([...[...tokens, ...closingSigns].map(escaped), anyOpening.source].join("|"), "gu");
const anyTemplateToken = patternOf(templateTokens.map(escaped));
/** A tag with attributes may have other white space in it, and other quotes. */
const anySign = patternOf(
  [...tokens, ...openingSigns].map((sign) => escaped(sign).replace(/^(<\w+) .*/, String.raw`$1(?=\s)`)),
);
const anyWeakSign = patternOf(weakSigns.map((sign) => escaped(sign).replace(/^(?=\w)/, String.raw`\b`)));

function patternOf(patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join("|"), "g");
}

/** Returns the place of the first token or sign of a call that begins at a place or after it. */
export function findToken(text: string, from: number): number | undefined {
  anySign.lastIndex = from;
  return anySign.exec(text)?.index;
}

/** Returns the signs that may be those of a call, and that begin at a place or after it. */
export function weakSignsFrom(text: string, from: number): RegExpExecArray[] {
  return matchesFrom(anyWeakSign, text, from);
}

/** Returns the places of all tokens and signs of calls in a text, and of tags for an answer or with the name of a tool. */
export function tokenPlaces(text: string, { names }: ToolNames): number[] {
  const tag = new RegExp(
    `(?:${[ownTags, ...names.map((name) => `</?${escaped(name)}`)].join("|")})(?=[\\s>=({/]|$)`,
    "gm",
  );
  return [
    ...placesOf(anyMark, text),
    ...[...text.matchAll(tag), ...text.matchAll(barePlace)].map(({ index }) => index),
  ];
}

/** In brackets a tag is a placeholder, as in `Finish[<answer>]`. */
const ownTags = String.raw`(?<!\[)</?(?:final_answer|answer|FINAL_ANSWER|tool_response|tool_result)|<(?<=^\s*<)/?response`;

/** Returns the places of the tokens that a chat template reads as its own. */
export function templateTokenPlaces(text: string): number[] {
  return placesOf(anyTemplateToken, text);
}

/** Returns the places of signs. One may begin inside of another. */
function placesOf(pattern: RegExp, text: string): number[] {
  const places: number[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    if (isToken(match[0], text, match.index)) places.push(match.index);
    pattern.lastIndex = match.index + 1;
  }
  return places;
}

const barred = /<[|｜]["/]?[\w▁:]{0,60}(?:[|｜]?>|｜)/y;

/** Other texts also begin with `<|`, such as a citation `<|file-17|>`. */
function isToken(sign: string, text: string, place: number): boolean {
  if (!/^<[|｜]$/.test(sign)) return sign !== "<";
  barred.lastIndex = place;
  return barred.test(text);
}

/** Returns the place from which the end of a text may become a token. It is the length of the text if there is none. */
export function tokenAtEnd(text: string): number {
  for (let place = Math.max(0, text.length - longest); place < text.length; place += 1) {
    if (!openSigns.has(text.charAt(place)) || !openSigns.has(text.slice(place))) continue;
    if (!/\w\w/.test(text.slice(Math.max(0, place - 1), place + 1))) return place;
  }
  return text.length;
}

const openedThinking = new RegExp(
  String.raw`^\s*(${thinkingSigns
    .map(([opening]) => escaped(opening))
    .filter(Boolean)
    .join("|")})`,
);
const closingOf = new Map(thinkingSigns.filter(([opening]) => opening !== ""));
/** gpt-oss begins its thinking so, if a server removed the tokens. Only the whole reply shows where the answer is. */
const bareChannel = "analysis";

function mayOpenThinking(text: string): boolean {
  const beginning = text.trimStart().slice(0, 40);
  const mayOpen = beginning !== "" && thinkingSigns.some(([opening]) => opening.startsWith(beginning));
  return bareChannel.startsWith(beginning) || mayOpen || /^analysis\p{Lu}/u.test(beginning);
}

/**
 * Returns the place after the thinking at the beginning of a reply. It is 0 without thinking, and undefined while it is
 * not known.
 */
export function endOfThinking(text: string): number | undefined {
  const close = closingOf.get(openedThinking.exec(text)?.[1] ?? "");
  if (close === undefined) return mayOpenThinking(text) ? undefined : 0;
  const place = text.indexOf(close);
  return place < 0 ? undefined : place + close.length;
}
