import type { PastTurn } from "./read-prompt.js";

const word = "\\p{Lu}[\\p{L}\\d.'’-]*";
const months = "January|February|March|April|May|June|July|August|September|October|November|December";
/** Words with a capital letter that are not names. */
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

/** Returns the last name in a text. A name is one or more capitalised words in a row. */
export function nameIn(text: string): string | undefined {
  return namesIn(text, thingName).at(-1);
}

const asksForPerson = /^(?:and |so )?(?:who|which|what (?:is|was) the name)\b/i;

/**
 * Returns the person that "he", "she" or "they" means. The choices, best first:
 *
 * - the doer in the last answer, such as the name after "by"
 * - a full name in the last question, unless it asked for a person
 * - a full name in the last answer that the question does not have
 * - any full name in the last answer, or any name in the last question
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

/** Returns the names of two or more words. A name after "the", such as "the US Open", is not a person. */
function fullNamesIn(text: string): string[] {
  return namesIn(text, personName).filter((found) => found.includes(" ") && !text.includes(`the ${found}`));
}

/** Returns the name after "by", "named" or "called". */
function doerIn(answer: string, pattern: RegExp): string | undefined {
  const from = /\b(?:by|named|called) (?=\p{Lu})/u.exec(answer);
  return from ? namesIn(answer.slice(from.index + from[0].length), pattern)[0] : undefined;
}

/**
 * Returns the thing that "it" means in a question. The choices, best first:
 *
 * - the object of the same verb in the last question
 * - the doer in the last question, such as "the robot that can solve a cube"
 * - the name that the last answer gives to the thing in question
 * - the subject of the last question, a name in it, or its last noun with an article
 * - the first name in the last answer
 *
 * @param before The words of the question before "it".
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

/**
 * Returns the meaning of "they" and "them". It is the object of the same verb in the last question, or a person of the
 * last turn.
 */
export function theyIn(before: string, last: PastTurn): string | undefined {
  return doneTo(before, last) ?? personIn(last);
}

const verbAtEnd = /\b(?!(?:did|does|was|were|are|has|had|can|could|will|for|with|from|about|than)\b)([a-z]{3,})\s*$/i;

function doneTo(before: string, { question }: PastTurn): string | undefined {
  const verb = verbAtEnd.exec(before)?.[1];
  return verb === undefined ? undefined : objectOf(verb, question);
}

/**
 * Returns the meaning of "this" with a noun, such as "this robot". It is the name or the description of a thing of that
 * kind, or the doer in the last answer.
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

/**
 * Tells whether a question asks for one thing of a kind: "Which is the best film?", "What is the first film of the
 * series?".
 */
function isAskedFor(kind: string, question: string): boolean {
  const asked = new RegExp(`\\b${kind}(?= (?:of|for|in|on|from|by|that|which|who)\\b|$)`, "i");
  return asked.test(definedIn(question) ?? "");
}

/** Returns the title of a work. A title does not name its kind: "this film" after "What is the plot of Up?" is Up. */
function workNamed(noun: string, question: string): string | undefined {
  const title = /^(?:film|movie|book|novel|song|album|series|show|game|play)$/i.test(noun)
    ? definedIn(question)
    : undefined;
  return title !== undefined && /^\p{Lu}/u.test(title) ? `the ${noun} ${title}` : undefined;
}

/** Returns the object of a verb. For "solve", "What is the record for solving a Rubik's cube?" has "a Rubik's cube". */
function objectOf(verb: string, question: string): string | undefined {
  const root = verb.replace(/e?(?:s|d|ing)?$/i, "");
  const done = new RegExp(`\\b${root}\\w{0,4} ([^,.?!]+)`, "i").exec(question)?.[1];
  const cut = done?.split(
    /\b(?:faster|slower|better|more|in|on|at|by|with|and|who|that|which|than|without|from|for|to)\b/i,
  )[0];
  return cut?.trim() || undefined;
}

/** Describes the doer of a question. "Can a robot solve a cube?" gives "the robot that can solve a cube". */
function doingIn(question: string): string | undefined {
  const asked = /^(?:and )?(can|could|does|did|will|is|was|has|are|were|do) (?:an?|the|any) ([a-z-]+) (.+?)\??$/i;
  const [, auxiliary, noun, doing] = asked.exec(question.trim()) ?? [];
  return auxiliary === undefined ? undefined : `the ${noun} that ${auxiliary.toLowerCase()} ${doing}`;
}

/**
 * Returns the name in an answer. "What is the first film?" and "The first film is Iron Man (2008)." give "Iron Man".
 */
function identityOf({ question, answer }: PastTurn): string | undefined {
  const is = definedIn(question) === undefined ? null : /\b(?:is|was)(?:, [^,]*,)? (?=\p{Lu})/u.exec(answer);
  return is ? namesIn(answer.slice(is.index + is[0].length), thingName)[0] : undefined;
}

/**
 * Returns the subject of a question. "What is the world record for juggling?" has "the world record for juggling".
 * "What is the plot of Up?" has "Up".
 */
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
