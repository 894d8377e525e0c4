import { randomUUID } from "node:crypto";
import type { DocumentInterface } from "@langchain/core/documents";
import type { RunnableConfig } from "@langchain/core/runnables";
import { z } from "zod";
import { describeValue } from "../../base/describe-value.js";
import { isJson } from "../../base/plain-data.js";
import type { AgentTool } from "../../core/parts/tools.js";
import { type Source, sourceSchema } from "../../core/state/source.js";

/**
 * Finds passages: a LangChain retriever, such as {@link documents} or `vectorStore.asRetriever()`. A tool that names its
 * sources, such as {@link webSearch}, is a retriever, too. The metadata of a document may have `title`, `address` (or
 * `source`, or `url`), `heading` and `score`. The list may have the property `notSearched`: a sentence that says what was not
 * searched, and why.
 */
export type Retriever =
  | { invoke(query: string, config?: RunnableConfig): Promise<readonly DocumentInterface[]> }
  | AgentTool;

/** A retriever among several. A model that chooses one is told its name and description. */
export interface NamedRetriever {
  readonly name: string;
  readonly description: string;
  readonly retriever: Retriever;
}

/** The most passages of one search, and the most characters of one that are kept. */
const mostPassages = 100;
const mostCharacters = 100_000;
/** The most characters of what a retriever says that it did not search. */
const mostSaid = 1_000;

/** What a search found, and what it did not look at. */
interface SearchOutcome {
  readonly passages: Source[];
  readonly notSearched?: string | undefined;
}

/**
 * Searches for passages.
 *
 * @throws what the retriever throws, or an error that says what is wrong with its result.
 */
export async function search(retriever: Retriever, query: string, config: RunnableConfig): Promise<SearchOutcome> {
  const { passages, notSearched } = isTool(retriever)
    ? await sourcesOf(retriever, query, config)
    : passagesOf(await retriever.invoke(query, config));
  const first = passages.slice(0, mostPassages);
  const kept = first.map(({ passage = "", ...source }) => ({ ...source, passage: passage.slice(0, mostCharacters) }));
  return { passages: kept, notSearched: notSearched?.slice(0, mostSaid) };
}

export function isTool(retriever: object): retriever is AgentTool {
  return "schema" in retriever && "name" in retriever;
}

const word = z.string().trim().min(1).optional().catch(undefined);
const toolMessageSchema = z.looseObject({
  artifact: z.looseObject({ sources: z.array(sourceSchema), notSearched: word }),
});

async function sourcesOf(tool: AgentTool, query: string, config: RunnableConfig): Promise<SearchOutcome> {
  const call = { type: "tool_call", id: randomUUID(), name: tool.name, args: { query } } as const;
  const read = toolMessageSchema.safeParse(await tool.invoke(call, config));
  if (!read.success) throw new Error("the tool names no sources in its artifact; give a retriever");
  const { sources, notSearched } = read.data.artifact;
  return { passages: sources.filter(({ passage }) => passage !== undefined && passage.trim() !== ""), notSearched };
}

/** What of a document's metadata becomes a field of its source. */
const ownNames = new Set(["title", "heading", "address", "score", "relevanceScore"]);

const documentsSchema = z.array(
  z.looseObject({
    pageContent: z.string(),
    id: word,
    metadata: z
      .looseObject({
        title: word,
        address: word,
        source: word,
        url: word,
        heading: word,
        score: z.number().optional().catch(undefined),
        relevanceScore: z.number().optional().catch(undefined),
      })
      .default({}),
  }),
);

/**
 * Reads the documents that a retriever or a reranker returned.
 *
 * @param isOld Tells whether a document's score is not by the one that returned it.
 */
export function passagesOf(result: unknown, isOld = (_: Pick<Source, "address" | "score">) => false): SearchOutcome {
  const read = documentsSchema.safeParse(result);
  if (!read.success)
    throw new Error(
      `it returned ${describeValue(result)} and no list of LangChain documents, each with a text as pageContent`,
    );
  const found = read.data.filter(({ pageContent }) => pageContent.trim() !== "");
  const passages = found.map(({ pageContent, id, metadata }) => {
    const { title, heading, url, source, address = source ?? url ?? "" } = metadata;
    // A reranker keeps the score that a document had.
    const score = metadata.relevanceScore ?? (isOld({ address, score: metadata.score }) ? undefined : metadata.score);
    const left = Object.entries({ id, ...metadata }).filter(
      ([name, value]) => !ownNames.has(name) && value !== address && value !== undefined && isJson(value),
    );
    return {
      title: title ?? heading ?? (address || "a passage"),
      address,
      passage: pageContent,
      ...(heading && { heading }),
      ...(score !== undefined && { score }),
      ...(left.length > 0 && { metadata: Object.fromEntries(left) }),
    };
  });
  const isTold = Array.isArray(result) && "notSearched" in result;
  return { passages, notSearched: isTold ? word.parse(result.notSearched) : undefined };
}
