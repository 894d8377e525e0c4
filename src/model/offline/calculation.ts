/** A calculation in words and as an expression for a calculator. */
export interface Calculation {
  readonly subject: string;
  readonly expression: string;
}

const asking =
  /^(?:(?:please|so|and|then|tell me|calculate|compute|wh(?:at|o)['’]s|(?:what|who|how much) (?:is|was|are|were)),? )+/i;

/** Removes the words that ask: "What is the square root of 25?" becomes `the square root of 25`. */
export function withoutAsking(question: string): string {
  return question
    .trim()
    .replace(asking, "")
    .replace(/[\s?.=]+$/, "");
}

const spoken: readonly (readonly [RegExp, string])[] = [
  [/(?:the )?square root of (\d[\d.,]*)/gi, "sqrt($1)"],
  [/(?:the )?cube root of (\d[\d.,]*)/gi, "$1^(1/3)"],
  [/ squared\b/gi, "^2"],
  [/ (?:raised )?to the power (?:of )?/gi, "^"],
  [/ (?:multiplied by|times) |×| x (?=\d)/gi, "*"],
  [/ divided by |÷/gi, "/"],
  [/ plus /gi, "+"],
  [/ minus |−/gi, "-"],
  [/ ?\bper ?cent\b/gi, "%"],
];

const arithmetic = /^(?:[\d\s.,+\-*/^%()!√$]|\b(?:of|off|pi|sqrt|cbrt|abs|log|exp|sin|cos|tan|round|min|max)\b)+$/;
const operation = /\d.*[-+*/^%!]|[(√].*\d/;
const date = /^(?:\d{4}-\d\d-\d\d|\d\d?([-/])\d\d?\1\d{4})$/;

/** Reads a question as a calculation. Returns undefined if it has other words than numbers and operations. */
export function readCalculation(question: string): Calculation | undefined {
  const subject = withoutAsking(question);
  const expression = spoken.reduce((text, [words, sign]) => text.replace(words, sign), subject);
  const isCalculation = arithmetic.test(expression) && operation.test(expression) && !date.test(expression);
  return isCalculation ? { subject, expression } : undefined;
}

/** Returns what a calculation needs to look up: "the square root of the height of X" needs "the height of X". */
export function missingNumber(question: string): string | undefined {
  const text = withoutAsking(question);
  const [, after = ""] = / of (.+)$/.exec(text) ?? [];
  const [, before = ""] =
    /^(.+?) (?:squared|plus|minus|times|divided|multiplied|raised|to the power)\b/.exec(text) ?? [];
  const needs = (phrase: string) => /\p{L}/u.test(phrase) && readCalculation(text.replace(phrase, "7")) !== undefined;
  return text.length < question.length - 1 ? [after, before].find(needs) : undefined;
}

/** Returns the number that a clause gives: that behind "is". A number of millions, or of a date, is none. */
export function numberIn(clause: string): string | undefined {
  return /\b(?:is|was) (?:about )?(-?\d[\d,]*(?:\.\d+)?)(?![\d.,]*\d|\s*(?:\p{Lu}|[mb]illion))/u.exec(clause)?.[1];
}
