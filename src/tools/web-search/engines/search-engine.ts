import type { Source } from "../../../turn/source.js";

/** A search for an engine. */
export interface EngineSearch {
  readonly query: string;
  readonly apiKey: string;
  readonly maxResults: number;
}

/** An HTTP request: a POST if it has a body, and else a GET. */
export interface EngineRequest {
  /** The path after the engine's base address, with the question mark. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface SearchResult extends Source {
  readonly snippet: string;
}

/** The reply of an engine. */
export interface SearchAnswer {
  /** A direct answer to the question, with its source; undefined if the engine gave none. */
  readonly answer?: { readonly text: string; readonly source?: Source };
  readonly results: readonly SearchResult[];
  /** The engine's own words for a failure that it reported in its reply. */
  readonly failure?: string;
}

/** A search engine of the web. It writes requests and reads replies, and does no input or output itself. */
export interface SearchEngine {
  /** The name that people use. */
  readonly title: string;
  /** The engine's address; undefined if each server has its own. */
  readonly baseUrl?: string;
  readonly needsKey: boolean;
  /** The advice for a refusal (HTTP 401 and 403). */
  readonly whenRefused: string;
  request(search: EngineSearch): EngineRequest;
  /**
   * Reads a reply.
   *
   * @param reply The parsed JSON.
   * @throws {z.ZodError} if it has another form than the engine's.
   */
  read(reply: unknown): SearchAnswer;
}
