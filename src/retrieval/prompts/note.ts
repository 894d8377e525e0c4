import type { BaseMessage } from "@langchain/core/messages";
import type { Passage } from "../../core/parts/protocol.js";
import { onlyData, passagesPart, prompt, questionPart, spoken } from "./prompt-parts.js";

/** Writes the prompt of the "map" in LangChain's map-reduce chain: it asks what of one passage helps. */
export function notePrompt(question: string, passage: Passage, mark: string): BaseMessage[] {
  return prompt(
    "Copy from a passage what helps to answer a question.",
    onlyData,
    passagesPart([passage], mark),
    questionPart(question, mark),
    "Reply with the sentences that help, in the words of the passage. If none helps, reply: NOTHING",
  );
}

/** Reads a note. It is empty if the passage does not help. */
export function readNote(reply: string): string {
  const said = spoken(reply);
  return /^\W*NOTHING\W*$/i.test(said) ? "" : said;
}

/** Writes the prompt of LangChain's map-rerank chain: an answer from one passage, with a score. */
export function scoredAnswerPrompt(question: string, passage: Passage, mark: string): BaseMessage[] {
  return prompt(
    "Answer a question from one passage, and tell how well it answers the question.",
    `Use only what it says. After each statement write its number, such as [${passage.number}]. ${onlyData}`,
    passagesPart([passage], mark),
    questionPart(question, mark),
    "Reply with the answer, and with a last line such as: Score: 80\nThe score is 0 if the passage does not answer the question, and 100 if it answers it whole.",
  );
}

/** An answer from one passage, with its score from 0 to 100. */
export interface ScoredAnswer {
  readonly answer: string;
  readonly score: number;
}

/** Reads an answer with its score. One without a score counts nothing. */
export function readScoredAnswer(reply: string): ScoredAnswer {
  const said = spoken(reply);
  const last = [...said.matchAll(/^\W*Score\W*?(\d{1,3})\b.*$/gim)].at(-1);
  if (last === undefined) return { answer: said, score: 0 };
  return { answer: said.slice(0, last.index).trim(), score: Math.min(100, Number(last[1])) };
}
