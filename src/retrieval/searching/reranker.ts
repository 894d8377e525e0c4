import type { BaseDocumentCompressor } from "@langchain/core/retrievers/document_compressors";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Source } from "../../core/state/source.js";
import { passagesOf } from "./retriever.js";

/**
 * Orders passages by how well they answer a query, and may leave some out or shorten them: a document compressor of LangChain, such as
 * `new CohereRerank({ model: "rerank-v3.5" })`. The score of a passage is its `metadata.relevanceScore`, if it has one.
 */
export type Reranker = Pick<BaseDocumentCompressor, "compressDocuments">;

/** Returns passages in the order of a reranker. It is given documents of its own, as some rerankers write into them. */
export async function rerank(
  reranker: Reranker,
  passages: readonly Source[],
  query: string,
  { callbacks }: RunnableConfig,
): Promise<readonly Source[]> {
  const documents = passages.map(({ passage = "", metadata, ...place }) => {
    return { pageContent: passage, metadata: { ...structuredClone(metadata), ...place } };
  });
  return passagesOf(await reranker.compressDocuments(documents, query, callbacks)).passages;
}
