import type { BaseMessage } from "@langchain/core/messages";
import { shorten } from "../../base/shorten.js";
import type { Searched } from "../../core/state/retrieval.js";
import { fenced, prompt, questionPart, spoken } from "./prompt-parts.js";

/**
 * Writes the answer of a turn that found nothing that helps: what was searched, and sentences that say what was not. Only
 * the first is for a translation, as nothing tells whether one of the others lost something.
 */
export function notFoundText(searched: readonly Searched[]): { readonly text: string; readonly missed: string[] } {
  const places = [...new Set(searched.map(({ retriever }) => retriever))];
  const tried = places.map((place) => `${place} (${quoted(searched.filter(({ retriever }) => retriever === place))})`);
  const failed = searched.filter(({ error }) => error !== undefined);
  const notSearched = new Set(searched.flatMap((search) => search.notSearched ?? []));
  const nothing =
    notSearched.size === 0
      ? "I found nothing that answers this question."
      : "Nothing of what I could search answers this question.";
  const broken = new Set(failed.map(({ retriever }) => `A search in ${retriever} failed.`));
  return { text: `${nothing} I searched: ${tried.join("; ")}.`, missed: [...notSearched, ...broken] };
}

function quoted(searches: readonly Searched[]): string {
  return [...new Set(searches.map(({ query }) => `"${shorten(query, 200)}"`))].join(", ");
}

/** Writes the prompt that asks for a text in the language of a question. */
export function translationOfText(text: string, question: string, mark: string): BaseMessage[] {
  return prompt(
    "Write a text in the language of a question.",
    "Do not answer the question, and add nothing. Names, numbers and all that stands in quotation marks stay as they are.",
    questionPart(question, mark),
    `Text: ${fenced(text, mark)}`,
    "Reply with the text in the language of the question. If it is in that language, repeat it.",
  );
}

/** Reads the text in another language. A reply without all that is quoted in the text is no translation of it. */
export function translatedText(reply: string, text: string): string {
  const said = spoken(reply).replace(/^Text:\s*/, "");
  const quotes = [...text.matchAll(/"([^"]*)"/g)].map(([, words = ""]) => words);
  const isWhole = quotes.every((words) => said.includes(words)) && said.length < 3 * text.length;
  return isWhole ? said : text;
}
