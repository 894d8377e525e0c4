import { z } from "zod";
import { hasCode, ToolError } from "../../base/errors.js";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";
import type { EngineSearch, SearchAnswer, SearchEngine } from "./engines/search-engine.js";

/** JSON that is made to take long takes 0.1 s at this size. Replies of engines have a tenth of it. */
const mostBytes = 1_000_000;

/** The connection to an engine. */
export interface EngineConnection {
  readonly baseUrl: string;
  /** The time for the whole request and reply, in milliseconds. */
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
  /** The caller's signal to stop. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Asks a search engine over HTTP, once. The address may hold the key, so no error ever shows the address.
 *
 * @throws {ToolError} "web-search-failed" if the engine cannot be reached, refuses, fails, takes too long or answers
 *   in another form.
 * @throws The signal's reason, if the caller stops.
 */
export async function askEngine(
  engine: SearchEngine,
  search: EngineSearch,
  connection: EngineConnection,
): Promise<SearchAnswer> {
  const body = await exchange(engine, search, connection);
  const found = readReply(engine, body);
  if (found.failure === undefined) return found;
  throw notFound(engine, `reports: ${withoutSecretForms(found.failure)}`);
}

async function exchange(engine: SearchEngine, search: EngineSearch, connection: EngineConnection): Promise<string> {
  const { baseUrl, timeoutMs, signal, fetch } = connection;
  const { path, headers, body } = engine.request(search);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { accept: "application/json", "user-agent": "glassloop", ...headers, ...(body ? jsonBody : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual", // The search has a key, and a redirect could lead it anywhere.
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

const jsonBody = { "content-type": "application/json" };

function reasonOf(status: number, { whenRefused }: SearchEngine): string {
  if (status === 401 || status === 403) return `refused the search (HTTP ${status}): ${whenRefused}`;
  if (status === 429 || status === 432) return `takes no more searches for now (HTTP ${status}): its limit is reached`;
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
    const isOfAnotherForm = error instanceof z.ZodError;
    throw notFound(
      engine,
      isOfAnotherForm ? "answered in a form that is not its own" : "answered with something that is no JSON",
    );
  }
}

/** Returns the system's code for a failed connection, such as " (ENOTFOUND)"; empty if there is none. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
}
