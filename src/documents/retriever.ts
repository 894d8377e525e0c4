import { AsyncLocalStorage } from "node:async_hooks";
import { type CallbackManagerForRetrieverRun, parseCallbackConfigArg } from "@langchain/core/callbacks/manager";
import { Document } from "@langchain/core/documents";
import { BaseRetriever } from "@langchain/core/retrievers";
import { ensureConfig, type RunnableConfig } from "@langchain/core/runnables";
import { z } from "zod";
import { checkedOption, give } from "../base/options.js";
import { untilAborted } from "../base/until-aborted.js";
import type { EmbeddingModel } from "./embedding/embedding-model.js";
import { type CheckedFilter, type DocumentFilter, filterSchema } from "./index/document-filter.js";
import type { FoundPassage } from "./index/passage-search.js";
import type { IndexProgress } from "./index-progress.js";
import { findNotSearched, type NotSearched, tellNotSearched } from "./not-searched.js";
import type { FollowedFolder, SearchWait } from "./refresh/followed-folder.js";
import { rankPassages } from "./search/rank-passages.js";
import { repeatsLast } from "./search/repeats-last.js";
import { shownSections } from "./search/shown-sections.js";

/** The metadata of a document that was found. */
export interface PassageMetadata {
  /** The title of the document: of its front matter or file, or else its first heading, or its name. */
  readonly title: string;
  /** The path of the document below the folder. */
  readonly address: string;
  /** The headings above the passage, joined by " > "; empty if there are none. */
  readonly heading: string;
  /** How well the passage fits: higher is better. `minScore` is held against this number. */
  readonly score: number;
  readonly [name: string]: unknown;
}

/** The result of a search. */
export interface SearchResult {
  /** What was found, the best first. */
  readonly found: Document<PassageMetadata>[];
  /** The number of documents in the folder. */
  readonly documents: number;
  readonly notSearched: NotSearched;
}

/** The result of `refresh` of a {@link DocumentRetriever}. */
export interface IndexReport {
  /** The numbers of documents in the folder, and of their passages in the index. */
  readonly documents: number;
  readonly passages: number;
  /** What is not in the index. It names the first 1,000 documents that were skipped. */
  readonly notSearched: NotSearched;
}

/** How a {@link FolderRetriever} searches. */
interface SearchSettings {
  readonly maxResults: number;
  readonly minScore?: number | undefined;
  readonly filter: CheckedFilter;
  readonly model: EmbeddingModel | undefined;
}

const querySchema = z.string(give("a text"));

/** The number of skipped documents that a report names. */
const mostSkipped = 1_000;

/** A retriever of LangChain over a folder of documents, as `documents` makes it. */
export interface DocumentRetriever extends BaseRetriever<PassageMetadata>, AsyncDisposable {
  /**
   * Finds the passages that answer a query best. It first reads documents that are new or changed, and tells how far it is with
   * LangChain's custom event `indexing`.
   *
   * @returns LangChain documents, the best first. `pageContent` is the passage with what stands around it. The list has the
   *   property `notSearched` if something was not searched: a sentence that says what, and why.
   * @throws {DocumentSearchError} if the folder, the index or a model cannot be used.
   */
  invoke(query: string, config?: RunnableConfig): Promise<Document<PassageMetadata>[]>;

  /**
   * Does the same as `invoke`, and also tells what was not searched.
   *
   * @param wait.signal Stops the search.
   * @param wait.timeMs The time that the search may take, in milliseconds.
   * @param wait.onProgress Called with how far the index is.
   */
  search(query: string, wait?: SearchWait): Promise<SearchResult>;

  /**
   * Makes a retriever that searches some of the documents. Both share one index. A filter that this one has is replaced.
   *
   * @throws {InvalidOptionError} for a filter that is not possible.
   * @example
   * await docs.withFilter({ path: "guides/*", frontMatter: { lang: "en" } }).invoke("install");
   */
  withFilter(filter: DocumentFilter): DocumentRetriever;

  /**
   * Brings the index up to date with the folder, however long it takes. A search does so only as far as there is time. Work
   * that was stopped goes on where it was.
   *
   * @param onProgress Called often with how far the work is.
   * @param options.signal Stops the work. What is in the index by then stays.
   * @throws {DocumentSearchError} if the folder, the index or the embedding model cannot be used, or the index is not up to
   *   date and cannot be written.
   */
  refresh(
    onProgress?: (progress: IndexProgress) => void,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<IndexReport>;

  /** Ends the connection to the index. A later search opens a new one. Retrievers by `withFilter` share it. */
  close(): Promise<void>;
}

/** The retriever of a folder that is followed. */
export class FolderRetriever extends BaseRetriever<PassageMetadata> implements DocumentRetriever {
  override lc_namespace = ["glassloop", "documents"];
  readonly #waits = new AsyncLocalStorage<SearchWait>();

  constructor(
    private readonly folder: FollowedFolder,
    private readonly settings: SearchSettings,
  ) {
    super();
  }

  override async invoke(query: string, config?: RunnableConfig): Promise<Document<PassageMetadata>[]> {
    // Retrievers of LangChain that wrap this one give callbacks in the place of a config.
    const known = ensureConfig(parseCallbackConfigArg(config));
    return this.#waits.run(waitOf(known), () => super.invoke(query, known));
  }

  /** LangChain hands over no signal, and no time limit. */
  override async _getRelevantDocuments(
    query: string,
    run?: CallbackManagerForRetrieverRun,
  ): Promise<Document<PassageMetadata>[]> {
    const onProgress = (progress: IndexProgress) => void run?.handleCustomEvent("indexing", progress, run.runId);
    const { found, notSearched } = await this.search(query, { ...this.#waits.getStore(), onProgress });
    const [told] = tellNotSearched(notSearched);
    return told === undefined ? found : Object.assign(found, { notSearched: told });
  }

  async search(query: string, wait: SearchWait = {}): Promise<SearchResult> {
    checkedOption("query", querySchema, query);
    const { signal } = wait;
    const { index, id, refreshed } = await this.folder.current(wait);
    const { filter, minScore = -Infinity, maxResults, model } = this.settings;
    // A shown section may hold several passages, and a score may be too low: more are ranked than are shown.
    const scope = { folder: id, filter, gone: refreshed.gone, limit: Math.max(20, 4 * maxResults) };
    const ranked = await rankPassages(index.passages, query, scope, model);
    signal?.throwIfAborted();
    const good = repeatsLast(
      ranked.filter(({ score }) => score >= minScore),
      query,
    );
    const sections = await shownSections(index.passages, good, maxResults);
    return {
      found: sections.map(documentOf),
      documents: refreshed.documents.length,
      notSearched: await findNotSearched(index, id, refreshed),
    };
  }

  withFilter(filter: DocumentFilter): FolderRetriever {
    const checked = checkedOption("filter", filterSchema, filter);
    return new FolderRetriever(this.folder, { ...this.settings, filter: checked });
  }

  async refresh(
    onProgress?: (progress: IndexProgress) => void,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<IndexReport> {
    const refreshing = this.folder.refresh({ hasTime: () => true, signal, onProgress });
    // The model may take its time.
    const { index, id, refreshed } = await untilAborted(refreshing, signal);
    const { unread, unembedded, gone } = refreshed;
    if (index.isReadOnly && unread + unembedded + gone.length > 0) {
      const lack = `${unread} new or changed documents, ${gone.length} that are gone, and ${unembedded} passages without vectors`;
      throw index.readOnlyError(`is not up to date (${lack})`);
    }
    return {
      documents: refreshed.documents.length,
      passages: await index.countPassages(id),
      notSearched: await findNotSearched(index, id, refreshed, mostSkipped),
    };
  }

  close(): Promise<void> {
    return this.folder.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function documentOf({ title, path, headings, score, text }: FoundPassage): Document<PassageMetadata> {
  const metadata = { title, address: path, heading: headings.join(" > "), score };
  return new Document({ pageContent: text, metadata });
}

/** Reads how long a call may wait. LangChain keeps its time limit in the metadata. */
export function waitOf({ signal, metadata }: RunnableConfig): SearchWait {
  const limit: unknown = metadata?.timeoutMs;
  return { signal, ...(typeof limit === "number" && { timeMs: limit }) };
}
