import { inOneLine } from "../../base/shorten.js";
import { withoutWords } from "./spoken-forms.js";

/**
 * The sign after a percentage, as mathjs reads it. `%` itself would have two meanings: it is the remainder, too. In
 * mathjs the apostrophe transposes a list, and there are no lists here. It binds as `!` does.
 */
export const percentSign = "'";

/** The ways in which people and models write an operator or a constant, and the calculator's way. */
const spellings: readonly (readonly [RegExp, string])[] = [
  [/[×·⋅∙]/g, "*"],
  [/[÷∕]/g, "/"],
  [/[−–—]/g, "-"],
  [/\*\*/g, "^"],
  [/³√/g, "∛"],
  [/π/g, " pi "],
  [/τ/g, " tau "],
  [/[$€£¥₹元円원]|\b(?:USD|EUR|GBP|dollars?|euros?)\b/gi, ""],
  [/(?<=\d)_(?=\d)/g, ""],
  [/(?<=\d) ?thousand\b/gi, "e3"],
  [/(?<=\d) ?million\b/gi, "e6"],
  [/(?<=\d) ?billion\b/gi, "e9"],
  [/(?<=\d) ?trillion\b/gi, "e12"],
  [/\b(?:the )?square root of\b/gi, "√"],
  [/\b(?:the )?cube root of\b/gi, "∛"],
  [/\bto the power of\b/gi, "^"],
  [/\b(?:multiplied by|times)\b/gi, "*"],
  [/\bdivided by\b/gi, "/"],
  [/\bplus\b/gi, "+"],
  [/\bminus\b/gi, "-"],
  [/\bsquared\b/gi, "^2"],
  [/\bcubed\b/gi, "^3"],
  [/\s*\bper\s?cent\b/gi, "%"],
  [/(?<=[\d)%])\s*\bof\b/gi, "*"],
  [/\s%\s+(?=-[\d.(])/g, " mod "],
  [/\s*%(?!\s*[\w.(√∛])/g, percentSign],
  [/(?<=[\d)])\s+x\s+(?=[\d(])/gi, "*"],
  [/(?<=[\d)])(?<!(?<![\d.])0)x(?=[\d(])/gi, "*"],
  [/\bmath\.(?=[a-z])/gi, ""],
  [/\b(sin|cos|tan)\s*\(([^()]*?)\s*(?:°|\bdeg(?:rees?)?\b)\s*\)/gi, "$1d($2)"],
  [/√\s*(\d[\d.]*)/g, "sqrt($1)"],
  [/√\s*(?=[(a-z])/gi, "sqrt"],
  [/∛\s*(\d[\d.]*)/g, "cbrt($1)"],
  [/∛\s*(?=[(a-z])/gi, "cbrt"],
];

/** The functions of several numbers. A comma in their parentheses separates two numbers and does not group digits. */
const argumentLists =
  /\b(?:min|max|sum|product|mean|average|median|gcd|lcm|mod|pow|atan2|log|hypot|nthRoot|comb(?:inations)?|perm(?:utations)?)\s*\(/y;
const thousands = /\d{1,3}(?:,\d{3})+(?!,?\d)/y;
const roundThousands = /\d{1,3}(?:,0\d\d)+(?!,?\d)/y;

/** An expression that the calculator can read, or the problem of the text. */
export interface PlainExpression {
  readonly expression: string;
  readonly problem: string | undefined;
  /** What the text was taken to mean where others mean something else. */
  readonly conventions: readonly string[];
}

/**
 * Reduces a question to its arithmetic expression: `what is $1,234.5 × 2?` becomes `1234.5 * 2`. It never guesses at a
 * number. A comma that does not group thousands stays, and is an error later.
 */
export function plainExpression(text: string): PlainExpression {
  const bare = joinThousands(withoutWords(withoutPhrases(inOneLine(asciiForms(text)))));
  const spelled = spellings.reduce((result, [spelling, plain]) => result.replace(spelling, plain), withPowers(bare));
  const expression = inOneLine(spelled);
  return {
    expression,
    problem: /['"`]/.test(bare) ? "it has a quotation mark" : problemOf(expression),
    conventions: /\b0x/i.test(expression) ? ["0x begins a hexadecimal number"] : [],
  };
}

/** Finds what is certainly no arithmetic, before anything else reads the expression. */
function problemOf(expression: string): string | undefined {
  if (expression === "") return "it is empty";
  if (expression.includes("=")) return "it is an equation, not only what is to be worked out";
  const [other] = /[^\w\s.,+\-*/^!%'()]/u.exec(expression) ?? [];
  if (other !== undefined) return `${other} is more than arithmetic; lists, texts and conditions are not known`;
  const [number] = /\b0[xbo](?!(?<=x)[\da-f]+\b|(?<=b)[01]+\b|(?<=o)[0-7]+\b)\w*/i.exec(expression) ?? [];
  return number && `${number} is not a number`;
}

/** Writes raised digits as a power: 2²³ becomes 2^(23). */
function withPowers(text: string): string {
  return text.replace(/[⁺⁻]?[⁰¹²³⁴-⁹]+(?!√)/gu, (digits) => `^(${digits.replace(/./gu, plainDigit)})`);
}

function plainDigit(raised: string): string {
  return "0123456789+-".charAt("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻".indexOf(raised));
}

/** Replaces full-width digits, operators and parentheses, which East Asian keyboards write. */
function asciiForms(text: string): string {
  return text.replace(/[！-～]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0));
}

function withoutPhrases(text: string): string {
  return text
    .trim()
    .replace(/^[`"']+|[`"']+$/g, "")
    .replace(/^\s*(?:please\s+)?(?:what(?:'s| is)|how much is|calculate|compute|evaluate|solve|expression:)\s+/i, "")
    .replace(/^(?:the )?(?:result|value) of\s+/i, "")
    .replace(/[\s=?.]+$/, "");
}

/** Takes the commas out of `1,234,567`. The arguments of a function stay: `max(100,200)` has two numbers. */
function joinThousands(text: string): string {
  let joined = "";
  const inArguments: boolean[] = [];
  for (let at = 0; at < text.length; ) {
    const call = matchAt(argumentLists, text, at);
    const afterDigit = /[\d.,]$/.test(joined);
    const number = afterDigit ? undefined : matchAt(inArguments.at(-1) ? roundThousands : thousands, text, at);
    const piece = call ?? number?.replaceAll(",", "") ?? text.charAt(at);
    if (piece.endsWith("(")) inArguments.push(call !== undefined);
    if (piece === ")") inArguments.pop();
    joined += piece;
    at += (call ?? number ?? piece).length;
  }
  return joined;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
