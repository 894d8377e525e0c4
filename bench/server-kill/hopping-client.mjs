import { Client } from "@langchain/langgraph-sdk";

/**
 * Makes a client of several servers, and the `fetch` that it has. It stays with one until that one fails, and then goes to the next.
 *
 * @param urls The addresses of the servers.
 * @param first The number of the first one.
 */
export function hoppingClient(urls, first) {
  let at = first % urls.length;
  const hop = (from) => {
    if (at === from) at = (from + 1) % urls.length;
  };
  const send = async (url, init) => {
    const from = at;
    const { pathname, search } = new URL(url);
    try {
      const response = await fetch(urls[from] + pathname + search, init);
      if (response.status >= 500) hop(from);
      return response;
    } catch (error) {
      hop(from);
      throw error;
    }
  };
  const client = new Client({ apiUrl: urls[0], apiKey: null, callerOptions: { maxRetries: 0, fetch: send } });
  return { client, send };
}
