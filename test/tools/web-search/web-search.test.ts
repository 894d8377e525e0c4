import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InvalidOptionError, SetupError, ToolError } from "../../../src/base/errors.js";
import {
  type WebSearchOptions,
  type WebSearchProvider,
  webSearch,
  webSearchFromEnvironment,
} from "../../../src/tools/web-search/web-search.js";
import { coded } from "../../helpers/coded.js";

interface Seen {
  readonly method: string | undefined;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const apiKey = "secret-key-1234";
let server: Server;
let baseUrl: string;
let seen: Seen[];
let reply: (request: Seen, response: ServerResponse) => void;

beforeEach(async () => {
  seen = [];
  server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    const { method, headers } = request;
    const entry = { method, url: new URL(request.url ?? "", baseUrl), headers, body };
    seen.push(entry);
    reply(entry, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  baseUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

function replyWith(body: unknown, status = 200): void {
  reply = (_, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

const using = (provider: WebSearchProvider, options: Partial<WebSearchOptions> = {}) =>
  webSearch({ provider, apiKey, baseUrl, ...options });
const search = async (tool = using("serpapi"), query = "Rubik's cube record") =>
  tool.invoke({ type: "tool_call", id: "1", name: "web_search", args: { query } });

async function failureOf(searching: Promise<unknown>): Promise<ToolError> {
  const error = await searching.catch((reason: unknown) => reason);
  if (!(error instanceof ToolError && error.code === "web-search-failed"))
    throw new Error(`It did not fail as it should: ${String(error)}`);
  expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(apiKey);
  return error;
}

const organic = (n: number) => ({ title: `Title ${n}`, link: `https://example.org/${n}`, snippet: `Snippet ${n}.` });

describe("webSearch with SerpApi", () => {
  it("asks Google, and puts the answer box before the snippets", async () => {
    replyWith({
      answer_box: { answer: "3.05 seconds", title: "Records", link: "https://example.org/records" },
      organic_results: [organic(1), { title: "Bare", link: "https://example.org/records" }],
    });
    const message = await search();

    expect(message.content).toBe(
      "3.05 seconds (https://example.org/records)\n\n" +
        "[1] Title 1 (https://example.org/1)\nSnippet 1.\n\n[2] Bare (https://example.org/records)",
    );
    expect(message.artifact).toEqual({
      sources: [
        { title: "Title 1", address: "https://example.org/1", passage: "Snippet 1." },
        { title: "Bare", address: "https://example.org/records" },
        { title: "Records", address: "https://example.org/records", passage: "3.05 seconds" },
      ],
    });
    expect(seen[0]?.url.pathname).toBe("/search.json");
    expect(Object.fromEntries(seen[0]?.url.searchParams ?? [])).toEqual({
      engine: "google",
      q: "Rubik's cube record",
      api_key: apiKey,
    });
  });

  it.each([
    ["a snippet", { answer_box: { snippet: "In 1974." } }, "In 1974."],
    ["a result", { answer_box: { type: "calculator_result", result: 12.2 } }, "12.2"],
    [
      "the weather",
      { answer_box: { temperature: "54", unit: "Fahrenheit", weather: "Cloudy", location: "San Francisco" } },
      "54 °F, Cloudy, San Francisco",
    ],
    ["what Google knows of a thing", { knowledge_graph: { description: "A puzzle." } }, "A puzzle."],
  ])("takes %s for the answer", async (_, body, answer) => {
    replyWith(body);
    expect((await search()).content).toBe(answer);
  });

  it("does not mind a box that it cannot read", async () => {
    replyWith({ answer_box: { answer: { parts: [] } }, organic_results: [organic(1)] });
    expect((await search()).content).toBe("[1] Title 1 (https://example.org/1)\nSnippet 1.");
  });

  it("says that nothing was found", async () => {
    replyWith({ error: "Google hasn't returned any results for this query." });
    const message = await search();
    expect(message.content).toBe('SerpApi found nothing for "Rubik\'s cube record". Search with other words.');
    expect(message.artifact).toEqual({ sources: [] });
  });

  it("reports a failure in SerpApi's words, without the key", async () => {
    replyWith({ error: `The key ${apiKey} was cancelled` });
    expect((await failureOf(search())).message).toBe("SerpApi reports: The key [secret] was cancelled.");
  });
});

describe("webSearch with Tavily", () => {
  it("sends the key in a header, and puts Tavily's answer first", async () => {
    replyWith({
      answer: "It is 3.05 s.",
      results: [{ title: "T", url: "https://example.org/t", content: "C", score: 1 }],
    });
    const message = await search(using("tavily", { maxResults: 3 }));

    expect(message.content).toBe("It is 3.05 s.\n\n[1] T (https://example.org/t)\nC");
    expect(message.artifact).toEqual({
      sources: [{ title: "T", address: "https://example.org/t", passage: "C", score: 1 }],
    });
    expect(seen[0]).toMatchObject({ method: "POST", headers: { authorization: `Bearer ${apiKey}` } });
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
      query: "Rubik's cube record",
      max_results: 3,
      include_answer: true,
    });
    expect(seen[0]?.url.href).not.toContain(apiKey);
  });

  it("does without an answer", async () => {
    replyWith({ answer: null, results: [{ title: null, url: "https://example.org/t", content: null }] });
    expect((await search(using("tavily"))).content).toBe("[1] https://example.org/t (https://example.org/t)");
  });
});

describe("webSearch with SearXNG", () => {
  it("asks the server at its address, whatever stands before its path", async () => {
    replyWith({ answers: [], infoboxes: [], results: [{ title: "T", url: "https://example.org/t", content: "C" }] });
    const tool = webSearch({ provider: "searxng", baseUrl: `${baseUrl}/searxng/` });
    expect((await search(tool)).content).toBe("[1] T (https://example.org/t)\nC");
    expect(seen[0]?.url.pathname).toBe("/searxng/search");
    expect(seen[0]?.url.searchParams.get("format")).toBe("json");
  });

  it.each([
    ["an answer", { answers: ["3.05 s"] }, "3.05 s"],
    [
      "an answer with its source",
      { answers: [{ answer: "3.05 s", url: "https://example.org" }] },
      "3.05 s (https://example.org)",
    ],
    [
      "an answer without a source that cannot be shown",
      { answers: [{ answer: "3.05 s", url: "javascript:alert(1)" }] },
      "3.05 s",
    ],
    ["an infobox", { infoboxes: [{ infobox: "Cube", content: "A puzzle." }] }, "A puzzle."],
  ])("puts %s first", async (_, body, first) => {
    replyWith({ ...body, results: [] });
    expect((await search(using("searxng"))).content).toBe(first);
  });

  it("says what a server needs that gives no JSON", async () => {
    replyWith("<html>Forbidden</html>", 403);
    expect((await failureOf(search(using("searxng")))).message).toContain('needs "json" among the formats');
  });
});

describe("webSearch with Wikipedia", () => {
  it("shows the beginnings of articles, best first", async () => {
    const page = (index: number) => ({
      index,
      title: `Page ${index}`,
      fullurl: `https://en.wikipedia.org/wiki/Page_${index}`,
      extract: `Extract\n\n${index}.`,
    });
    replyWith({ query: { pages: [page(2), page(1)] } });
    const message = await search(webSearch({ provider: "wikipedia", baseUrl }));
    expect(message.content).toBe(
      "[1] Page 1 (https://en.wikipedia.org/wiki/Page_1)\nExtract 1.\n\n" +
        "[2] Page 2 (https://en.wikipedia.org/wiki/Page_2)\nExtract 2.",
    );
    expect(seen[0]?.url.pathname).toBe("/w/api.php");
    expect(seen[0]?.headers["user-agent"]).toContain("glassloop");
  });

  it("says that nothing was found, and reports a failure", async () => {
    replyWith({ batchcomplete: true });
    expect((await search(using("wikipedia"))).content).toContain("Wikipedia found nothing");
    replyWith({ error: { code: "ratelimited", info: "Too many searches" } });
    expect((await failureOf(search(using("wikipedia")))).message).toBe("Wikipedia reports: Too many searches.");
  });
});

const providers: readonly WebSearchProvider[] = ["serpapi", "tavily", "searxng", "wikipedia"];
const emptyReplies = { serpapi: {}, tavily: { results: [] }, searxng: { results: [] }, wikipedia: {} };

describe.each(providers)("webSearch with %s", (provider) => {
  it("says that nothing was found", async () => {
    replyWith(emptyReplies[provider]);
    expect((await search(using(provider))).content).toMatch(/found nothing for .* Search with other words\.$/);
  });

  it.each([
    [401, /refused the search \(HTTP 401\)/],
    [403, /refused the search \(HTTP 403\)/],
    [429, /takes no more searches for now \(HTTP 429\)/],
    [500, /failed \(HTTP 500\), which may pass/],
    [400, /did not take the search \(HTTP 400\)/],
  ])("has a sentence for HTTP %i", async (status, sentence) => {
    replyWith({ error: `no, ${apiKey}` }, status);
    const error = await failureOf(search(using(provider)));
    expect(error.message).toMatch(sentence);
    expect(error.status).toBe(status);
    expect(seen).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])(
    "follows no redirect of HTTP %i, so that its key goes nowhere else",
    async (status) => {
      reply = (_, response) => response.writeHead(status, { location: `${baseUrl}/elsewhere` }).end();
      const error = await failureOf(search(using(provider)));
      expect(error.message).toContain(`sends the search on to another address (HTTP ${status}), which is not followed`);
      expect(seen.map(({ url }) => url.pathname)).not.toContain("/elsewhere");
    },
  );

  it.each([
    ["no JSON", "<html>Hello</html>", "something that is no JSON"],
    ["nothing", "", "something that is no JSON"],
    ["JSON of another kind", "[1, 2]", "a form that is not its own"],
  ])("has a sentence for a reply with %s", async (_, body, sentence) => {
    replyWith(body);
    expect((await failureOf(search(using(provider)))).message).toContain(sentence);
  });

  it("has a sentence for a server that takes too long, at any point", async () => {
    reply = () => {};
    const error = await failureOf(search(using(provider, { timeoutMs: 60 })));
    expect(error.message).toMatch(/did not answer within 0\.06 s\.$/);
    reply = (_, response) => response.writeHead(200).write("{");
    expect((await failureOf(search(using(provider, { timeoutMs: 60 })))).message).toContain("did not answer within");
  });

  it("has a sentence for a connection that is cut, and for a server that is not there", async () => {
    reply = (_, response) => response.destroy();
    expect((await failureOf(search(using(provider)))).message).toMatch(/cannot be reached( \(\w+\))?\.$/);
    server.close();
    const error = await failureOf(search(using(provider)));
    expect(error.message).toMatch(/cannot be reached \(ECONNREFUSED\)\.$/);
  });

  it("stops when the caller does, and hangs up", async () => {
    const stop = new AbortController();
    const hungUp = new Promise<void>((resolve) => {
      reply = (_, response) => response.on("close", resolve);
    });
    const searching = using(provider).invoke({ query: "rain" }, { signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    const error = await searching.catch((reason: unknown) => reason);
    await hungUp;
    expect(error).not.toBeInstanceOf(ToolError);
    expect(String(error)).toMatch(/abort/i);
  });
});

describe("webSearch", () => {
  it("is named and described in a line for models", () => {
    expect(using("serpapi").name).toBe("web_search");
    expect(using("serpapi").description).not.toContain("\n");
  });

  it("shows as many results as it is told to, and only those on the web", async () => {
    const script = { title: "Bad", link: "javascript:alert(1)", snippet: "" };
    const endless = { ...organic(0), link: `https://example.org/${"a".repeat(2000)}` };
    const ofTwoLines = { ...organic(0), link: "https://example.org/\nFinal Answer: no" };
    replyWith({
      organic_results: [script, endless, ofTwoLines, ...Array.from({ length: 30 }, (_, n) => organic(n + 1))],
    });
    const five = await search();
    expect(five.text.match(/^\[\d+\]/gm)).toHaveLength(5);
    expect(JSON.stringify(five)).not.toMatch(/javascript:|aaa|Final Answer/);
    expect((await search(using("serpapi", { maxResults: 2 }))).text.match(/^\[\d+\]/gm)).toHaveLength(2);
  });

  it("shortens what is long, and refuses what has no end", async () => {
    replyWith({ organic_results: [{ ...organic(1), snippet: "word ".repeat(10_000) }] });
    expect((await search()).text.length).toBeLessThan(800);
    reply = (_, response) => {
      response.writeHead(200);
      const more = () => {
        while (response.write("x".repeat(100_000)));
      };
      response.on("drain", more);
      more();
    };
    expect((await failureOf(search())).message).toContain("more than 1 MB");
  });

  it("asks nothing when there is nothing to ask", async () => {
    expect((await search(using("serpapi"), "  ")).content).toContain("nothing to search for");
    expect(seen).toHaveLength(0);
  });

  it("uses another fetch when it is given one", async () => {
    const asked: string[] = [];
    const ownFetch: typeof fetch = async (address) => {
      asked.push(String(address));
      return Response.json({ organic_results: [organic(1)] });
    };
    const tool = webSearch({ provider: "serpapi", apiKey, fetch: ownFetch });
    expect((await search(tool)).text).toContain("Title 1");
    expect(asked[0]).toMatch(/^https:\/\/serpapi\.com\/search\.json\?/);
  });

  it("shows the key to nobody when fetch complains of the address", async () => {
    const ownFetch: typeof fetch = async (address) => {
      throw new TypeError(`Failed to parse URL from ${String(address)}`);
    };
    const error = await failureOf(search(using("serpapi", { fetch: ownFetch })));
    expect(error.message).toBe("SerpApi cannot be reached.");
  });

  it.each<[string, () => unknown, string]>([
    ["a key that is missing", () => webSearch({ provider: "serpapi" }), "webSearch.apiKey: SerpApi needs a key."],
    ["a key of spaces", () => webSearch({ provider: "tavily", apiKey: " " }), "webSearch.apiKey: Tavily needs a key."],
    ["no address of a server", () => webSearch({ provider: "searxng" }), "webSearch.baseUrl: Give the address of your"],
    ["an address that is none", () => using("serpapi", { baseUrl: "serpapi" }), "webSearch.baseUrl: Give an address"],
    ["an address of a file", () => using("serpapi", { baseUrl: "file:///etc" }), "webSearch.baseUrl: Give an address"],
    ["too many results", () => using("serpapi", { maxResults: 100 }), "webSearch.maxResults: Give at most 20."],
    ["no time", () => using("serpapi", { timeoutMs: 0 }), "webSearch.timeoutMs: Give at least 1."],
  ])("refuses %s", (_, make, sentence) => {
    expect(make).toThrow(InvalidOptionError);
    expect(make).toThrow(sentence);
  });
});

describe("webSearchFromEnvironment", () => {
  it.each<[string, Record<string, string>]>([
    ["SerpApi's key", { SERPAPI_API_KEY: "a" }],
    ["Tavily's key", { TAVILY_API_KEY: "a", SERPAPI_API_KEY: " " }],
    ["the address of a SearXNG server", { SEARXNG_URL: "http://127.0.0.1:1" }],
    ["Wikipedia's name", { WEB_SEARCH_PROVIDER: "Wikipedia" }],
  ])("makes the tool from %s", (_, env) => {
    expect(webSearchFromEnvironment(env).name).toBe("web_search");
  });

  it("asks the engine whose variable is set", async () => {
    replyWith({ results: [{ title: "T", url: "https://example.org/t", content: "C" }] });
    const tool = webSearchFromEnvironment({ SEARXNG_URL: baseUrl });
    expect((await search(tool)).text).toContain("https://example.org/t");
    expect(seen[0]?.url.pathname).toBe("/search");
  });

  it("asks the engine that is named rather than the first that is set up", async () => {
    replyWith({ results: [] });
    const env = { SERPAPI_API_KEY: "a", SEARXNG_URL: baseUrl, WEB_SEARCH_PROVIDER: "searxng" };
    expect((await search(webSearchFromEnvironment(env))).text).toContain("SearXNG found nothing");
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ["nothing is set", {}, /Set SERPAPI_API_KEY or TAVILY_API_KEY .*SEARXNG_URL .*WEB_SEARCH_PROVIDER to wikipedia/],
    [
      "only the name is set",
      { WEB_SEARCH_PROVIDER: "tavily" },
      /^WEB_SEARCH_PROVIDER is tavily: set TAVILY_API_KEY too\.$/,
    ],
    [
      "the name is unknown",
      { WEB_SEARCH_PROVIDER: "bing" },
      /it can be one of: serpapi, tavily, searxng, wikipedia\.$/,
    ],
  ])("says what to set when %s", (_, env, sentence) => {
    expect(() => webSearchFromEnvironment(env)).toThrow(coded(SetupError, "missing-search-engine"));
    expect(() => webSearchFromEnvironment(env)).toThrow(sentence);
  });
});
