import { Requests } from "./requests.js";
import { ServerError } from "./server-error.js";

const KEY = "glassloop-key";

/** The address of the server, which may have a base path: the page is its root. */
export const serverAddress = new URL("./", location.href.replace(/[?#].*/s, ""));

/** Keeps a key for this tab. */
export function keepKey(key: string): void {
  sessionStorage.setItem(KEY, key);
}

/**
 * Sends a request to the server that the page came from.
 *
 * @param path Without a slash at its beginning, such as `glassloop/about`.
 * @throws ServerError for an answer that is no 2xx; TypeError if the server does not answer
 */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const key = sessionStorage.getItem(KEY);
  if (key) headers.set("X-Api-Key", key);
  if (init.body) headers.set("Content-Type", "application/json");
  const response = await fetch(new URL(path, serverAddress), { ...init, headers });
  if (response.ok) return response;
  throw new ServerError(response.status, await sentenceOf(response));
}

/** Asks the server that the page came from for JSON. */
export const requests = new Requests(send);

/** The server says in `detail` what was wrong. */
async function sentenceOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { detail, message } = JSON.parse(text);
    return String(detail ?? message ?? text);
  } catch {
    return text || response.statusText;
  }
}
