import { z } from "zod";
import { hasCode, ToolError } from "../../base/errors.js";
import type { SearchAnswer, SearchEngine } from "./engines.js";

/** JSON that is made to take long takes 0.1 s at this size. Replies of engines have a tenth of it. */
const mostBytes = 1_000_000;

/** A search for an engine, and how it gets there. */
interface EngineSearch {
  readonly query: string;
  readonly maxResults: number;
  readonly baseUrl: string;
  /** The time for the whole request and reply, in milliseconds. */
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
  /** The caller's signal to stop. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Asks a search engine over HTTP, once. The address may hold a password, so no error ever shows the address.
 *
 * @throws {ToolError} "web-search-failed" if the engine cannot be reached, refuses, fails, takes too long or answers in another form.
 * @throws The signal's reason, if the caller stops.
 */
export async function askEngine(engine: SearchEngine, search: EngineSearch): Promise<SearchAnswer> {
  const found = readReply(engine, await exchange(engine, search));
  if (found.failure === undefined) return found;
  throw notFound(engine, `reports: ${found.failure}`);
}

async function exchange(engine: SearchEngine, search: EngineSearch): Promise<string> {
  const { baseUrl, timeoutMs, signal, fetch, query, maxResults } = search;
  const [path, parameters] = engine.request(query, maxResults);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}${path}?${new URLSearchParams(parameters)}`, {
      headers: { accept: "application/json", "user-agent": "glassloop" },
      redirect: "manual", // A search is private, and a redirect could lead it anywhere.
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw notFound(engine, reasonOf(response.status, engine), response.status);
    }
    return await readText(response, engine);
  } catch (error) {
    if (hasCode(error, "web-search-failed")) throw error;
    signal?.throwIfAborted();
    if (timeout.aborted) throw notFound(engine, `did not answer within ${timeoutMs / 1000} s`);
    throw notFound(engine, `cannot be reached${codeOf(error)}`);
  }
}

function notFound({ title }: SearchEngine, reason: string, status?: number): ToolError {
  return new ToolError("web-search-failed", `${title} ${reason}.`, status);
}

function reasonOf(status: number, { whenRefused }: SearchEngine): string {
  if (status === 401 || status === 403) return `refused the search (HTTP ${status}): ${whenRefused}`;
  if (status === 429) return `takes no more searches for now (HTTP ${status}): its limit is reached`;
  if (status >= 300 && status < 400) {
    return `sends the search on to another address (HTTP ${status}), which is not followed: give its last address as baseUrl`;
  }
  if (status >= 500) return `failed (HTTP ${status}), which may pass`;
  return `did not take the search (HTTP ${status})`;
}

async function readText(response: Response, engine: SearchEngine): Promise<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw notFound(engine, "answered with more than 1 MB");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function readReply(engine: SearchEngine, body: string): SearchAnswer {
  try {
    return engine.read(JSON.parse(body));
  } catch (error) {
    const form = error instanceof z.ZodError ? "in a form that is not its own" : "with something that is no JSON";
    throw notFound(engine, `answered ${form}`);
  }
}

/** Returns the system's code for a failed connection, such as " (ENOTFOUND)"; empty if there is none. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
}
