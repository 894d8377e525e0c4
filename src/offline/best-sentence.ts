import { quantitiesIn } from "./quantities.js";
import { contentWords } from "./words.js";

/** A sentence of a passage with the words around it that say what it is about: its heading, its file's name. */
interface Candidate {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly context: ReadonlySet<string>;
}

/** How much of a question's weight a sentence must carry to be an answer. Below it, the passages are about something else. */
const enough = 0.6;
/** What a word of the heading counts, against one of the sentence itself. */
const contextShare = 0.7;
/** What it is worth that a sentence has the kind of thing that was asked for: a number, a name, a date. */
const fitBonus = 0.15;

/**
 * The sentence of a search result that answers a question best, or undefined when none shares enough of its words. Rare
 * words weigh more than common ones; a word that no passage has weighs most, so that a question about something else
 * finds nothing.
 */
export function bestSentence(observation: string, question: string): string | undefined {
  const candidates = candidatesIn(observation);
  const asked = [...new Set(contentWords(question))];
  if (asked.length === 0) return undefined;
  const weights = new Map(asked.map((word) => [word, weightOf(word, candidates)] as const));
  const total = sum(weights.values());
  const scored = candidates.map((candidate) => {
    const covered = sum(asked.map((word) => (weights.get(word) ?? 0) * presence(word, candidate))) / total;
    return { text: candidate.text, covered, score: covered + fitness(candidate.text, question) };
  });
  const [best] = scored.filter(({ covered }) => covered >= enough).sort((a, b) => b.score - a.score);
  return best?.text;
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}

function weightOf(word: string, candidates: readonly Candidate[]): number {
  const holders = candidates.filter((candidate) => presence(word, candidate) > 0).length;
  return Math.log(1 + (candidates.length + 1) / (holders + 0.5));
}

function presence(word: string, { words, context }: Candidate): number {
  if (words.has(word)) return 1;
  return context.has(word) ? contextShare : 0;
}

const asksNumber =
  /\bhow (?:fast|long|many|much|high|tall|old|far|hot|cold|big|warm)\b|\btime\b|\brecord\b|\btemperature\b|\bnumber\b/i;
const asksName = /^(?:who|whom|whose|which)\b|\bwho\b/i;
const asksDate = /^(?:when|what year|in what year|what date)\b/i;
const aDate = /\b(?:19|20)\d{2}\b/;

function fitness(sentence: string, question: string): number {
  const fits =
    (asksDate.test(question) && aDate.test(sentence)) ||
    (asksName.test(question) && newNames(sentence, question)) ||
    (asksNumber.test(question) && quantitiesIn(sentence).some(({ text }) => !question.includes(text)));
  return fits ? fitBonus : 0;
}

function newNames(sentence: string, question: string): boolean {
  const names = sentence.slice(1).match(/\b\p{Lu}[\p{L}\d'’.-]+/gu) ?? [];
  return names.some((name) => !question.includes(name));
}

const heading = /^\s*(?:#+\s|\[|\(?\d+[.)]\s*\S+\.(?:md|txt)\b|(?:source|file|title)\s*:)/i;

/** The sentences of all passages, each with the words of the heading it stands under. */
function candidatesIn(observation: string): Candidate[] {
  let context: ReadonlySet<string> = new Set();
  return observation.split("\n").flatMap((line) => {
    if (heading.test(line)) {
      context = new Set(contentWords(line));
      return [];
    }
    return sentencesOf(line).map((text) => ({ text, words: new Set(contentWords(text)), context }));
  });
}

/** The sentences of a line. One that leans on the one before ("It was set in …") is kept together with it. */
function sentencesOf(line: string): string[] {
  const sentences: string[] = [];
  for (const sentence of line.replace(/^\s*[-*•]\s+/, "").split(/(?<=[.!?]["”')\]]?)\s+(?=["“(]?\p{Lu}|\d)/u)) {
    const before = sentences.at(-1);
    const leans = /^(?:It|Its|He|She|His|Her|They|Their|This|That|These|Those)\b/.test(sentence);
    const abbreviated = before !== undefined && /\b(?:\p{Lu}|Dr|Mr|Mrs|Ms|St|Jr|No|vs|approx)\.$/u.test(before);
    if (before !== undefined && abbreviated) sentences[sentences.length - 1] = `${before} ${sentence}`;
    else if (before !== undefined && leans) sentences.push(`${before} ${sentence}`);
    else if (sentence.trim() !== "") sentences.push(sentence.trim());
  }
  return sentences;
}
