import type { PastTurn } from "./read-prompt.js";

const name = /\p{Lu}[\p{L}\d.'’-]*(?: (?:of the |of |the |and |de |van )?[\p{Lu}\d][\p{L}\d.'’-]*)*/gu;
const questionWords =
  /^(?:What|Who|When|Where|Which|Why|How|Is|Was|Are|Were|Can|Could|Did|Does|Do|Has|Have|Will|The|A|An|In|On|At|It|He|She|They|This|That|I|January|February|March|April|May|June|July|August|September|October|November|December)$/;

function namesIn(text: string): string[] {
  return [...text.matchAll(name)]
    .map(([found]) => {
      const [first = "", ...others] = found.split(" ");
      return (questionWords.test(first) ? others.join(" ") : found).replace(/[.'’]+$|['’]s$/g, "");
    })
    .filter((found) => found !== "" && !questionWords.test(found.split(" ")[0] ?? ""));
}

/** The first name in a text: capitalised words that belong together. */
export function nameIn(text: string): string | undefined {
  return namesIn(text)[0];
}

/** Whom "he", "she" or "they" means: who did it according to the last answer, else the first name of two words there. */
export function personIn({ answer, question }: PastTurn): string | undefined {
  const doer = /\b(?:by|named|called)\s+(?:the\s+)?(.*)$/s.exec(answer)?.[1];
  const afterBy = doer === undefined ? undefined : namesIn(doer).find((found) => doer.startsWith(found));
  const full = namesIn(answer).filter((found) => /^\S+ \S+/.test(found) && !question.includes(found));
  return afterBy ?? full[0] ?? nameIn(answer) ?? nameIn(question);
}

/**
 * What "it" means in a question: what the same verb was done to in the last question; what that question was about; or
 * what it named.
 *
 * @param before What the question says before "it".
 */
export function thingFor(before: string, { question, answer }: PastTurn): string | undefined {
  const verb = /\b([a-z]{3,})\s*$/i.exec(before)?.[1];
  return (
    (verb === undefined ? undefined : objectOf(verb, question)) ??
    subjectOf(question) ??
    definedIn(question) ??
    nameIn(question) ??
    lastNounPhrase(question) ??
    nameIn(answer)
  );
}

/** What a noun with "this" before it means: a thing of that kind by its name, or as the last question described it. */
export function thingNamed(noun: string, { question, answer }: PastTurn): string | undefined {
  const singular = noun.replace(/s$/, "");
  const named = new RegExp(`\\b${singular}s?,? (?:named|called) (${name.source})`, "u").exec(answer)?.[1];
  if (named !== undefined) return `the ${noun} ${named}`;
  const introduced = new RegExp(
    `^(${name.source}),? (?:is |was )?(?:a|an|the) (?:[\\w'’-]+ ){0,3}${singular}\\b`,
    "u",
  ).exec(answer)?.[1];
  if (introduced !== undefined) return `the ${noun} ${introduced}`;
  const doing = subjectOf(question);
  if (doing !== undefined && new RegExp(`\\b${singular}`, "i").test(doing)) return doing;
  const phrase = new RegExp(
    `\\b(?:a|an|the) (?:[\\w'’-]+ ){0,4}${noun}\\b(?: (?:for|of|in|on|from|by) [^,.?!]*)?`,
    "i",
  );
  return (phrase.exec(question) ?? phrase.exec(answer))?.[0].replace(/^an?\b/i, "the");
}

/** "a Rubik's cube" for the verb "solve" and "What is the world record for solving a Rubik's cube?". */
function objectOf(verb: string, question: string): string | undefined {
  const root = verb.replace(/e?(?:s|d|ing)?$/i, "");
  const object = new RegExp(`\\b${root}\\w{0,4} ((?:a|an|the|his|her|their)? ?(?:[\\p{L}\\d'’-]+ ?){1,4})`, "iu").exec(
    question,
  )?.[1];
  const cut = object
    ?.split(/\b(?:faster|slower|better|more|in|on|at|by|with|and|who|that|which|than|without|from|for|to)\b/i)[0]
    ?.trim();
  return cut === "" ? undefined : cut;
}

/** "the robot that can solve a cube" for "Can a robot solve a cube?". */
function subjectOf(question: string): string | undefined {
  const asked = /^(?:and )?(can|could|does|did|will|is|was|has|are|were|do) (?:a|an|the|any) ([a-z-]+) (.+?)\??$/i.exec(
    question.trim(),
  );
  if (!asked) return undefined;
  const [, auxiliary = "", noun = "", doing = ""] = asked;
  return `the ${noun} that ${auxiliary.toLowerCase()} ${doing}`;
}

/** "the world record for juggling" for "What is the world record for juggling?". */
function definedIn(question: string): string | undefined {
  const defined = /^(?:what|who|which)(?:['’]s| is| was| are| were) (.+?)\??$/i.exec(question.trim())?.[1];
  return defined === undefined || /^\d/.test(defined) ? undefined : defined;
}

function lastNounPhrase(question: string): string | undefined {
  return /\b(?:a|an|the) (?!.*\b(?:a|an|the) )([^,?]+?)\??$/i.exec(question.trim())?.[0].replace(/\?$/, "");
}
