import { readCalculation } from "./calculation.js";
import { wordsOf } from "./words.js";

/** An earlier question of the conversation and its answer. */
type PastTurn = ReturnType<typeof readHistory>[number];

/** Reads the earlier turns in the chat history of a prompt. */
export function readHistory(conversation: string) {
  const turns = `\n${conversation}`.split("\nQ: ").slice(1);
  return turns.map((turn) => {
    const [question = "", answer = ""] = turn.split("\nA: ");
    return { question: question.trim(), answer: answer.trim() };
  });
}

/**
 * Puts what a pronoun means in a question: the number or the name of the last answer, or the last thing in the last
 * question. A question of two parts, with a name of its own, or with an unclear pronoun stays as it is.
 */
export function standaloneQuestion(question: string, history: readonly PastTurn[]): string {
  const last = history.at(-1);
  const isWhole = / and /.test(question) || wordsOf(question.slice(1)).some(({ isName }) => isName);
  if (last === undefined || isWhole) return question;
  const name = nameIn(last);
  const [, thing] = /.*\b((?:an?|the) [^,.?!]+)/i.exec(last.question) ?? [];
  const meanings: [RegExp, string | undefined][] = [
    [/\b(?:his|her(?= \p{L}))\b/iu, name && `${name}'s`],
    [/\b(?:he|she|him|her|this \p{L}+)\b/iu, name],
    [/\b(?:it|them)\b/i, thing],
  ];
  const put = (text: string, [pronoun, meaning]: (typeof meanings)[number]) =>
    meaning ? text.replace(pronoun, meaning) : text;
  return calculatedWith(question, last.answer) ?? meanings.reduce(put, question);
}

/** "What is that squared?" asks for the square of the number in the last answer. */
function calculatedWith(question: string, answer: string): string | undefined {
  const [, number] = / is (-?\d[\d.,]*?)\.?$/.exec(answer) ?? [];
  const asked = number && question.replace(/\b(?:that|it|this)\b|^and(?= (?:plus|minus|times|divided))/i, number);
  return asked && readCalculation(asked) && asked;
}

/** Returns the only full name that the last answer adds, or else the only name of the last question. */
function nameIn({ question, answer }: PastTurn): string | undefined {
  const isNew = (name: string) => name.includes(" ") && !question.toLowerCase().includes(name.toLowerCase());
  const added = namesIn(answer).filter(isNew);
  const names = added.length > 0 ? added : namesIn(question.slice(1));
  return names.length === 1 ? names[0] : undefined;
}

/** Returns the names in a text. One after "the", such as "the US Open", is not of a person. */
function namesIn(text: string): string[] {
  const names = text.match(/(?<![\p{L}\d]|\bthe )\p{Lu}[\p{L}\d'’-]*(?: \p{Lu}[\p{L}\d'’-]*)*/gu) ?? [];
  return [...new Set(names.map((name) => name.replace(/['’]s?$/, "")))];
}
