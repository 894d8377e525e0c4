import type { AgentParts } from "../core/parts/agent-parts.js";
import type { RunView } from "../core/run/run-view.js";
import type { NamedRetriever } from "./searching/retriever.js";
import type { Translation } from "./translation/translation.js";

/** The ways in which an answer is made of passages. The words are those of LangChain's chains. */
export const combinations = ["stuff", "map-reduce", "refine", "map-rerank"] as const;
export type Combine = (typeof combinations)[number];

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

/** The checked options of one retrieval agent with their defaults. */
export interface FixedRetrieval {
  readonly retrievers: readonly NamedRetriever[];
  readonly combine: Combine;
  readonly translate?: Translation | Translate | undefined;
  readonly route: boolean | Route;
  readonly isAdaptive: boolean;
  /** The grading of passages. Left out if all of them are used. */
  readonly grading?: { readonly rewrites: number; readonly fallback: NamedRetriever | undefined } | undefined;
  readonly checks: boolean;
  readonly maxPassages: number;
  readonly passageTokens: number;
  readonly minScore: number | undefined;
  readonly searchTimeoutMs: number;
}

/** The parts of a retrieval agent, for all of its nodes. */
export interface RetrievalDependencies extends FixedRetrieval {
  readonly agent: AgentParts;
}
