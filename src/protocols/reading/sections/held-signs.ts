import { escaped } from "../../../base/escaped.js";
import { perObject } from "../../../base/per-object.js";
import type { ToolSpec } from "../../../tool-inputs/tool-spec.js";
import { certainSigns, weakSigns } from "./special-tokens.js";

/**
 * Matches signs that come one after the other, or the first of them at the end of a text.
 *
 * @param rest What has to follow the signs.
 */
function orBeginning(signs: readonly string[], rest = ""): string {
  return signs.reduceRight((after, sign) => `${sign}(?:$|${after})`, rest);
}

/** Matches a sign, or its beginning at the end of a text. A word is no part of a longer one. */
function signOrBeginning(sign: string, rest?: string): string {
  const start = /^\w/.test(sign) ? String.raw`(?<![\p{L}\p{N}_])` : "";
  return (
    start +
    orBeginning(
      Array.from(sign, (letter) => (letter === " " ? String.raw`\s` : escaped(letter))),
      rest,
    )
  );
}

/** Matches a token, or the sign of a call. Other texts also have `<|`, as in `<|file-17|>`. */
const token = [
  String.raw`<(?:$|[|｜]["/]?[\w▁:]{0,60}(?:$|[|｜>]))`,
  ...certainSigns.filter((sign) => !/^<[|｜]/.test(sign)).map((sign) => signOrBeginning(sign)),
].join("|");

/** Matches where the words of a reply may end, whatever its tools are. */
export const anyToken = new RegExp(token, "gu");

/**
 * Makes the pattern of all that may begin a call: a token, the sign of a form, the name of a tool before its arguments, in a
 * tag or in JSON. At the end of a text it also matches what may become one, so that words up to a match stay words.
 */
export const callSigns = perObject((tools: readonly ToolSpec[]): RegExp => {
  const names = tools.map(({ name }) => name).filter((name) => name.trim() !== "");
  const name = (rest: string) =>
    names.length === 0 ? "(?!)" : names.map((written) => spelled(written, rest)).join("|");
  const inJson = `["'](?:action|tool|function|recipient|final|answer)|${name("(?:)")}`;
  return new RegExp(
    [
      token,
      ...["<answer>", "<final_answer>"].map((tag) => signOrBeginning(tag)),
      ...[...weakSigns, "print("].map((sign) => signOrBeginning(sign, `(?:${name("")}|\\[)`)),
      String.raw`(?<![\p{L}\p{N}_])(?:${name(String.raw`[([]|:?\s{0,20}(?:$|\{)`)})`,
      // An unknown tag around JSON, and JSON up to its next brace
      String.raw`<[\w:-]{1,40}(?:$|>\s{0,20}(?:$|[{[]))`,
      String.raw`\{\s*(?:$|["'](?:(?=[^{}]{0,100}?(?:${inJson}))|(?=[^{}]{0,199}$)))`,
      String.raw`(?<=(?:^|\n)[ \t]{0,20})["'](?:\w{0,6}$|(?:action|tool)["']\s*(?:$|:))`,
    ].join("|"),
    "giu",
  );
});

/** Matches the name of a tool in other spellings, too: `get\_weather`, `Get Weather`. */
function spelled(name: string, rest: string): string {
  return orBeginning(
    Array.from(name, (letter) => (/[\s_.\\-]/.test(letter) ? String.raw`\\?[\s_.-]?` : escaped(letter))),
    rest,
  );
}

/** Returns the place of the first sign from a place on. It is the length of the text if there is none. */
export function placeOf(signs: RegExp, text: string, from: number): number {
  signs.lastIndex = from;
  return signs.exec(text)?.index ?? text.length;
}
