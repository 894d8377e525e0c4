import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { z } from "zod";
import { checkedOptions, give, hasMethods } from "../base/options.js";
import { EmbeddingModel } from "./embedding/embedding-model.js";
import { filterSchema } from "./index/document-filter.js";
import { FollowedFolder } from "./refresh/followed-folder.js";
import { type DocumentRetriever, FolderRetriever } from "./retriever.js";

const indexIs = 'Give the path of a file, or ":memory:".';
const timeIs = "Give a whole number of milliseconds.";

/** The schema of {@link DocumentsOptions}. */
export const documentsSchema = z.strictObject({
  folder: z.string("Give the path of a folder.").min(1, "Give the path of a folder."),
  index: z
    .string(indexIs)
    .regex(/^(?!\w+:\/\/)./s, indexIs)
    .default(":memory:"),
  embeddings: z
    .custom<EmbeddingsInterface>(
      (value) => hasMethods(value, ["embedQuery", "embedDocuments"]),
      give("an embedding model of LangChain, such as new OpenAIEmbeddings()"),
    )
    .optional(),
  maxResults: z.int("Give a whole number.").min(1, "Give at least 1.").max(50, "Give at most 50.").default(4),
  minScore: z.number("Give a number.").optional(),
  filter: filterSchema.default({}),
  readingTimeMs: z.int(timeIs).min(0, timeIs).optional(),
});

/** The options of {@link documents}. */
export type DocumentsOptions = z.input<typeof documentsSchema>;

/**
 * Makes a LangChain retriever over a folder of documents. It finds small passages, and returns them with what stands around
 * them in their section, up to 2,000 characters.
 *
 * Without `embeddings`, passages that contain words of the query are found, ranked by BM25 of SQLite's full-text index. With
 * `embeddings`, passages that are near in meaning are found, too. Both lists are joined by reciprocal rank fusion.
 *
 * The index follows the folder. Each search first reads files that are new or changed (by time and size), and drops those
 * that are gone. If the look through the folder takes more than a second, it is done again only after ten times as long.
 * `refresh()` makes the whole index, and tells how far it is.
 *
 * @param options
 * - `folder`: the folder of the documents.
 * - `index`: the path of a SQLite file for the index; ":memory:" by default. Only its owner can read the file. Several
 *   processes and folders may share an index, but only one embedding model.
 * - `embeddings`: an embedding model of LangChain. Its name and dimensions are kept. Another model makes all vectors again.
 * - `maxResults`: the largest number of passages, 1 to 50; 4 by default.
 * - `minScore`: the smallest score of a passage. It is the number in `metadata.score`: the cosine with embeddings,
 *   or else that of the words (more than 0; how much is much depends on the documents).
 * - `filter`: which documents are searched, as for `withFilter`; all by default.
 * - `readingTimeMs`: the time in a search for reading new and changed documents, in milliseconds; by default as long as the
 *   caller's `timeout` or the agent's limit allows, and 15,000 without one. The next search goes on, and 0 reads none.
 * @returns A {@link DocumentRetriever}. Its index stays open until `close()`, or until the process ends.
 * @throws {InvalidOptionError} for an option that is not possible. Its methods throw {@link DocumentSearchError} if the
 *   folder, the index or a model cannot be used.
 * @example
 * const guides = documents({ folder: "docs", index: ".glassloop/documents.db", embeddings: new OpenAIEmbeddings() });
 * await guides.refresh();
 * const [best] = await guides.invoke("How is a checkpoint stored?");
 */
export function documents(options: DocumentsOptions): DocumentRetriever {
  return makeRetriever(checkedOptions("documents", documentsSchema, options));
}

/** Makes the retriever of options that are checked. */
export function makeRetriever(options: z.output<typeof documentsSchema>): DocumentRetriever {
  const { folder, index, readingTimeMs, embeddings, ...settings } = options;
  const model = embeddings && new EmbeddingModel(embeddings);
  const followed = new FollowedFolder({ folder, index, readingTimeMs, model });
  return new FolderRetriever(followed, { ...settings, model });
}
