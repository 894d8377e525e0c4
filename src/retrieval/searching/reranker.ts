import type { BaseDocumentCompressor } from "@langchain/core/retrievers/document_compressors";
import type { RunnableConfig } from "@langchain/core/runnables";
import { placeOf, type Source } from "../../core/state/source.js";
import { fuseRanks } from "../../documents/search/rank-fusion.js";
import { passagesOf } from "./retriever.js";

/**
 * Orders passages by how well they answer a query, and may leave some out or shorten them: a document compressor of
 * LangChain, such as `new CohereRerank({ model: "rerank-v3.5" })`. The score of a passage is then the one that it gave, as
 * `metadata.relevanceScore` or as another `metadata.score`.
 */
export type Reranker = Pick<BaseDocumentCompressor, "compressDocuments">;

/**
 * Returns passages in the order of a reranker, each once, with no scores but its own. It is given documents of its own, as some
 * rerankers write into them.
 */
export async function rerank(
  reranker: Reranker,
  passages: readonly Source[],
  query: string,
  { callbacks }: RunnableConfig,
): Promise<readonly Source[]> {
  const documents = passages.map(({ passage = "", metadata, ...place }) => {
    const { id, ...own } = structuredClone(metadata) ?? {};
    const known = { ...(typeof id === "string" && { id }), pageContent: passage };
    return { ...known, metadata: { source: place.address, ...own, ...place } };
  });
  const scores = new Set(passages.map(scoredPlace));
  const ranked = await reranker.compressDocuments(documents, query, callbacks);
  return fuseRanks([passagesOf(ranked, (one) => scores.has(scoredPlace(one))).passages], placeOf);
}

function scoredPlace({ address, score }: Pick<Source, "address" | "score">): string {
  return JSON.stringify([address, score]);
}
