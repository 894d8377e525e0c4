import { dispatchCustomEvent } from "@langchain/core/callbacks/dispatch";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { z } from "zod";
import { checkedOptions } from "../../base/options.js";
import type { SourcesArtifact } from "../../core/state/source.js";
import { type DocumentsOptions, documentsSchema, makeRetriever } from "../../documents/documents.js";
import type { IndexProgress } from "../../documents/index-progress.js";
import { plainPath, tellNotSearched } from "../../documents/not-searched.js";
import { type SearchResult, waitOf } from "../../documents/retriever.js";
import { searchLists } from "../../documents/search/search-words.js";
import { withoutLabels } from "../source-labels.js";

/** The options of {@link documentSearch}: those of `documents`. */
export type DocumentSearchOptions = DocumentsOptions;

const schema = z.object({ query: z.string().describe("The words to look for, such as: fastest robot Rubik's cube.") });

/** The tool that {@link documentSearch} makes. */
export interface DocumentSearchTool extends StructuredToolInterface<typeof schema>, AsyncDisposable {
  /** Ends the connection to the index when no search is under way. A later search opens a new one. */
  close(): Promise<void>;
}

type Answer = [content: string, artifact: SourcesArtifact];

/**
 * Makes a tool named `document_search` that searches a folder of documents. It is the retriever `documents` as a tool. It
 * also tells the model what to do when nothing is found, and what was not searched.
 *
 * Links out of the folder, hidden files and files that cannot be read are left out. So is what comes after a million files, or
 * after 10,000 passages of a file. The result says so, but for hidden files and `node_modules`.
 *
 * Documents are read, cut and indexed in threads of their own. A hostile document cannot stop the program.
 *
 * English words are found in all their forms. Korean, and scripts without spaces, such as Chinese, Japanese and Thai, are found
 * by pairs of characters.
 *
 * @param options The options of `documents`: `folder`, `index`, `embeddings` and the others.
 * @returns A LangChain tool. Its result shows each passage with its file and heading. The artifact of its tool message
 *   is a {@link SourcesArtifact}. Its index stays open until `close()`, or until the process ends.
 * @throws {InvalidOptionError} for an option that is not possible. The tool throws {@link DocumentSearchError} if the
 *   folder, the index or a model cannot be used.
 * @example
 * const search = documentSearch({ folder: "docs", index: ".glassloop/documents.db" });
 * await search.invoke({ query: "checkpoint format" });
 */
export function documentSearch(options: DocumentSearchOptions): DocumentSearchTool {
  const checked = checkedOptions("documentSearch", documentsSchema, options);
  const retriever = makeRetriever(checked);
  const search = tool(
    async ({ query }, config): Promise<Answer> => {
      if (checked.embeddings === undefined && searchLists(query).length === 0) {
        return [nothingToLookFor(query), { sources: [] }];
      }
      // Nobody hears of the progress of a tool that is called without callbacks.
      const onProgress = (progress: IndexProgress) =>
        void dispatchCustomEvent("indexing", progress, config).catch(() => undefined);
      const result = await retriever.search(query, { ...waitOf(config), onProgress });
      const left = tellNotSearched(result.notSearched);
      const [notSearched] = left;
      const artifact = { sources: result.found.map(sourceOf), ...(notSearched !== undefined && { notSearched }) };
      if (result.found.length === 0) return [[nothingFound(query, result.documents), ...left].join(" "), artifact];
      return [[...result.found.map(showPassage), ...left].join("\n\n"), artifact];
    },
    {
      name: "document_search",
      description:
        "Searches the documents at hand and returns the passages that match best. The input is a few words to look for. " +
        "Cite passages by their number, such as [2].",
      schema,
      responseFormat: "content_and_artifact",
      metadata: { untrusted: true },
    },
  );
  const close = () => retriever.close();
  return Object.assign(search, { close, [Symbol.asyncDispose]: close });
}

type Found = SearchResult["found"][number];

function showPassage({ metadata, pageContent }: Found, position: number): string {
  const heading = metadata.heading.split(" > ").at(-1);
  return `[${position + 1}] ${plainPath(metadata.address)}${heading ? `, ${heading}` : ""}\n${withoutLabels(pageContent)}`;
}

function sourceOf({ metadata: { title, address, heading, score }, pageContent }: Found) {
  return { title, address, ...(heading && { heading }), passage: pageContent, score };
}

function nothingToLookFor(query: string): string {
  return `There are no words to look for in ${JSON.stringify(query.slice(0, 100))}. Search for the names and things that the question is about.`;
}

function nothingFound(query: string, documents: number): string {
  if (documents === 0) return "There are no documents here: the folder has no files that can be read.";
  const all = documents === 1 ? "one document" : `${documents} documents`;
  return `No passage of the ${all} fits ${JSON.stringify(query.slice(0, 100))}. Search for other words.`;
}
