import { type Candidate, canAnswer } from "./can-answer.js";
import { quantitiesIn } from "./quantities.js";
import { contentWords, senseOf } from "./words.js";

/**
 * The share of a question's weight that a sentence must carry to be an answer. Below it, the passage is about something
 * else.
 */
const enough = 0.6;
/** The weight of a synonym, compared with the word itself. */
const synonymShare = 0.8;
/** The weight of a word in the heading, compared with a word in the sentence. */
const contextShare = 0.7;
/**
 * The bonus of a sentence with a quantity, if the question may ask for one. A sentence about the past loses as much.
 */
const fitBonus = 0.15;

/**
 * Returns the sentence of a search result that answers a question best. Returns undefined if no sentence has enough
 * words of the question. Rare words weigh more than common words. A word that no passage has weighs most. So a question
 * about something else finds nothing.
 */
export function bestSentence(observation: string, question: string): string | undefined {
  if (foundNothing(observation.trim()) || !contentWords(question).some((word) => /\p{L}/u.test(word))) return undefined;
  return directAnswer(observation.trim()) ?? answersIn(observation, question)[0]?.text;
}

/** A sentence that answers a question, with the number of its passage. */
export interface FoundAnswer {
  readonly text: string;
  readonly passage: number | undefined;
}

/** Returns the sentences of passages that answer a question, the best one first. */
export function answersIn(passages: string, question: string): FoundAnswer[] {
  const candidates = candidatesIn(passages);
  const coverage = coverageOf(contentWords(question), candidates);
  // "0.3 seconds" is a good answer to "How fast is it?".
  const needed = coverageOf(contentWords(question.replace(asksNumber, "")), candidates);
  return candidates
    .filter((candidate) => needed(candidate) >= enough && canAnswer(candidate, question))
    .map((candidate) => ({ ...candidate, score: coverage(candidate) + fitness(candidate.text, question) }))
    .sort((a, b) => b.score - a.score);
}

/** Makes a function that returns the share of the words' weight in a sentence, from 0 to 1. */
function coverageOf(words: readonly string[], candidates: readonly Candidate[]): (candidate: Candidate) => number {
  const weighted = [...new Set(words)].map((word) => ({ word, weight: weightOf(word, candidates) }));
  const total = sum(weighted.map(({ weight }) => weight));
  return (candidate) => sum(weighted.map(({ word, weight }) => weight * presence(word, candidate))) / (total || 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function weightOf(word: string, candidates: readonly Candidate[]): number {
  const holders = candidates.filter((candidate) => presence(word, candidate) > 0).length;
  return Math.log(1 + (candidates.length + 1) / (holders + 0.5));
}

function presence(word: string, { words, senses, context }: Candidate): number {
  if (words.has(word)) return 1;
  if (senses.has(senseOf(word))) return synonymShare;
  return context.has(senseOf(word)) ? contextShare : 0;
}

const asksNumber = /\bhow (?:fast|long|many|much|high|tall|old|far|hot|cold|big|warm|heavy|deep)\b/i;
const suggestsNumber = /\b(?:time|record|temperature|number|price|height)\b/i;
const aboutThePast = /^(?:before|until|previously|formerly|earlier)\b/i;

function fitness(sentence: string, question: string): number {
  const hasQuantity =
    suggestsNumber.test(question) && quantitiesIn(sentence).some(({ text }) => !question.includes(text));
  return (hasQuantity ? fitBonus : 0) - (aboutThePast.test(sentence) ? fitBonus : 0);
}

/** The line with which a search tool names the source of a passage: `[1] cubes.md, World records`. */
const heading = /^(?:\[\d+\]|#+)\s/;
/** A line that does not continue the line before. */
const lineStart = /^\s*(?:[-*•|]|\d+[.)]\s|$)/;

/** Tells whether a search tool found nothing. It says so in a single line, which may repeat the words of the search. */
function foundNothing(observation: string): boolean {
  return (
    !observation.includes("\n") &&
    /^(?:no|nothing|there (?:is|are) no|cannot|could not|error)\b|\bfound nothing\b|\bno results?\b/i.test(observation)
  );
}

/** Returns the answer that a search engine gives itself, above its results or with its source behind it. */
function directAnswer(observation: string): string | undefined {
  const [first = "", ...results] = observation.split("\n\n");
  const isDirect = !heading.test(first) && (results[0]?.startsWith("[1] ") || /\(https?:\/\/[^\s)]*\)$/.test(first));
  return isDirect ? first : undefined;
}

/** Returns the sentences of all passages, each with the words of its heading. */
function candidatesIn(observation: string): (Candidate & Pick<FoundAnswer, "passage">)[] {
  let context: ReadonlySet<string> = new Set();
  let passage: number | undefined;
  return paragraphsOf(observation).flatMap((paragraph) => {
    if (heading.test(paragraph)) {
      context = new Set(contentWords(paragraph).map(senseOf));
      passage = Number(/^\[(\d+)\]/.exec(paragraph)?.[1] ?? passage) || undefined;
      return [];
    }
    return sentencesOf(paragraph).map((text) => {
      const words = contentWords(text);
      return { text, words: new Set(words), senses: new Set(words.map(senseOf)), context, passage };
    });
  });
}

/** Returns the headings, the list items and the paragraphs of a text. The wrapped lines of a paragraph are joined. */
function paragraphsOf(observation: string): string[] {
  const paragraphs: string[] = [];
  let open = false;
  for (const line of observation.split("\n")) {
    const goesOn = open && !lineStart.test(line) && !heading.test(line);
    if (goesOn) paragraphs.push(`${paragraphs.pop()} ${line.trim()}`);
    else paragraphs.push(line.trim());
    open = line.trim() !== "" && !heading.test(line);
  }
  return paragraphs;
}

/** Returns the sentences of a paragraph. A sentence that needs the one before ("It was set in …") is joined with it. */
function sentencesOf(line: string): string[] {
  const sentences: string[] = [];
  for (const sentence of line.replace(/^\s*[-*•]\s+/, "").split(/(?<=[.!?]["”')\]]?)\s+(?=["“(]?\p{Lu}|\d)/u)) {
    const before = sentences.at(-1);
    const leans = /^(?:It|Its|He|She|His|Her|They|Their|This|That|These|Those)\b/.test(sentence);
    const abbreviated =
      before !== undefined && /(?<=^|[\s(])(?:\p{Lu}|Dr|Mr|Mrs|Ms|St|Jr|No|vs|approx)\.$/u.test(before);
    if (before !== undefined && abbreviated) sentences[sentences.length - 1] = `${before} ${sentence}`;
    else if (before !== undefined && leans) sentences.push(`${before} ${sentence}`);
    else if (sentence.trim() !== "") sentences.push(sentence.trim());
  }
  return sentences;
}
