import { expect, it } from "vitest";
import { askEngine } from "../../../src/tools/web-search/ask-engine.js";
import { searchEngines } from "../../../src/tools/web-search/engines.js";

it("an aborted search fails with the caller's reason, not with that of an unreachable engine", async () => {
  const stop = new AbortController();
  const stoppedFetch: typeof fetch = async (_address, init) => {
    stop.abort(new Error("enough"));
    init?.signal?.throwIfAborted();
    return Response.json({});
  };
  const search = { query: "rain", maxResults: 1, baseUrl: "http://127.0.0.1", timeoutMs: 60_000, signal: stop.signal };
  await expect(askEngine(searchEngines.wikipedia, { ...search, fetch: stoppedFetch })).rejects.toThrow("enough");
});
