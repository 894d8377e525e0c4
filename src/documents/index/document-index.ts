import type { NewDocument } from "./document-cutter.js";
import type { CheckedFilter } from "./document-filter.js";

/** A document in the index. `skipped` tells what of it is not in the index. */
export interface IndexedDocument {
  readonly path: string;
  readonly modified: number;
  readonly size: number;
  readonly skipped: string | null;
}

/** A document that is not in the index, or only a part of it, and the reason. */
export interface SkippedFile {
  readonly path: string;
  readonly skipped: string;
}

/** The vector of a query, as the bytes of 32-bit numbers, and the identity of the model that made it. */
export interface QueryVector {
  readonly model: string;
  readonly vector: Uint8Array;
}

/** What is looked for: any of some words, a vector, or both. A "word" of several words is found where they stand together. */
export interface PassageQuery {
  readonly words: readonly string[];
  readonly vector: QueryVector | undefined;
}

/** Where it is looked for. */
export interface SearchScope {
  readonly folder: number;
  readonly filter: CheckedFilter;
  /** The largest number of passages that are found in one way. */
  readonly limit: number;
}

/** A passage, where it stands, and how well it fits: a higher score is better. */
export interface FoundPassage {
  readonly id: number;
  readonly document: number;
  readonly section: number;
  readonly path: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly text: string;
  readonly score: number;
}

/**
 * An index of the passages of folders, by their words and as vectors. It can always be made again from the documents.
 * Several processes may use one index. All methods throw a {@link DocumentSearchError} if it cannot be used.
 */
export interface DocumentIndex {
  readonly vectors: VectorTable;

  /** Returns the id of a folder in this index. */
  folder(path: string): Promise<number>;

  /** Returns the documents of a folder by their paths, as they were when they were last read. */
  documents(folder: number): Promise<Map<string, IndexedDocument>>;

  /** Returns the first documents of a folder that were skipped, by path. */
  skipped(folder: number, limit: number): Promise<readonly SkippedFile[]>;

  /** Counts the documents of a folder that were skipped. */
  countSkipped(folder: number): Promise<number>;

  countPassages(folder: number): Promise<number>;

  /** Puts documents of a folder in the places of older ones of the same paths. They are cut in a thread of their own. */
  put(documents: readonly NewDocument[]): Promise<void>;

  remove(folder: number, paths: readonly string[]): Promise<void>;

  /**
   * Finds passages by words, and by a vector. With a vector the score of all of them is the cosine of the angle between the
   * vectors: 1 for the same direction. Without one it is the score of the words, above 0.
   *
   * @returns A list for each way, with the best first. All are of one state of the index.
   * @throws {DocumentSearchError} if the vectors in the index are another model's.
   */
  find(query: PassageQuery, scope: SearchScope): Promise<readonly (readonly FoundPassage[])[]>;

  /** Reads the texts of a passage and of those beside it in its section, in the order of the document. */
  around(passage: FoundPassage, reach: number): Promise<readonly PassageText[]>;

  /** Ends the connection. */
  close(): Promise<void>;
}

/** The text of a passage. */
export interface PassageText {
  readonly id: number;
  readonly text: string;
}

/** A passage that has no vector yet. */
export interface PendingPassage extends PassageText {
  readonly title: string;
  readonly headings: readonly string[];
}

/** The link of a passage to the vector of its text. The key tells the text. */
export interface VectorLink {
  readonly passage: number;
  readonly key: string;
}

/** A new vector, as the bytes of 32-bit numbers. */
export interface NewVector {
  readonly key: string;
  readonly vector: Uint8Array;
}

/**
 * The vectors of passages. A vector belongs to a text and not to a place: a document that is renamed, or changed in one
 * passage, needs no other new vector.
 */
export interface VectorTable {
  /** Tells which model made the vectors; undefined if there are none. */
  model(): Promise<string | undefined>;

  /** Drops all vectors, and names the model that makes new ones. */
  startAnew(model: string): Promise<void>;

  /** Returns the first passages of a folder that have no vector yet. */
  pending(folder: number, limit: number): Promise<readonly PendingPassage[]>;

  countPending(folder: number): Promise<number>;

  /** Returns the keys that have a vector. */
  known(keys: readonly string[]): Promise<ReadonlySet<string>>;

  /**
   * Keeps new vectors of a model, and links passages to vectors. A passage that was removed meanwhile is left out. So are
   * all vectors if they are another model's by now.
   */
  store(model: string, vectors: readonly NewVector[], links: readonly VectorLink[]): Promise<void>;

  /** Drops the vectors that no passage has any more. */
  dropUnused(): Promise<void>;
}
