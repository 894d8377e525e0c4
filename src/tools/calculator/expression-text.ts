import { inOneLine } from "../../base/shorten.js";
import { Refusal } from "./functions.js";

/**
 * The character that stands for a percent sign in the text for mathjs, in which `%` is the remainder. Mathjs's apostrophe
 * transposes a list, and there are no lists here. Its precedence is that of `!`.
 */
export const percentSign = "'";

type Spellings = readonly (readonly [RegExp, string])[];

/** What stands around an expression. */
const phrases: Spellings = [
  [/^["'`]+|["'`]+$/g, ""],
  [/^(?:please )?(?:what(?:'s| is)|how much is|calculate|compute|evaluate|solve|expression:) /, ""],
  [/^(?:the )?(?:result|value) of /, ""],
  [/[\s=?.]+$/, ""],
];

/** The ways in which people and models write an operator or a constant, and the calculator's way. */
const spellings: Spellings = [
  [/'/g, '"'],
  [/[×·⋅∙]|\b(?:multiplied by|times)\b/g, "*"],
  [/[÷∕]|\bdivided by\b/g, "/"],
  [/[−–—]|\bminus\b/g, "-"],
  [/\*\*|\bto the power of\b/g, "^"],
  [/π/g, " pi "],
  [/[$€£¥₹元円]|(?<=\d)_(?=\d)|\bmath\.(?=[a-z])|\b(?:usd|eur|gbp|dollars?|euros?)\b/g, ""],
  [/\b(?:the )?square root of\b/g, "√"],
  [/\bplus\b/g, "+"],
  [/\bsquared\b/g, "^2"],
  [/\bcubed\b/g, "^3"],
  [/ ?\bper ?cent\b/g, "%"],
  [/^(\S+%) off (?:of )?(\S+)$/, "$2 - $1"],
  [/(?<=[%)]|\/ ?\d+) ?\bof\b/g, "*"],
  [/ % +(?=-[\d.(])/g, " mod "],
  [/ ?%(?! ?[\w.(√])/g, percentSign],
  [/(?<=[\d)])(?: x |(?<!(?<![\d.])0)x)(?=[\d(])/g, "*"],
  [/\b(sin|cos|tan) ?\(([^()]*?) ?(?:°|\bdeg(?:rees?)?) ?\)/g, "$1(($2) * pi / 180)"],
  [/√ ?(\d[\d.]*)/g, "sqrt($1)"],
  [/√ ?(?=[(a-z])/g, "sqrt"],
];

/** What is certainly no arithmetic, and the rest of a sentence about it. */
const problems: Spellings = [
  [/^$/, "it is empty"],
  [/=/, "makes it an equation, not only what is to be worked out"],
  [/[^\w\s.,+\-*/^!%'()]/u, "is more than arithmetic; lists, texts and conditions are not known"],
  [/\b0[xbo]\w*/, "is not a decimal number"],
  [/! ?!/, "has two meanings; write (5!)! or 5*3*1"],
  [/,0\d|\d,\d{3}\b.*, |, .*\d,\d{3}\b/, "may group digits or separate numbers; write numbers without commas"],
];

/**
 * Reduces a question to its arithmetic expression, in small letters: `What is $1,234.5 × 2?` becomes `1234.5 * 2`. It
 * never guesses at a number.
 *
 * @throws {Refusal} if it is certainly no arithmetic.
 */
export function plainExpression(text: string): string {
  const bare = respell(inOneLine(plainForms(text)).toLowerCase(), phrases);
  const expression = inOneLine(respell(withoutThousands(bare), spellings));
  for (const [pattern, problem] of problems) {
    const found = pattern.exec(expression);
    if (found) throw new Refusal(`${found[0]} ${problem}`.trim());
  }
  return expression;
}

function respell(text: string, spelled: Spellings): string {
  return spelled.reduce((result, [spelling, plain]) => result.replace(spelling, plain), text);
}

/** Writes raised digits as a power, and other forms of digits and signs, such as those of full width, as plain ones. */
function plainForms(text: string): string {
  return text
    .replace(/[^⁺⁻⁰¹²³⁴-⁹]+/g, (part) => part.normalize("NFKC"))
    .replace(/[⁺⁻]?[⁰¹²³⁴-⁹]+(?!√)/g, (digits) => `^(${digits.normalize("NFKC")})`);
}

/** The functions whose commas may stand between two numbers of three digits. */
const lists =
  /\b(?:min|max|sum|product|mean|average|median|gcd|lcm|mod|pow|atan2|log|hypot|nthroot|comb\w*|perm\w*) ?\(/;

/** Takes the commas out of `1,234,567`. Where there are lists they may separate numbers: `max(100,200)` has two. */
function withoutThousands(text: string): string {
  return text.replace(/(?<![\d.,])\d{1,3}(?:,\d{3})+(?!,?\d)/g, (number) =>
    /^\d+(?:,0\d\d)+$/.test(number) || !lists.test(text) ? number.replaceAll(",", "") : number,
  );
}
