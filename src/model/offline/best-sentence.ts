import { stemsOf, type Word, wordsOf } from "./words.js";

/** A sentence that answers a question, with the clause that does so and the number of its passage. */
export interface FoundAnswer {
  readonly text: string;
  readonly clause: string;
  readonly passage: number;
}

/** In characters. A longer text is no question that a sentence answers. */
export const longestQuestion = 500;

/**
 * Returns the sentences of numbered passages that answer a question, the shortest first. All words of the question must stand
 * in one clause, in the order of the question, so that a question about anything else finds nothing.
 */
export function answersIn(passages: string, asked: string): FoundAnswer[] {
  const question = asked.trim();
  if (question.length > longestQuestion) return [];
  const found = passages.split(/^(?=\[\d+\] )/m).flatMap((each) => {
    const [, number, written = ""] = /^\[(\d+)\] .*\n([\s\S]*)/.exec(each) ?? [];
    const sentences = sentencesIn(written).filter((text) => !outdated.test(text));
    return sentences.flatMap((text) => clausesOf(text).map((clause) => ({ text, clause, passage: Number(number) })));
  });
  return found
    .filter(({ clause }) => isAnswer(clause, question))
    .sort((one, other) => one.clause.length - other.clause.length);
}

/** "Before 2025, Ann Lee held the record" does not tell who holds it. */
const outdated = /^(?:before|until|formerly|previously|earlier)\b/i;
const sentenceEnd = /(?<=[.!?]["”')\]]?)(?<![\s(](?:\p{Lu}|Dr|Mr|Mrs|Ms|St|Jr|No|vs)\.)\s+(?=["“(]?[\p{Lu}\d])/u;
/** "It was opened in 1931." needs the sentence before. */
const leans = /^(?:It|Its|He|She|His|Her|They|Their|This|That|These|Those)\b/;

function sentencesIn(text: string): string[] {
  const blocks = text.replace(/^#+ .*$/gm, "\n").split(/\n\s*\n|\n(?=\s*(?:[-*•|]|\d+[.)]) )/);
  return blocks.flatMap((block) => {
    const plain = block.replace(/^\s*[-*•] /, "").trim();
    const sentences = plain.replace(/\s+/g, " ").split(sentenceEnd);
    return sentences.map((each, n) => (leans.test(each) && n > 0 ? `${sentences[n - 1]} ${each}` : each));
  });
}

function clausesOf(sentence: string): string[] {
  return sentence.split(/: (?=\p{Ll})|; |, and /u);
}

function isAnswer(text: string, question: string): boolean {
  if (/\bhow many \p{L}/iu.test(question)) return counts(text, question);
  if (/\bhow old\b/i.test(question)) return tellsAge(text, question);
  if (/\b(?:why|how|what time)\b/i.test(question)) return false;
  if (/^(?:what|who|which)(?:['’]s| is| was| are| were)\b/i.test(question)) return defines(text, question);
  if (/^who\b/i.test(question)) return tellsDoer(text, question);
  const stems = stemsOf(question);
  // "Ann, born in Oslo, won in 1999" tells neither when she was born nor where she won.
  const told = text.split(/, (?!in |on |at )/).filter((part) => stemsOf(part).includes(stems.at(-1) ?? ""));
  if (/^when\b/i.test(question) && !/\b(?:1\d|20)\d{2}\b|\b\d+ BC\b/.test(told.join())) return false;
  if (/^where\b/i.test(question) && !tellsPlace(told.join(), stems)) return false;
  return tells(stems, wordsOf(text));
}

/** Tells whether words stand in a text in this order. No other name may stand right before a name, or between them. */
function inOrder(stems: readonly string[], words: readonly Word[]): boolean {
  const places: number[] = [];
  const placeOf = (stem: string) => words.findIndex((word, at) => at > (places.at(-1) ?? -1) && word.stem === stem);
  for (const stem of stems) places.push(placeOf(stem));
  const [first = -1] = places;
  const span = words.slice(Math.max(0, words[first]?.isName ? first - 1 : first), places.at(-1));
  return stems.length > 0 && !places.includes(-1) && !namesOther(span, stems);
}

function namesOther(words: readonly Word[], stems: readonly string[]): boolean {
  return words.some(({ stem, isName }) => isName && !stems.includes(stem));
}

/** Names alone ask for nothing. */
function areNames(stems: readonly string[], words: readonly Word[]): boolean {
  return stems.every((stem) => words.some((word) => word.stem === stem && word.isName));
}

function tells(stems: readonly string[], words: readonly Word[]): boolean {
  return stems.length > 1 && inOrder(stems, words) && !areNames(stems, words);
}

const numbers = new Set(stemsOf("one two three four five six seven eight nine ten eleven twelve"));

function counts(text: string, question: string): boolean {
  const [asked = "", thing = ""] = /\bhow many (\p{L}+)/iu.exec(question) ?? [];
  const [counted] = stemsOf(thing);
  const words = wordsOf(text);
  const isNumber = (stem: string) => /^\d/.test(stem) || numbers.has(stem);
  const isCounted = words.some(({ stem }, place) => isNumber(stem) && words[place + 1]?.stem === counted);
  return isCounted && inOrder(stemsOf(question.replace(asked, "")), words);
}

function tellsAge(text: string, question: string): boolean {
  const [, who = "nobody"] = /(\p{L}+) (?:is|was|are|were) (?:about )?\d+ years? old\b/u.exec(text) ?? [];
  const isAsked = question
    .toLowerCase()
    .split(/[^\p{L}]/u)
    .includes(who.toLowerCase());
  return isAsked && inOrder(stemsOf(question.replace(/\bhow old\b/i, "")), wordsOf(text));
}

function tellsPlace(text: string, stems: readonly string[]): boolean {
  const places = text.match(/(?<=\b(?:in|at|on|near) (?:the )?)\p{Lu}\p{L}+/gu) ?? [];
  return namesOther(wordsOf(places.join(" ")), stems);
}

/** Answers "What is X?" by "X is …", and "Who was a student of X?" by "Y was a student of X". */
function defines(text: string, question: string): boolean {
  const [, asking = "", verb = "is", phrase = ""] = /^(\w+)(?:['’]s| (\w+)) (.*)$/s.exec(question) ?? [];
  const [, subject = "", said, predicate = ""] = /^(.*?)\s(is|was|are|were)\b,?\s(.*)$/.exec(text) ?? [];
  const [stems, subjectWords, isWho] = [stemsOf(phrase), wordsOf(subject), /^who$/i.test(asking)];
  if (inOrder(stems, subjectWords)) {
    const isNamed = areNames(stems, subjectWords);
    const isWhole = isNamed ? subjectWords.length === stems.length : stems.length > 1;
    return isWhole && (/^(?:an? |the |\p{Lu})/u.test(predicate) || !(isWho || isNamed));
  }
  const told = wordsOf(predicate).slice(0, stems.length);
  const isTold = verb.toLowerCase() === said && tells(stems, told);
  return isTold && (!isWho || namesOther(subjectWords, stems));
}

/** Answers "Who made X?" by "Y made X" or "X was made by Y". */
function tellsDoer(text: string, question: string): boolean {
  const [verb = "", ...others] = stemsOf(question);
  const [words, stems] = [wordsOf(text), [verb, ...others]];
  const [before = "", after = ""] = text.split(/ by (.*)/s);
  const [done, isBy] = [wordsOf(before), (word?: Word) => after !== "" && word?.stem === verb];
  const isPassive = others.length > 0 && done.slice(-2).some(isBy) && inOrder([...others, verb], done);
  if (isPassive) return namesOther(wordsOf(after), stems);
  const place = words.findIndex(({ stem }) => stem === verb);
  return !isBy(done.at(-1)) && tells(stems, words) && namesOther(words.slice(0, place), stems);
}
