import type { PastTurn } from "./read-prompt.js";

const word = "\\p{Lu}[\\p{L}\\d.'’-]*";
const months = "January|February|March|April|May|June|July|August|September|October|November|December";
/** Words that are written with a capital and name nothing. */
const noName = new RegExp(
  `^(?:What|Who|When|Where|Which|Why|How|Is|Was|Are|Were|Can|Could|Did|Does|Do|Has|Have|Will|The|An?|In|On|At|It|He|She|They|This|That|I|${months})$`,
);

const personName = new RegExp(`${word}(?: (?:de |van |von |di )?${word})*`, "gu");
const thingName = new RegExp(`${word}(?::? (?:of the |of |the |and )?(?:${word}|\\d+))*`, "gu");

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)]
    .map(([found]) => {
      const words = found.split(" ");
      const named = noName.test(words[0] ?? "") ? words.slice(1) : words;
      return named.join(" ").replace(/[.'’]+$|['’]s$/g, "");
    })
    .filter((found) => found !== "" && !noName.test(found.split(" ")[0] ?? ""));
}

/** The last name in a text: capitalised words that belong together. */
export function nameIn(text: string): string | undefined {
  return namesIn(text, thingName).at(-1);
}

const asksForPerson = /^(?:and |so )?(?:who|which|what (?:is|was) the name)\b/i;

/**
 * Whom "he", "she" or "they" means: who did it according to the last answer; else, unless the last question asked for
 * somebody, whom it named; else the first name of two words in the answer that the question had not.
 */
export function personIn({ answer, question }: PastTurn): string | undefined {
  const answered = fullNamesIn(answer);
  return (
    doerIn(answer, personName) ??
    (asksForPerson.test(question) ? undefined : fullNamesIn(question)[0]) ??
    answered.find((found) => !question.includes(found)) ??
    answered[0] ??
    nameIn(question)
  );
}

/** Names of two words and more. What "the" stands before, such as "the US Open", is nobody. */
function fullNamesIn(text: string): string[] {
  return namesIn(text, personName).filter((found) => found.includes(" ") && !text.includes(`the ${found}`));
}

/** The name that stands right after "by", "named" or "called". */
function doerIn(answer: string, pattern: RegExp): string | undefined {
  const from = /\b(?:by|named|called) (?=\p{Lu})/u.exec(answer);
  return from ? namesIn(answer.slice(from.index + from[0].length), pattern)[0] : undefined;
}

/**
 * What "it" means in a question: what the same verb was done to in the last question; what the last answer says it is;
 * what the last question was about; or what it named.
 *
 * @param before What the question says before "it".
 */
export function thingFor(before: string, last: PastTurn): string | undefined {
  const { question, answer } = last;
  return (
    doneTo(before, last) ??
    doingIn(question) ??
    identityOf(last) ??
    definedIn(question) ??
    nameWithArticle(question) ??
    lastNounPhrase(question) ??
    namesIn(answer, thingName)[0]
  );
}

/** Whom or what "they" and "them" mean: what the same verb was done to in the last question, else who did it. */
export function theyIn(before: string, last: PastTurn): string | undefined {
  return doneTo(before, last) ?? personIn(last);
}

const verbAtEnd = /\b(?!(?:did|does|was|were|are|has|had|can|could|will|for|with|from|about|than)\b)([a-z]{3,})\s*$/i;

function doneTo(before: string, { question }: PastTurn): string | undefined {
  const verb = verbAtEnd.exec(before)?.[1];
  return verb === undefined ? undefined : objectOf(verb, question);
}

/**
 * What a noun with "this" before it means: a thing of that kind by its name, as the last question described it, or as the
 * last answer says who did it.
 */
export function thingNamed(noun: string, { question, answer }: PastTurn): string | undefined {
  const kind = noun.replace(/s$/, "");
  const named = new RegExp(`\\b${kind}s?,? (?:named |called )(?=\\p{Lu})`, "u").exec(answer);
  const ownName = named && namesIn(answer.slice(named.index + named[0].length), thingName)[0];
  if (ownName) return `the ${noun} ${ownName}`;
  const identity = isAskedFor(kind, question) ? identityOf({ question, answer }) : undefined;
  if (identity !== undefined) return `the ${noun} ${identity}`;
  const described = new RegExp(`\\bthe (?:[\\w'’-]+ ){0,4}${kind}s?\\b(?: (?:for|of|in|on|from|by) [^,.?!]*)?`, "i");
  const inQuestion = described.exec(question)?.[0];
  if (inQuestion !== undefined) return inQuestion;
  const isMentioned = new RegExp(`\\b${kind}`, "i");
  const doer = isMentioned.test(answer) ? doerIn(answer, thingName) : undefined;
  if (doer !== undefined) return `the ${noun} ${doer}`;
  const doing = doingIn(question);
  if (doing !== undefined && isMentioned.test(doing)) return doing;
  return described.exec(answer)?.[0] ?? workNamed(noun, question);
}

/** Whether a question asks which thing of a kind it is: "Which is the best film?", "What is the first film of the series?". */
function isAskedFor(kind: string, question: string): boolean {
  const asked = new RegExp(`\\b${kind}(?= (?:of|for|in|on|from|by|that|which|who)\\b|$)`, "i");
  return asked.test(definedIn(question) ?? "");
}

/** A work's own title is a name that says nothing of its kind: "this film" after "What is the plot of Up?" is Up. */
function workNamed(noun: string, question: string): string | undefined {
  const title = /^(?:film|movie|book|novel|song|album|series|show|game|play)$/i.test(noun)
    ? definedIn(question)
    : undefined;
  return title !== undefined && /^\p{Lu}/u.test(title) ? `the ${noun} ${title}` : undefined;
}

/** "a Rubik's cube" for the verb "solve" and "What is the world record for solving a Rubik's cube?". */
function objectOf(verb: string, question: string): string | undefined {
  const root = verb.replace(/e?(?:s|d|ing)?$/i, "");
  const done = new RegExp(`\\b${root}\\w{0,4} ([^,.?!]+)`, "i").exec(question)?.[1];
  const cut = done?.split(
    /\b(?:faster|slower|better|more|in|on|at|by|with|and|who|that|which|than|without|from|for|to)\b/i,
  )[0];
  return cut?.trim() || undefined;
}

/** "the robot that can solve a cube" for "Can a robot solve a cube?". */
function doingIn(question: string): string | undefined {
  const asked = /^(?:and )?(can|could|does|did|will|is|was|has|are|were|do) (?:an?|the|any) ([a-z-]+) (.+?)\??$/i;
  const [, auxiliary, noun, doing] = asked.exec(question.trim()) ?? [];
  return auxiliary === undefined ? undefined : `the ${noun} that ${auxiliary.toLowerCase()} ${doing}`;
}

/** "Iron Man" for "What is the first film?" and "The first film is Iron Man (2008).". */
function identityOf({ question, answer }: PastTurn): string | undefined {
  const is = definedIn(question) === undefined ? null : /\b(?:is|was)(?:, [^,]*,)? (?=\p{Lu})/u.exec(answer);
  return is ? namesIn(answer.slice(is.index + is[0].length), thingName)[0] : undefined;
}

/** "the world record for juggling" for "What is the world record for juggling?"; "Up" for "What is the plot of Up?". */
function definedIn(question: string): string | undefined {
  const defined = /^(?:what|who|which)(?:['’]s| is| was| are| were) (.+?)\??$/i.exec(question.trim())?.[1];
  return defined === undefined || /^\d/.test(defined)
    ? undefined
    : defined.replace(/ about$|^the [a-z]+(?: [a-z]+)? of (?=\p{Lu})/gu, "");
}

function nameWithArticle(question: string): string | undefined {
  const name = nameIn(question);
  return name !== undefined && question.includes(`the ${name}`) ? `the ${name}` : name;
}

function lastNounPhrase(question: string): string | undefined {
  const phrases = question.split(/\b(?=(?:an?|the) )/i).slice(1);
  return phrases.at(-1)?.replace(/[\s?]+$/, "");
}
