import { readCalculation } from "./calculation.js";
import { quantitiesIn } from "./quantities.js";
import type { PastTurn } from "./read-prompt.js";
import { nameIn, personIn, theyIn, thingFor, thingNamed } from "./references.js";
import { smallTalk } from "./small-talk.js";
import { unitNamed, unitPattern } from "./units.js";

/**
 * Makes a follow-up question stand on its own, with words from the conversation. Returns a question unchanged if it
 * points back to nothing, or to something that the rules cannot find.
 */
export function standaloneQuestion(question: string, history: readonly PastTurn[]): string {
  const turns = history.filter((turn) => smallTalk(turn.question) === undefined);
  const last = turns.at(-1);
  if (last === undefined || question.length > longestFollowUp) return question;
  return (
    inAnotherUnit(question, last) ??
    calculatedWith(question, last) ??
    whatAbout(question, turns) ??
    ofWhat(question, last) ??
    resolved(question, last)
  );
}

/** In characters. A longer question says itself what it is about. */
const longestFollowUp = 500;

const anotherUnit = new RegExp(
  `^(?:and|so|but)?,?\\s*(?:(?:what(?:['’]s| is| was| would be)?|how much (?:is|was)|convert|and)\\s+)?(?:(?:that|it|this|the same(?: value| temperature)?)\\s+)?(?:be\\s+)?(?:in|to|into)\\s+(?:degrees\\s+)?(${unitPattern}|[CF])\\s*\\??$`,
  "i",
);

/**
 * Puts a quantity of the last answer in the question. "What is that in Celsius?" after 54°F becomes "What is 54°F in
 * Celsius?".
 */
function inAnotherUnit(question: string, { answer }: PastTurn): string | undefined {
  const name = anotherUnit.exec(question.trim())?.[1];
  const unit = name === undefined ? undefined : unitNamed(name);
  const quantity = quantitiesIn(answer).find(
    (candidate) => candidate.unit?.dimension === unit?.dimension && candidate.unit?.symbol !== unit?.symbol,
  );
  return unit && quantity ? `What is ${quantity.text} in ${name}?` : undefined;
}

/** Puts the number of the last answer in the question. "What is that squared?" after 5 becomes "What is 5 squared?". */
function calculatedWith(question: string, { answer }: PastTurn): string | undefined {
  const number = quantitiesIn(answer).at(-1)?.value;
  if (number === undefined) return undefined;
  const replaced = question
    .replace(
      /^(?:and |then |now )*(?=(?:times|plus|minus|divided by|multiplied by|squared|cubed|to the power)\b)/i,
      `What is ${number} `,
    )
    .replace(/\b(?:that|it|this|the result|that number)\b/i, number);
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
  /(?<=^|\s)(?!Celsius|Fahrenheit|Kelvin|What|Who|When|Where|Which|How|Is|Was|Can|Did|Does)\p{Lu}[\p{L}\d.'’-]*(?: (?:of the |of |the |and )?[\p{Lu}\d][\p{L}\d.'’-]*)*/u,
];

/**
 * Replaces a part of an earlier question by one of the same kind, such as a name by a name. Example: "And in Oakland?"
 * after "How warm was it in Berlin?" becomes "How warm was it in Oakland?".
 */
function whatAbout(question: string, turns: readonly PastTurn[]): string | undefined {
  const about = /^(?:and\s+)?(?:(?:what|how) about|and)\s+(?:(?:in|on|for|at|with|from|by)\s+)?(.+?)\s*\??$/i.exec(
    question.trim(),
  )?.[1];
  if (about === undefined || /\b(?:is|was|are|were|did|does|do|can|it|that|he|she|they)\b/i.test(about))
    return undefined;
  const kind = kinds.find((pattern) => pattern.exec(about)?.[0] === about);
  const model = kind && turns.findLast((turn) => kind.test(turn.question))?.question;
  return kind && model?.replace(kind, () => about);
}

/** Nouns that always belong to somebody or something. */
const relational =
  "plot|plot outline|story|director|cast|author|inventor|maker|winner|price|height|length|budget|population|capital|hometown|name|age|birthday";
const bareRelation = new RegExp(
  `^(?:and )?(?:what|who)(?:['’]s| is| was| are| were) the (?:${relational})\\s*\\??$`,
  "i",
);

/** Adds the owner. "What is the plot?" after talk of a film becomes "What is the plot of the film?". */
function ofWhat(question: string, last: PastTurn): string | undefined {
  const thing = bareRelation.test(question.trim()) ? thingFor("", last) : undefined;
  return thing && `${question.trim().replace(/\s*\?$/, "")} of ${thing}?`;
}

const pointers = new RegExp(
  [
    "\\b(?:this|that|these|those|the same) (?<noun>[a-z]{3,})\\b",
    "\\b(?<thing>its?)\\b|\\b(?<end>this|that)\\b(?=\\s*(?:[?.!,]|$))",
    "\\b(?<who>he|she|him|her|his|hers|their)\\b|\\b(?<they>they|them)\\b",
    "\\b(?<place>there)\\b(?=\\s*(?:[?.!,]|$))",
  ].join("|"),
  "gi",
);

/** Replaces "this robot", "it", "he", "they" and "there" by their meaning. */
function resolved(question: string, last: PastTurn): string {
  return question.replace(pointers, (pointer, ...rest) => {
    const at: number = rest.at(-3);
    const before = question.slice(0, at);
    const after = question.slice(at + pointer.length);
    if (pointsInside(before, after)) return pointer;
    return referent(rest.at(-1), before, after, last) ?? pointer;
  });
}

const named = "(?:\\b(?:a|an|the) \\w+|\\s\\p{Lu}\\w+).*\\b";
const inNextClause = new RegExp(`${named}(?:and|or|but)\\b`, "u");
const asSubject = new RegExp(`${named}(?:when|while|after|before|until|since|because|if) $`, "u");

/**
 * Tells whether a pointer may point to a part of its own question: "What is a cube and who made it?", "How old was
 * Plato when he died?", "Is it true that …?".
 */
function pointsInside(before: string, after: string): boolean {
  const hasVerb = /^ \w/.test(after);
  const standsForClause = /^ [a-z]+ (?:that|to|if|whether)\b/i.test(after) && /\b(?:is|was) $/i.test(before);
  return (
    standsForClause ||
    inNextClause.test(before) ||
    (hasVerb && asSubject.test(before)) ||
    /\bwhat time is $/i.test(before)
  );
}

function referent(pointer: Pointer, before: string, after: string, last: PastTurn): string | undefined {
  const { noun, thing, end, who, they, place } = pointer;
  if (noun !== undefined) return thingNamed(noun, last);
  if (thing !== undefined || end !== undefined) return owned(thingFor(before, last), /^its$/i.test(thing ?? ""));
  if (who !== undefined)
    return owned(personIn(last), /^(?:his|hers|their)$/i.test(who) || (/^her$/i.test(who) && /^ \w/.test(after)));
  if (they !== undefined) return theyIn(before, last);
  const where = place === undefined ? undefined : nameIn(last.question);
  return where && `in ${where}`;
}

type Pointer = Readonly<Record<"noun" | "thing" | "end" | "who" | "they" | "place", string | undefined>>;

function owned(name: string | undefined, possessive: boolean): string | undefined {
  if (name === undefined || !possessive) return name;
  return name.endsWith("s") ? `${name}'` : `${name}'s`;
}
