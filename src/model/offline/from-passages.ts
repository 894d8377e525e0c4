import { answersIn } from "./best-sentence.js";
import { readCalculation, withoutAsking } from "./calculation.js";
import { standaloneQuestion } from "./follow-up.js";
import { searchWords } from "./next-step.js";
import type { PastTurn } from "./read-prompt.js";
import { smallTalk } from "./small-talk.js";
import { contentWords } from "./words.js";

/** What a prompt of a retrieval agent has. The parts that it does not have are empty. */
interface Request {
  readonly prompt: string;
  readonly question: string;
  readonly passages: string;
  /** The queries that were searched for. */
  readonly queries: readonly string[];
}

/** The rules for each prompt, by its first words. */
const rules: readonly (readonly [start: RegExp, reply: (request: Request) => string])[] = [
  [/^Decide where to search/, route],
  [/^Write \d+ other wordings/, ({ question }) => wordings(question).join("\n")],
  [/^Split a question/, ({ question }) => partsOf(question).join("\n")],
  [/^Write a more general question/, ({ question }) => `What is known about ${namesIn(question)}?`],
  [/^Write a short passage/, ({ question }) => `${withoutAsking(question)}.`],
  [/^Tell which passages help/, ({ passages, question }) => helpful(passages, question).join(", ") || "none"],
  [/^Write another search query/, ({ question, queries }) => otherQuery(question, queries)],
  [/^Tell whether the passages are enough/, nextSearch],
  [/^Copy from a passage/, ({ passages, question }) => answersIn(passages, question)[0]?.text ?? "NOTHING"],
  [/^Answer a question from one passage/, scoredAnswer],
  [/^Write the draft of an answer/, (request) => betterDraft(request, "Draft: ")],
  [/^Check an answer/, verdict],
];

const answering = /(?:^|\n)Answer the question from the passages\. Use only/;
const talking = /(?:^|\n)Answer the question from the conversation and from what you know\./;
const dontKnow = "I do not know: the passages do not answer this.";

/** Replies to a prompt of a retrieval agent. Returns undefined for any other prompt. */
export function fromPassages(prompt: string): string | undefined {
  const rule = rules.find(([start]) => start.test(prompt));
  const isAnswer = /^Passages:\n/m.test(prompt) && answering.test(prompt);
  if (rule === undefined && !isAnswer && !talking.test(prompt)) return undefined;
  const request = readRequest(prompt);
  if (rule) return rule[1](request);
  if (isAnswer) return betterDraft(request, "Answer so far: ");
  return (
    smallTalk(request.question) ?? "I do not know. I am the offline stand-in: I know only what is in the documents."
  );
}

function readRequest(prompt: string): Request {
  const asked = prompt.lastIndexOf("\nQuestion: ");
  const [question = ""] = prompt.slice(asked + "\nQuestion: ".length).split("\n\n");
  const found = prompt.lastIndexOf("\nPassages:\n", asked);
  const [passages = ""] = prompt.slice(found + "\nPassages:\n".length, asked).split(/\n\n(?:Draft|Answer so far): /);
  const [, searched = ""] = prompt.slice(asked).split("\nQueries so far:\n");
  const queries = (searched.split("\n\n")[0] ?? "").split("\n").map((line) => line.replace(/^- /, ""));
  return { prompt, question: question.trim(), passages: found < 0 ? "" : passages.trim(), queries };
}

/** Chooses the places whose descriptions have words of the question; all of them, if none has. */
function route({ prompt, question }: Request): string {
  const count = prompt.includes("one, or several") ? `, ${partsOf(question).length > 1 ? "several" : "one"}` : "";
  if (smallTalk(question) !== undefined) return `none${count}`;
  const list = prompt.slice(0, prompt.lastIndexOf("\n- none: "));
  const places = [...list.matchAll(/^- ([^:\n]+): (.*)$/gm)].map(([, name = "", about = ""]) => ({ name, about }));
  const words = new Set(contentWords(question));
  const fitting = places.filter(({ name, about }) => contentWords(`${name} ${about}`).some((word) => words.has(word)));
  return (fitting.length > 0 ? fitting : places).map(({ name }) => name).join(", ") + count;
}

/** Returns the questions in a text. A later one may point back to the one before. */
function partsOf(question: string): string[] {
  const parts = question.split(/(?<=\?)\s+|,? and (?=(?:who|what|when|where|which|how)\b)/i);
  const turns: PastTurn[] = [];
  for (const part of parts) turns.push({ question: standaloneQuestion(part, turns), answer: "" });
  return turns.map((turn) => turn.question);
}

function wordings(question: string): string[] {
  return [...new Set([searchWords(question), namesIn(question)])];
}

/** Returns the names of a question. One without names gives its words. */
function namesIn(question: string): string {
  const names = question.slice(1).match(/(?<![\p{L}\d])\p{Lu}[\p{L}\d'’-]*(?: \p{Lu}[\p{L}\d'’-]*)*/gu) ?? [];
  return names.join(" ") || searchWords(question);
}

function otherQuery(question: string, queries: readonly string[]): string {
  const known = queries.map((query) => query.toLowerCase());
  return wordings(question).find((query) => !known.includes(query.toLowerCase())) ?? searchWords(question);
}

function helpful(passages: string, question: string): number[] {
  const found = partsOf(question).flatMap((part) => answersIn(passages, part));
  return [...new Set(found.flatMap(({ passage }) => passage ?? []))].sort((a, b) => a - b);
}

function nextSearch({ question, passages, queries }: Request): string {
  const open = partsOf(question).find((part) => answersIn(passages, part).length === 0);
  return open === undefined ? "ENOUGH" : `SEARCH: ${otherQuery(open, queries)}`;
}

/** Answers each part of a question with a sentence and the number of its passage. Rules work out no numbers. */
function answer(passages: string, question: string): string | undefined {
  const found = partsOf(question).map((part) => {
    const [best] = readCalculation(part) ? [] : answersIn(passages, part);
    return best && `${best.text.replace(/(?=[.!?]?$)/, ` [${best.passage}]`)}`;
  });
  const known = [...new Set(found.filter((sentence) => sentence !== undefined))];
  if (known.length === 0) return undefined;
  return [...known, ...(found.includes(undefined) ? ["The passages do not tell the rest."] : [])].join(" ");
}

function scoredAnswer({ passages, question }: Request): string {
  const said = answer(passages, question);
  return said === undefined ? `${dontKnow}\nScore: 0` : `${said}\nScore: 80`;
}

/** Answers from the passages. An answer from earlier passages stays. */
function betterDraft({ prompt, passages, question }: Request, label: string): string {
  const draft = prompt.split(`\n\n${label}`)[1]?.split("\n\n")[0];
  return draft !== undefined && !/^I do not know/.test(draft) ? draft : (answer(passages, question) ?? dontKnow);
}

/** Holds each sentence of an answer against the words of the passages. */
function verdict({ prompt, passages, question }: Request): string {
  const said = (prompt.split("\n\nAnswer: ").at(-1) ?? "").split("\n\nIf it is right, reply:")[0] ?? "";
  const isKnown = answersIn(passages, question).length > 0;
  if (/^I do not know/.test(said)) return isKnown ? "NO: the passages answer the question" : "YES";
  const words = new Set(contentWords(passages));
  const statements = said.replaceAll(/\[\d+\]|The passages do not tell the rest\./g, "").split(/(?<=[.!?])\s+/);
  const wrong = statements.find((statement) => !contentWords(statement).every((word) => words.has(word)));
  return wrong === undefined ? "YES" : `NO: the passages do not say: ${wrong.trim()}`;
}
