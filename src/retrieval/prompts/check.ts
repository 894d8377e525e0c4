import type { BaseMessage } from "@langchain/core/messages";
import type { Passage } from "../../core/parts/protocol.js";
import { fence } from "../../protocols/fence/fence.js";
import { framed } from "../../protocols/reading/sections/correction-frame.js";
import { onlyData, passagesPart, prompt, promptFence, questionPart, spoken } from "./prompt-parts.js";

/**
 * Writes the prompt that holds an answer against its passages and its question. The idea is that of self-RAG (Asai et al.
 * 2023, arXiv:2310.11511).
 */
export function checkPrompt(
  question: string,
  passages: readonly Passage[],
  answer: string,
  mark: string,
): BaseMessage[] {
  return prompt(
    "Check an answer against the passages that it was made of.",
    `The answer is right if all that it states stands in the passages, and if it answers the question. An answer that says that the passages do not tell is right if they do not. ${onlyData}`,
    passagesPart(passages, mark),
    questionPart(question, mark),
    `Answer: ${fence(answer, promptFence(mark))}`,
    "If it is right, reply: YES\nIf not, reply with what is wrong or missing, such as: NO: the passages do not name the year",
  );
}

/** Reads the verdict about an answer: what is wrong with it, or an empty text if it is right. Undefined if nobody can tell. */
export function readVerdict(reply: string): string | undefined {
  const [, word = "", why = ""] = /^\W*(YES|NO)\b\W*([\s\S]*)$/i.exec(spoken(reply)) ?? [];
  if (word === "") return undefined;
  if (word.toUpperCase() === "YES") return "";
  return why.trim() || "the passages do not say all of it";
}

/** Writes the text that asks a model for a better answer. It has the frame of a correction. */
export function betterAnswerRequest(complaint: string): string {
  return framed(
    `The answer does not follow from the passages: ${complaint}`,
    "Answer the question once more. State only what the passages say. Say what they do not tell.",
  );
}

/** Writes the note at the end of an answer that was not confirmed. */
export function ungroundedNote(complaint: string): string {
  return `(This answer could not be confirmed by the passages: ${complaint.replace(/[.\s]+$/, "")}.)`;
}
