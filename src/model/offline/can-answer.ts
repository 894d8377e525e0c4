import { quantitiesIn } from "./quantities.js";
import { contentWords, senseOf } from "./words.js";

/** A sentence that may answer. `context` holds the words of its heading and of its file's name. */
export interface Candidate {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly senses: ReadonlySet<string>;
  readonly context: ReadonlySet<string>;
}

const months = "January|February|March|April|May|June|July|August|September|October|November|December";
const date = new RegExp(
  `\\b(?:1\\d|20)\\d{2}\\b|\\b\\d+ BC\\b|\\b\\d{1,2} (?:${months})\\b|\\b(?:${months}) \\d{1,2}\\b`,
  "g",
);
const hasDate = /\b(?:1\d|20)\d{2}\b|\b\d+ BC\b/;
const hasNumberWord = /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand)\b/i;
const place = new RegExp(
  `\\b(?:in|at|near|on|from|to|under|behind|beside) (?!(?:${months}|about|early|late|mid)\\b)(?:the |an? )?\\p{L}`,
  "u",
);
/** Words that ask and name no thing. A question of nothing else is about nothing. */
const generic = new Set(contentWords("year date day month week time number name thing place kind"));

/**
 * Tells whether a sentence can be the answer to a question. Names, years, dates and the verb of the question must be there.
 * It must also say something of the kind that is asked for. That is a name, a date, a place, or a number that measures the right
 * thing.
 */
export function canAnswer(sentence: Candidate, question: string): boolean {
  if (contentWords(question).every((word) => generic.has(word) || /^\d+$/.test(word)) || /\bwould\b/i.test(question))
    return false;
  return isAbout(sentence, question) && isOfKind(sentence.text, question) && required(question).every(isIn(sentence));
}

function isIn({ words, senses }: Candidate): (word: string) => boolean {
  return (word) => words.has(word) || senses.has(senseOf(word));
}

/** Tells whether the names, the years and the dates of a question stand in a sentence, or its names above it. */
function isAbout(sentence: Candidate, question: string): boolean {
  const dates = question.match(date) ?? [];
  if (dates.some((each) => !sentence.text.includes(each))) return false;
  if (/\b(?:today|tomorrow)\b/i.test(question) && sentence.text.match(date)) return false;
  const names = (question.slice(1).match(/(?<![\p{L}\d])\p{Lu}[\p{L}\d'’.-]*/gu) ?? []).filter(
    (name) => !new RegExp(`^(?:${months}|Celsius|Fahrenheit|Kelvin|[CF])$`).test(name),
  );
  // "Is she from Spain?" is answered by the name of another country.
  const isOpen = /^(?:is|was|are|were) .* from /i.test(question);
  const named = contentWords((isOpen ? names.slice(0, -1) : names).join(" "));
  const isAbove = (word: string) => sentence.context.has(senseOf(word));
  if (!named.every((word) => isIn(sentence)(word) || isAbove(word))) return false;
  const [, noun = ""] = ofThing.exec(question) ?? [];
  const asked = contentWords(measured.test(noun) ? "" : noun);
  return asked.every(isIn(sentence)) || [...asked, ...named].every(isAbove);
}

/** A question for the plot of a film, or for the capital of a country. A measure may be said by its number alone. */
const ofThing = /^(?:what|who)(?:['’]s| is| was) the (?:[a-z]+ )?([a-z]+) of\b/i;
const measured = /^(?:height|length|depth|width|weight|speed|age|price|time|date|year|record|number|size)$/i;

const relation =
  /(\p{Lu}[\p{L}-]+)['’]s? (teacher|student|boyfriend|girlfriend|wife|husband|father|mother|son|daughter|brother|sister)\b/u;

/** Returns the words that a sentence itself must have: the verb of the question, what is counted, a comparison, men or women. */
function required(question: string): string[] {
  const [, doing = ""] =
    /^who (?!(?:is|was|are|were|has|had|did|do|does|can|will)\b)([a-z]+)\b/i.exec(question.trim()) ?? [];
  const [, done = ""] =
    /^(?:when|where|(?:in |on )?(?:what|which) (?:year|date|day))\b.* ([a-z]+)\W*$/.exec(
      question.trim().replace(/^./, (letter) => letter.toLowerCase()),
    ) ?? [];
  const [, compared = ""] = /\b(\w+er|more|less)\b.* than\b/i.exec(question) ?? [];
  const [, whose = ""] = /\b(women|men)['’]s\b/i.exec(question) ?? [];
  const [, counted = ""] = /\bhow many ([a-z]+)/i.exec(question) ?? [];
  return contentWords([doing, done, compared, whose, counted].join(" "));
}

const lengths = /\bhow (?:tall|high|deep|wide|far)\b/i;
const numbers = /\bhow (?:fast|long|many|much|old|hot|cold|big|warm|heavy)\b/i;

/** Tells whether a sentence says what is asked for. "How many" needs a number, "who" a name, "when" a date. */
function isOfKind(sentence: string, question: string): boolean {
  const quantities = quantitiesIn(sentence);
  if (/^(?:when|(?:in |on )?(?:what|which) (?:year|date|day))\b/i.test(question)) return hasDate.test(sentence);
  if (/^where\b/i.test(question)) return place.test(sentence);
  if (/\bhow old\b/i.test(question)) return /\bold\b|\baged?\b/i.test(sentence) && quantities.length > 0;
  if (lengths.test(question) && !/temperature/i.test(question))
    return quantities.some(({ unit }) => unit?.dimension === "length");
  if (numbers.test(question)) return quantities.length > 0 || hasNumberWord.test(sentence);
  return !/^(?:who|whom|whose)\b/i.test(question) || namesSomebody(sentence, question);
}

/** Tells whether a sentence can tell who somebody is. */
function namesSomebody(sentence: string, question: string): boolean {
  const [, of = "", kind = ""] = relation.exec(question) ?? [];
  if (kind !== "")
    return new RegExp(`\\b${kind} of (?:\\p{Lu}\\S* )*${of}\\b|\\b${of}['’]s? ${kind}\\b`, "u").test(sentence);
  const [, who = ""] = /^[Ww]ho (?:is|was) ((?:\p{Lu}[^\s?]*[\s?]*)+)$/u.exec(question.trim()) ?? [];
  if (who !== "") return sentence.startsWith(who.replace(/[\s?]+$/, ""));
  // "Vision was killed in a war" does not tell who did it.
  const [, done = ""] = /^[Ww]ho [a-z]+ (\p{Lu}[\p{L}-]+)\W*$/u.exec(question.trim()) ?? [];
  if (done !== "" && sentence.includes(`${done} was `) && !/\bby\b/.test(sentence)) return false;
  return / or /.test(question) || newNames(sentence, question);
}

function newNames(sentence: string, question: string): boolean {
  const names = sentence.slice(1).match(/\b\p{Lu}[\p{L}\d'’.-]+/gu) ?? [];
  return names.some((name) => !question.includes(name));
}
