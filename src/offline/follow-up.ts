import { readCalculation } from "./calculation.js";
import { quantitiesIn } from "./quantities.js";
import type { PastTurn } from "./read-prompt.js";
import { nameIn, personIn, thingFor, thingNamed } from "./references.js";
import { unitNamed, unitPattern } from "./units.js";

/**
 * A follow-up question made to stand on its own: what it points back to is taken from the conversation. A question that
 * points back to nothing, or to something the rules cannot find, comes back as it is.
 */
export function standaloneQuestion(question: string, history: readonly PastTurn[]): string {
  const last = history.at(-1);
  if (last === undefined) return question;
  return (
    inAnotherUnit(question, last) ??
    calculatedWith(question, last) ??
    whatAbout(question, last) ??
    resolved(question, last)
  );
}

const anotherUnit = new RegExp(
  `^(?:and|so|but)?,?\\s*(?:(?:what(?:['’]s| is| was| would be)?|how much (?:is|was)|convert|and)\\s+)?(?:(?:that|it|this|the same(?: value| temperature)?)\\s+)?(?:be\\s+)?(?:in|to|into)\\s+(?:degrees\\s+)?(${unitPattern}|[CF])\\s*\\??$`,
  "i",
);

/** "What is that in Celsius?" after an answer of 54°F is "What is 54°F in Celsius?". */
function inAnotherUnit(question: string, { answer }: PastTurn): string | undefined {
  const name = anotherUnit.exec(question.trim())?.[1];
  const unit = name === undefined ? undefined : unitNamed(name);
  const quantity = quantitiesIn(answer).find(
    (candidate) => candidate.unit?.dimension === unit?.dimension && candidate.unit?.symbol !== unit?.symbol,
  );
  return unit && quantity ? `What is ${quantity.text} in ${name}?` : undefined;
}

/** "What is that squared?" after an answer of 5 is "What is 5 squared?". */
function calculatedWith(question: string, { answer }: PastTurn): string | undefined {
  const number = quantitiesIn(answer).at(-1)?.value;
  if (number === undefined) return undefined;
  const replaced = question.replace(/\b(?:that|it|this|the result|that number)\b/i, number);
  return replaced !== question && readCalculation(replaced)?.lookup === undefined && readCalculation(replaced)
    ? replaced
    : undefined;
}

const months = "January|February|March|April|May|June|July|August|September|October|November|December";
const kinds: readonly RegExp[] = [
  new RegExp(
    `\\b(?:\\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:${months})|(?:${months}) \\d{1,2}(?:st|nd|rd|th)?)(?:,? \\d{4})?`,
    "i",
  ),
  new RegExp(`\\b(?:${months})\\b(?: \\d{4})?`, "i"),
  /\b(?:19|20)\d{2}\b/,
  /(?<=^|\s)(?!What|Who|When|Where|Which|How|Is|Was|Can|Did|Does)\p{Lu}[\p{L}\d.'’-]*(?: (?:of the |of |the |and )?[\p{Lu}\d][\p{L}\d.'’-]*)*/u,
];

/** "And in Oakland?" after "How warm was it in Berlin?" is "How warm was it in Oakland?": like is put in the place of like. */
function whatAbout(question: string, last: PastTurn): string | undefined {
  const about = /^(?:and\s+)?(?:(?:what|how) about|and)\s+(?:(?:in|on|for|at|with|from|by)\s+)?(.+?)\s*\??$/i.exec(
    question.trim(),
  )?.[1];
  if (about === undefined || /\b(?:is|was|are|were|did|does|do|can|it|that|he|she|they)\b/i.test(about))
    return undefined;
  const kind = kinds.find((pattern) => pattern.exec(about)?.[0] === about && pattern.test(last.question));
  return kind && last.question.replace(kind, () => about);
}

/** Puts what they stand for in the place of "this robot", "it", "he", "they" and "there". */
function resolved(question: string, last: PastTurn): string {
  return question
    .replace(
      /\b(?:this|that|these|those|the same) (?!is\b|was\b|in\b|one\b)([a-z]{3,})/gi,
      (all, noun: string) => thingNamed(noun, last) ?? all,
    )
    .replace(/\b(it|its|that|this)\b(?!\s+(?:true|possible|raining)\b)/i, (all, word: string, at: number) => {
      const thing = thingFor(question.slice(0, at), last);
      return thing === undefined ? all : owned(thing, /^its$/i.test(word));
    })
    .replace(/\b(he|she|him|her|his|hers|they|them|their)\b/i, (all, word: string) => {
      const who = personIn(last);
      return who === undefined ? all : owned(who, /^(?:his|hers|their)$/i.test(word) || /\bher\s+\w/i.test(question));
    })
    .replace(/\bthere\b(?=[\s,?]*$)/i, (all) => {
      const place = nameIn(last.question);
      return place === undefined ? all : `in ${place}`;
    });
}

function owned(name: string, possessive: boolean): string {
  if (!possessive) return name;
  return name.endsWith("s") ? `${name}’` : `${name}’s`;
}
