import { escaped } from "../../../base/escaped.js";
import { answerSigns, callForms, thinkingSigns, thinkingTokens } from "../../forms/call-forms.js";
import { anyOpening, closingSigns, openingSigns, separators } from "../../forms/form-signs.js";
import type { ToolNames } from "../tool-names.js";
import { correctionStart } from "./correction-frame.js";
import { turnEnds } from "./reply-text.js";

/** The beginnings of the tokens that the chat template of a server reads as its own. */
const templateTokens = [
  ...["<|", "<｜", "</｜", "]<]", "<s>", "</s>", "<start_of_turn>", "[INST]", "[/INST]"],
  // Not the tags: other texts have them, too.
  ...[...openingSigns, ...closingSigns, ...thinkingTokens, ...turnEnds].flatMap(
    (sign) => /^(?:\[.*|<(?:start|end)_\w+>|<\w+\|>)/.exec(sign)?.[0] ?? [],
  ),
];
/** The tokens that change how a reply is read. They belong to chat templates, thinking, answers and corrections. */
const tokens = [
  ...[...templateTokens, ...separators, ...turnEnds, ...answerSigns, ...thinkingTokens],
  // The last four are citations.
  ...["◁", correctionStart, "<co>", "<co:", "</co>", "</co:"],
];
/** The signs of a call that other texts have, too. The name of a tool, or JSON, has to follow. */
export const weakSigns = callForms.flatMap(({ around, call, weak }) =>
  weak ? (around?.[0] ?? call.split("NAME", 1)) : [],
);
/** The token between thinking and answer in a reply of gpt-oss from which a server removed the signs of its tokens. */
const barePlace = /(?<=assistant)final/g;
/** Whatever a reader may take for a token or the sign of a call. `<` begins a tag, which may have the name of a tool. */
const anyMark = new RegExp([...[...tokens, ...closingSigns].map(escaped), anyOpening.source].join("|"), "gu");
const anyTemplateToken = new RegExp(templateTokens.map(escaped).join("|"), "g");

/** The tokens, and the signs that only calls have. A tag with attributes may have other white space in it, and other quotes. */
export const certainSigns: readonly string[] = [...tokens, ...openingSigns].map((sign) =>
  sign.replace(/^(<\w+) .*/, "$1 "),
);

/** Returns the places of all tokens and signs of calls in a text, and of tags for an answer or with the name of a tool. */
export function tokenPlaces(text: string, tools: ToolNames): number[] {
  const tag = new RegExp(
    `(?:${[ownTags, ...tools.names.map((name) => `</?${escaped(name)}`)].join("|")})(?=[\\s>=({/]|$)`,
    "gm",
  );
  const named = [...text.matchAll(anyTag)].filter(([, name = ""]) => tools.match(name) !== undefined);
  return [
    ...placesOf(anyMark, text),
    ...[...text.matchAll(tag), ...named, ...text.matchAll(barePlace)].map(({ index }) => index),
  ];
}

/** A tag that may have the name of a tool in another spelling. */
const anyTag = /<\/?([\w.-]{1,100})(?=[\s>=({/]|$)/gm;

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

/** The beginnings of thinking, and what ends it. gpt-oss begins it so, if a server removed the tokens: nothing ends it then. */
const thinking = [...thinkingSigns, ["analysis", undefined] as const].filter(([opening]) => opening !== "");

/**
 * Returns the place after the thinking at the beginning of a reply. It is 0 without thinking, and undefined while it is
 * not known.
 */
export function endOfThinking(text: string): number | undefined {
  const written = text.trimStart();
  const [opening, closing] = thinking.find(([sign]) => sign.startsWith(written.slice(0, sign.length))) ?? [];
  if (opening === undefined || /^analysis[^\p{Lu}]/u.test(written)) return 0;
  const place = closing === undefined || !written.startsWith(opening) ? -1 : text.indexOf(closing);
  return place < 0 ? undefined : place + (closing?.length ?? 0);
}
