import type { Source } from "../../source.js";

/** What is asked of an engine. */
export interface EngineSearch {
  readonly query: string;
  readonly apiKey: string;
  readonly maxResults: number;
}

/** One HTTP request: a GET, or a POST when it has a body. */
export interface EngineRequest {
  /** What follows the engine's base address, with the question mark. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface SearchResult extends Source {
  readonly snippet: string;
}

/** What an engine found. */
export interface SearchAnswer {
  /** A direct answer to the question, where the engine has one, and its source, where it tells it. */
  readonly answer?: { readonly text: string; readonly source?: Source };
  readonly results: readonly SearchResult[];
  /** The engine's own words for why it failed, although it answered. */
  readonly failure?: string;
}

/** A search engine of the web: how it is asked, and how its reply is read. It does no input or output itself. */
export interface SearchEngine {
  /** As people call it. */
  readonly title: string;
  /** Where it is, unless everyone has their own. */
  readonly baseUrl?: string;
  readonly needsKey: boolean;
  /** What to do when it refuses to answer (HTTP 401 and 403). */
  readonly whenRefused: string;
  request(search: EngineSearch): EngineRequest;
  /**
   * @param reply Parsed JSON.
   * @throws {z.ZodError} when it has another form than the engine's.
   */
  read(reply: unknown): SearchAnswer;
}
