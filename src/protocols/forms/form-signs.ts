import { escaped } from "../../base/escaped.js";
import { type CallForm, callForms } from "./call-forms.js";

/** The beginning of a call in a form, up to its arguments, and the signs of its arguments and its end. */
export interface Head {
  /** Matches at the beginning of a call. Its group `name` is the name. */
  readonly opening: RegExp;
  /** The sign after the arguments. It is empty if there is none, and may hold the gap `NAME`. */
  readonly closing: string;
  /** The signs of one argument: those of the form, and those that other families write. */
  readonly fields: readonly Field[];
  readonly form: CallForm;
  /** The first sign, or "" if a name or a word begins the call. Such a call is read only between the signs around calls. */
  readonly sign: string;
}

/** The signs of one argument. */
export interface Field {
  /** Matches at the beginning of a field. Its groups are the `key`, and the `tag` and the `type` if there are any. */
  readonly opening: RegExp;
  /** The sign after the value. It may hold the gaps `KEY` and `TAG`. */
  readonly closing: string;
}

/** Tokens that only stand before or in each sign of a family: of MiniMax M3, and of Hunyuan 3. */
export const separators: readonly string[] = ["]<]minimax[>[", ":opensource"];

/** Removes these tokens. Outside of a tag `:opensource` is a word. */
export function withoutSeparators(text: string): string {
  return text.replaceAll(/\]<\]minimax\[>\[|(?<=<\/?\w{1,20}):opensource(?=>)/g, "");
}

const gap = /\b(NAME|ID|SIGNS|CALLS|CODE|ARGUMENTS|FIELDS|WORDS|KEY|VALUE|JSON|TYPE)\b/;

/** Splits a form into its signs and its gaps, in turns. */
function partsOf(form: string): string[] {
  return withoutSeparators(form).split(gap);
}

/** Any white space, also as the tokens that MiniCPM writes for white space. */
const blanks = String.raw`[\s\u0120\u010a]{0,40}`;

const key = String.raw`["']?(?<key>(?!/)[^\s"'<>{}|｜]{1,100})["']?`;
const skipped = String.raw`[^{\n]{0,120}?`;
const word = String.raw`[^\s"'<>{}()[\]=,;:|｜]{1,200}`;
/** The further words of a name with spaces: `Delegate work to co-worker`. */
const moreWords = `(?: ${word}){0,4}`;

const gapPatterns: Readonly<Record<string, string>> = {
  NAME: `["'(]?(?<name>${word}${moreWords})["')]{0,2}`,
  KEY: key,
  ID: String.raw`[\w-]{0,60}`,
  SIGNS: skipped,
  TYPE: String.raw`(?<type>\w{1,20})`,
};

/** Makes the pattern of signs and gaps. Small slips count as the sign: a quote that is missing, a bracket for `=`. */
function patternOf(parts: readonly string[]): string {
  const patterns = parts.map((part, n) => {
    if (n % 2 === 1) return gapPatterns[part] ?? "";
    const signs = part.trim().split(/\s+/).map(escaped).join(blanks);
    const slips = signs
      .replaceAll('"', `["']?`)
      .replaceAll("_", String.raw`\\?_`)
      .replace(/=$/, "[=(]")
      .replace(/^:$/, ":?");
    // A model may forget the end of a tag before JSON.
    return n > 0 ? slips.replace(/^((?:\["'\]\?)?)>/, String.raw`$1(?:>|=?\s{0,9}(?=\{))`) : slips;
  });
  return patterns.join(blanks);
}

/** The signs of an argument in tags of any name, as far as they say what the key is. */
const tagFields: readonly Field[] = [
  {
    opening: new RegExp(
      String.raw`<(?<tag>[\w|:.-]{1,30}_)key>${blanks}${key}${blanks}</\k<tag>key>${blanks}${skipped}${blanks}<\k<tag>value>`,
      "yu",
    ),
    closing: "</TAGvalue>",
  },
  {
    opening: new RegExp(
      String.raw`<(?<tag>(?:[\w:｜]{1,30}[:｜] ?)?(?:param|arg)\w{0,20})(?:\s{1,9}(?:name|key)\s?=|[=(])\s?${key}(?:\s{1,9}\w{1,20}=["']?(?<type>\w{1,20})["']?)?[^<>{}]{0,60}>`,
      "yu",
    ),
    closing: "</TAG>",
  },
  { opening: /<(?!(?:[\w:|]{1,30}_)?(?:arg|param)_(?:key|value)>)(?<key>[\w.-]{1,100})>/uy, closing: "</KEY>" },
];

/** All beginnings of calls. */
export const heads: readonly Head[] = callForms.flatMap(headOf);

function headOf(form: CallForm): Head[] {
  const parts = partsOf(form.call);
  const body = parts.findIndex((part) => /^(?:ARGUMENTS|FIELDS|WORDS)$/.test(part));
  if (body < 0) return [];
  const ends = /SIGNS\s+ARGUMENTS/.test(form.call) ? String.raw`(?=\{)` : "";
  const pattern = patternOf(parts.slice(0, body)) + blanks + ends;
  // Words right after a name are no part of it.
  const isOneWord = /NAME\s+(?:WORDS|SIGNS)/.test(form.call);
  const opening = new RegExp(isOneWord ? pattern.replace(moreWords, "") : pattern, "yu");
  // Of several closing signs the first one ends the arguments.
  const [closing = ""] = parts
    .slice(body + 1)
    .join("")
    .trim()
    .split(/(?<=>)\s/, 1);
  const own = form.field === undefined ? [] : [fieldOf(form.field)];
  return [{ opening, closing, form, sign: signOf(form), fields: [...own, ...tagFields] }];
}

/** Returns the sign that begins a call. A word between the signs around calls is none: `call:` */
function signOf({ around, call }: CallForm): string {
  const sign = partsOf(call)[0]?.trim() ?? "";
  return around && /^\w+:$/.test(sign) ? "" : sign;
}

function fieldOf(form: string): Field {
  const parts = partsOf(form);
  const value = parts.findIndex((part) => part === "VALUE" || part === "JSON");
  return { opening: new RegExp(patternOf(parts.slice(0, value)), "yu"), closing: parts.slice(value + 1).join("") };
}

/** The signs around calls. */
export interface Around {
  readonly opening: RegExp;
  readonly sign: string;
  readonly closings: readonly string[];
}

/** All signs around calls, the longest first. */
export const arounds: readonly Around[] = [...closingsByOpening()]
  .sort(([one], [other]) => other.length - one.length)
  .map(([sign, closings]) => ({ opening: new RegExp(aroundPattern(sign), "yu"), sign, closings }));

/** The sign of a tag may lack its end: `<functioncall {"name": …`. */
function aroundPattern(sign: string): string {
  return patternOf([sign]).replace(/>$/, String.raw`(?:>|\s{1,9}(?=\{))`);
}

function closingsByOpening(): Map<string, string[]> {
  const known = new Map<string, string[]>();
  for (const { around = [] } of callForms) {
    const [opening, closing] = around.map(withoutSeparators);
    if (opening) known.set(opening, [...(known.get(opening) ?? []), ...(closing ? [closing] : [])]);
  }
  return known;
}

/** The signs that begin a call, or the calls of a reply. Other texts have the weak ones, too. */
const signs = callForms.flatMap((form) =>
  [form.around?.[0] ?? "", signOf(form)].map((sign) => ({
    sign: withoutSeparators(sign).trim(),
    weak: form.weak ?? false,
  })),
);

/** The signs that begin a call, and that no other text has. */
export const openingSigns: readonly string[] = [
  ...new Set(signs.flatMap(({ sign, weak }) => (weak || sign === "" ? [] : [sign]))),
];

/** The signs that end a call, or the calls of a reply. */
export const closingSigns: readonly string[] = [
  ...new Set([...arounds.flatMap(({ closings }) => closings), ...heads.map(({ closing }) => closing)]),
].filter((sign) => sign !== "" && sign !== "</NAME>");

/** Matches wherever calls may begin, also at a tag (`<`), which may be named after a tool. */
export const anyOpening = new RegExp(openingPatterns().join("|"), "gu");

function openingPatterns(): string[] {
  const known = [...new Set(signs.map(({ sign }) => sign))].filter((sign) => sign.length > 1);
  const patterns = known.sort((a, b) => b.length - a.length).map(aroundPattern);
  return [...patterns, String.raw`<(?=[\w.-]{1,100}[\s>])`];
}
