import type { Quantity } from "./quantities.js";
import { quantitiesIn } from "./quantities.js";
import { conversionExpression, type Unit, unitNamed, unitPattern } from "./units.js";

/** A calculation that a question asks for. */
export interface Calculation {
  /** The calculation in the words of the question: `the square root of 25`. */
  readonly subject: string;
  /** The number to look up first: `the world record time`. Left out if the question has all numbers. */
  readonly lookup?: string;
  /**
   * Returns the expression for the calculator, with the number that was found. Returns undefined if that number does
   * not fit.
   */
  readonly expression: (found?: Quantity) => string | undefined;
  /** The unit of the result. */
  readonly unit?: Unit;
}

/** In characters. A longer text is not a question about numbers. */
const longestQuestion = 1000;

/** Reads the calculation in a question. Returns undefined if the question is not about numbers. */
export function readCalculation(question: string): Calculation | undefined {
  if (question.length > longestQuestion) return undefined;
  const subject = withoutAsking(question);
  const conversion = readConversion(subject);
  if (conversion) return conversion;
  const term =
    subject === bare(question) && /[a-z]{3}/i.test(subject) && !startsLikeTerm.test(subject)
      ? undefined
      : readTerm(subject);
  return term && { subject, ...term };
}

type Term = Omit<Calculation, "subject">;

const asking =
  /^(?:(?:please|so|and|ok|okay|then|now)\b,?\s*)*(?:(?:can|could) you\s+|please\s+)*(?:(?:tell me|calculate|compute|evaluate|work out|solve|convert|give me)\s+)?(?:what(?:['’]s|\s+(?:is|are|was|were|would be))\s+|how much (?:is|are|was)\s+)?/i;

/** Phrases that are arithmetic even without "What is" before them. */
const startsLikeTerm = /^(?:the )?(?:square|cube|half|twice|double|triple)\b|^[\d(]/i;

function bare(question: string): string {
  return question.trim().replace(/[\s?.!=]+$/, "");
}

/** Removes the words that ask: "What is the square root of 25?" becomes `the square root of 25`. */
export function withoutAsking(question: string): string {
  return bare(question).replace(asking, "");
}

const forms: readonly (readonly [RegExp, (value: string) => string])[] = [
  [/^(?:the )?square root of (.+)$/i, (value) => `sqrt(${value})`],
  [/^(?:the )?(?:cube|third) root of (.+)$/i, (value) => `(${value})^(1/3)`],
  [/^(?:the )?square of (.+)$/i, (value) => `(${value})^2`],
  [/^(?:the )?cube of (.+)$/i, (value) => `(${value})^3`],
  [/^(.+) squared$/i, (value) => `(${value})^2`],
  [/^(.+) cubed$/i, (value) => `(${value})^3`],
  [/^half (?:of )?(.+)$/i, (value) => `(${value})/2`],
  [/^(?:a|one) third of (.+)$/i, (value) => `(${value})/3`],
  [/^(?:a|one) quarter of (.+)$/i, (value) => `(${value})/4`],
  [/^(?:twice|double|two times) (.+)$/i, (value) => `2*(${value})`],
  [/^(?:triple|three times) (.+)$/i, (value) => `3*(${value})`],
];

const share = /^([\d.,]+)\s*(?:%|percent|per cent) of (.+)$/i;
const power = /^(.+?) (?:raised )?to the (?:power of ([\d.]+)|([\d.]+)(?:st|nd|rd|th)? power)$/i;
const multiple = /^([\d.,]+)\s*(?:times|x|\*)\s+(.+)$/i;

/**
 * Reads written arithmetic, or one of the forms. A form stands around a number, around another term, or around
 * something to look up.
 */
function readTerm(text: string): Term | undefined {
  const [, owner, form] = /^(.+?)['’]s? ((?:square|cube|third) root)$/i.exec(text) ?? [];
  if (owner !== undefined) return readTerm(`${form} of ${owner}`);
  const written = writtenArithmetic(text);
  if (written !== undefined) return { expression: () => written };
  for (const [pattern, wrap] of forms) {
    const inner = pattern.exec(text)?.[1];
    if (inner !== undefined) return around(inner, wrap);
  }
  const [, percent, whole] = share.exec(text) ?? [];
  if (percent !== undefined && whole !== undefined) return around(whole, (value) => `${percent}/100*(${value})`);
  const [, base, exponent, ordinal = exponent] = power.exec(text) ?? [];
  if (base !== undefined && ordinal !== undefined) return around(base, (value) => `(${value})^${ordinal}`);
  const [, factor, other] = multiple.exec(text) ?? [];
  return factor !== undefined && other !== undefined ? around(other, (value) => `${factor}*(${value})`) : undefined;
}

function around(inner: string, wrap: (value: string) => string): Term {
  const number = plainNumber(inner);
  if (number !== undefined) return { expression: () => simplified(wrap(number)) };
  const term = readTerm(inner);
  if (term === undefined) return { lookup: inner, expression: (found) => found && simplified(wrap(found.value)) };
  return {
    ...(term.lookup === undefined ? {} : { lookup: term.lookup }),
    expression: (found) => {
      const value = term.expression(found);
      return value === undefined ? undefined : simplified(wrap(value));
    },
  };
}

/** Removes the parentheses around a single number: `(25)^2` becomes `25^2`. */
function simplified(expression: string): string {
  return expression.replace(/(?<![a-z\d])\((\d+(?:\.\d+)?)\)/g, "$1");
}

function plainNumber(text: string): string | undefined {
  const number = text.trim().replace(/,(?=\d{3}\b)/g, "");
  return /^-?\d+(?:\.\d+)?$/.test(number) ? number : undefined;
}

const spoken: readonly (readonly [RegExp, string])[] = [
  [/\bto the power of\b/gi, "^"],
  [/\b(?:multiplied by|times)\b|[×·]/gi, "*"],
  [/\bdivided by\b|÷/gi, "/"],
  [/\bplus\b/gi, "+"],
  [/\bminus\b|−/gi, "-"],
  [/(?<=[\d)])\s*\bsquared\b/gi, "^2"],
  [/(?<=[\d)])\s*\bcubed\b/gi, "^3"],
  [/(?<=\d)\s*(?:%|percent|per cent) of\b/gi, "/100*"],
  [/(?<=\d)(?<!\b0)\s*x\s*(?=\d)/gi, "*"],
  [/,(?=\d{3}\b)/g, ""],
];

/** Reads a complete expression and writes its spoken operators as signs: `2 plus 2` becomes `2+2`. */
function writtenArithmetic(text: string): string | undefined {
  const written = spoken.reduce((expression, [word, sign]) => expression.replace(word, sign), text).trim();
  const compact = written.replace(/\s*([-+*/^])\s*/g, "$1");
  const letters = compact.match(/[a-z]+/gi) ?? [];
  const isArithmetic =
    /^[^*/^)]*\d/.test(compact) &&
    /[-+*/^!%]|\w\(/.test(compact.replace(/^-/, "")) &&
    /^[\w\s.,+\-*/^()!%]+$/.test(compact) &&
    letters.every((word) =>
      /^(?:sqrt|cbrt|abs|log|log10|log2|exp|sin|cos|tan|round|floor|ceil|min|max|pi|e)$/i.test(word),
    );
  return isArithmetic && !/^(?:\d{4}-\d{2}-\d{2}|\d{1,2}\/\d{1,2}\/\d{4})$/.test(compact) ? compact : undefined;
}

const conversion = new RegExp(`^(.+?),?\\s+(?:in|into|to|as)\\s+(?:degrees\\s+)?(${unitPattern}|[CF])$`, "i");
const howMany = new RegExp(`^how many (${unitPattern}) (?:are|is|make)(?: there)?(?: in)? (.+)$`, "i");

/** Reads a conversion to another unit, of a quantity or of something to look up. */
function readConversion(text: string): Calculation | undefined {
  const [, name, counted] = howMany.exec(text) ?? [];
  const [, written = counted, unitName = name] = conversion.exec(text) ?? [];
  const inner = written?.replace(/^(?:an?|one) (?=\w+$)/i, "1 ");
  const unit = unitName === undefined ? undefined : unitNamed(unitName);
  if (inner === undefined || unit === undefined) return undefined;
  const [given, ...others] = quantitiesIn(inner);
  const convert = (quantity?: Quantity) => quantity?.unit && conversionExpression(quantity.value, quantity.unit, unit);
  const isQuantity = given?.unit && others.length === 0 && given.text.length + 3 >= inner.trim().length;
  if (isQuantity)
    return convert(given) === undefined ? undefined : { subject: inner, expression: () => convert(given), unit };
  return { subject: inner, lookup: inner, expression: convert, unit };
}
