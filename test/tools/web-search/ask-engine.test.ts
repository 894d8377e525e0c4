import { expect, it } from "vitest";
import { askEngine } from "../../../src/tools/web-search/ask-engine.js";
import { wikipedia } from "../../../src/tools/web-search/engines/wikipedia.js";

it("a search that its caller stops fails with the caller's reason, and not for an engine that cannot be reached", async () => {
  const stop = new AbortController();
  const stoppedFetch: typeof fetch = async (_address, init) => {
    stop.abort(new Error("enough"));
    init?.signal?.throwIfAborted();
    return Response.json({});
  };
  const connection = { baseUrl: "http://127.0.0.1", timeoutMs: 60_000, fetch: stoppedFetch, signal: stop.signal };
  const search = askEngine(wikipedia, { query: "rain", apiKey: "", maxResults: 1 }, connection);
  await expect(search).rejects.toThrow("enough");
});
