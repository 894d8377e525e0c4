import type { BaseMessage } from "@langchain/core/messages";
import type { Translation } from "../dependencies.js";
import { readQueryLines } from "./decisions.js";
import { prompt, questionPart, spoken } from "./prompt-parts.js";

/**
 * A way to make queries of a question with one model call: the task, the form of the reply, and the most queries that are
 * read.
 */
interface Way {
  readonly task: readonly string[];
  readonly reply: string;
  readonly most: number;
}

const others = 3;
const parts = 5;
/** The most characters of an invented passage. */
const longest = 2_000;

const ways: Readonly<Record<Translation, Way>> = {
  "multi-query": {
    task: [
      `Write ${others} other wordings of a question, to search documents with.`,
      "Use other words for the same thing, as the documents may have them.",
    ],
    reply: "Reply with one wording in each line, and nothing else.",
    most: others,
  },
  decompose: {
    task: [
      "Split a question into simpler questions, to search documents with.",
      "Each of them must be clear without the others. A simple question stays as it is.",
    ],
    reply: `Reply with one question in each line, at most ${parts}, and nothing else.`,
    most: parts,
  },
  "step-back": {
    task: [
      "Write a more general question, to search documents with.",
      "Its answer is the background that helps to answer the question at hand.",
    ],
    reply: "Reply with the general question only.",
    most: 1,
  },
  hyde: {
    task: ["Write a short passage as it could stand in a document that answers a question."],
    reply: "Reply with the passage only.",
    most: 1,
  },
};

/** Writes the prompt that asks for queries. `mark` is the mark of the turn's fence. */
export function translationPrompt(name: Translation, question: string, mark: string): BaseMessage[] {
  const { task, reply } = ways[name];
  return prompt(...task, questionPart(question, mark), reply);
}

/** Reads the queries in a reply. They are searched for beside the words as asked. */
export function readQueries(name: Translation, reply: string): readonly string[] {
  return name === "hyde" ? [spoken(reply).slice(0, longest)] : readQueryLines(reply).slice(0, ways[name].most);
}
