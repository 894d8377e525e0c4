import type { AgentParts } from "../core/parts/agent-parts.js";
import type { RunView } from "../middleware/run-view.js";
import type { Reranker } from "./searching/reranker.js";
import type { NamedRetriever } from "./searching/retriever.js";

/** The ways in which an answer is made of passages. The words are those of LangChain's chains. */
export const combinations = ["stuff", "map-reduce", "refine", "map-rerank"] as const;
export type Combine = (typeof combinations)[number];

/**
 * The ways in which the model makes queries of a question:
 *
 * - `"multi-query"`: three other wordings, as LangChain's MultiQueryRetriever.
 * - `"decompose"`: its parts, at most five (Zhou et al. 2022, "least-to-most prompting", arXiv:2205.10625).
 * - `"step-back"`: a more general question (Zheng et al. 2023, arXiv:2310.06117).
 * - `"hyde"`: a passage that the model invents (Gao et al. 2022, "hypothetical document embeddings", arXiv:2212.10496), for a
 *   retriever that compares vectors. It is never shown as a source.
 */
export const translations = ["multi-query", "decompose", "step-back", "hyde"] as const;
export type Translation = (typeof translations)[number];

/** The question and its run, for a function of the user that decides about them. */
export interface QuestionView extends RunView {
  /** The question, standing on its own. */
  readonly question: string;
}

/** Chooses the retrievers for a question by their names. None means that it is answered without documents. */
export type Route = (
  view: QuestionView,
) => string | readonly string[] | null | Promise<string | readonly string[] | null>;

/** Makes queries of a question. */
export type Translate = (view: QuestionView) => readonly string[] | Promise<readonly string[]>;

/** The user's words in the place of ours. Passages, question and the form of the reply stand below them as ever. */
export interface RetrievalPrompts {
  /** Tells the model which passages help (`grade`). */
  readonly grade?: string;
  /** Tells the model which answers are right (`check`). */
  readonly check?: string;
  /**
   * Writes the answer of a turn that found nothing. `state.retrieval.searched` has the searches. Default: what was
   * searched, which the model writes in the language of the question, and what was not.
   */
  readonly notFound?: (view: QuestionView) => string | Promise<string>;
}

/** The checked options of one retrieval agent with their defaults. */
export interface FixedRetrieval {
  readonly retrievers: readonly NamedRetriever[];
  readonly reranker: Reranker | undefined;
  readonly combine: Combine;
  readonly translate?: Translation | Translate | undefined;
  readonly route: boolean | Route;
  readonly isAdaptive: boolean;
  /** The grading of passages. Left out if all of them are used. */
  readonly grading?: { readonly rewrites: number; readonly fallback: NamedRetriever | undefined } | undefined;
  readonly checks: boolean;
  readonly prompts: RetrievalPrompts;
  readonly maxPassages: number;
  readonly passageTokens: number;
  readonly minScore: number | undefined;
  readonly searchTimeoutMs: number;
  /** The longest time of a turn, in milliseconds. */
  readonly maxTurnMs: number;
}

/** The parts of a retrieval agent, for all of its nodes. */
export interface RetrievalDependencies extends FixedRetrieval {
  readonly agent: AgentParts;
}
