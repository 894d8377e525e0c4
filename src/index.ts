// The agent

export * from "./agent/index.js";

// Answers held against their sources

export { checkCitations } from "./middleware/citations/check-citations.js";

// The retrieval agent

export { createRetrievalAgent } from "./retrieval/create-retrieval-agent.js";
export type {
  Combine,
  QuestionView,
  RetrievalPrompts,
  Route,
  Translate,
  Translation,
} from "./retrieval/dependencies.js";
export type { RetrievalLimits, RetrievalOptions } from "./retrieval/options.js";
export type { Reranker } from "./retrieval/searching/reranker.js";
export type { NamedRetriever, Retriever } from "./retrieval/searching/retriever.js";

// The parts that have an entry of their own

export * from "./documents/index.js";
export * from "./memory/index.js";
export * from "./model/index.js";
export * from "./protocols/index.js";
export * from "./threads/index.js";
export * from "./tools/index.js";
