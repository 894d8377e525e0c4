import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { checkedOptions, countOption } from "../../base/options.js";
import { prompt, questionPart, spoken, spokenLines } from "../prompts/prompt-parts.js";

/** A way to make queries of a question with one model call. */
export interface Translation {
  readonly name: string;
  /** Writes the prompt. `mark` is the mark of the turn's fence. */
  prompt(question: string, mark: string): BaseMessage[];
  /** Reads the queries in the reply. They are searched for beside the words as asked. */
  read(reply: string): string[];
}

const several = 5;

/**
 * Searches with other wordings of the question, too: LangChain's MultiQueryRetriever.
 *
 * @param options.queries The number of other wordings, at least 1. Default: 3.
 */
export function multiQuery(options: { readonly queries?: number } = {}): Translation {
  const { queries = 3 } = checkedOptions("multiQuery", z.strictObject({ queries: countOption.optional() }), options);
  return {
    name: "multi-query",
    prompt: (question, mark) =>
      prompt(
        `Write ${queries} other wordings of a question, to search documents with.`,
        "Use other words for the same thing, as the documents may have them.",
        questionPart(question, mark),
        "Reply with one wording in each line, and nothing else.",
      ),
    read: (reply) => spokenLines(reply).slice(0, queries),
  };
}

/**
 * Searches for the parts of the question, too: decomposition (Zhou et al. 2022, "least-to-most prompting",
 * arXiv:2205.10625). At most five parts are searched for.
 */
export function decompose(): Translation {
  return {
    name: "decompose",
    prompt: (question, mark) =>
      prompt(
        "Split a question into simpler questions, to search documents with.",
        "Each of them must be clear without the others. A simple question stays as it is.",
        questionPart(question, mark),
        `Reply with one question in each line, at most ${several}, and nothing else.`,
      ),
    read: (reply) => spokenLines(reply).slice(0, several),
  };
}

/** Searches for a more general question, too: step-back prompting (Zheng et al. 2023, arXiv:2310.06117). */
export function stepBack(): Translation {
  return {
    name: "step-back",
    prompt: (question, mark) =>
      prompt(
        "Write a more general question, to search documents with.",
        "Its answer is the background that helps to answer the question at hand.",
        questionPart(question, mark),
        "Reply with the general question only.",
      ),
    read: (reply) => spokenLines(reply).slice(0, 1),
  };
}

/**
 * Searches with a passage that the model invents, too: hypothetical document embeddings (Gao et al. 2022, arXiv:2212.10496).
 * Helps a retriever that compares vectors. The invented passage is never shown as a source.
 */
export function hyde(): Translation {
  return {
    name: "hyde",
    prompt: (question, mark) =>
      prompt(
        "Write a short passage as it could stand in a document that answers a question.",
        questionPart(question, mark),
        "Reply with the passage only.",
      ),
    read: (reply) => [spoken(reply).slice(0, longest)].filter((passage) => passage !== ""),
  };
}

/** The most characters of an invented passage. */
const longest = 2_000;
