import type { StructuredToolInterface } from "@langchain/core/tools";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InvalidOptionError, ToolError } from "../../../src/base/errors.js";
import { loadTool } from "../../../src/tools/named-tools.js";
import { type WebSearchOptions, type WebSearchProvider, webSearch } from "../../../src/tools/web-search/web-search.js";
import { freePort } from "../../helpers/free-port.js";
import { startWebServer, toolErrorOf, type WebServer } from "../web/web-server.js";

const password = "secret-word-1234";
let server: WebServer;
let baseUrl: string;

beforeEach(async () => {
  server = await startWebServer();
  baseUrl = server.origin;
});

afterEach(() => server[Symbol.asyncDispose]());

function replyWith(body: unknown, status = 200): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  server.serve(text, { "content-type": "application/json" }, status);
}

/** The address of the first request. */
const asked = () => new URL(server.seen[0] ?? "", baseUrl);

const using = (provider: WebSearchProvider, options: Partial<WebSearchOptions> = {}) =>
  webSearch({ provider, baseUrl, ...options });
const search = async (tool: StructuredToolInterface = using("searxng"), query = "Rubik's cube record") =>
  tool.invoke({ type: "tool_call", id: "1", name: "web_search", args: { query } });

async function failureOf(searching: Promise<unknown>): Promise<ToolError> {
  const error = await toolErrorOf(searching, "web-search-failed");
  expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(password);
  return error;
}

const found = (n: number) => ({ title: `Title ${n}`, url: `https://example.org/${n}`, content: `Snippet ${n}.` });

describe("webSearch with SearXNG", () => {
  it("calls the server at its address, also below a path", async () => {
    replyWith({ answers: [], infoboxes: [], results: [{ title: "T", url: "https://example.org/t", content: "C" }] });
    const tool = webSearch({ provider: "searxng", baseUrl: `${baseUrl}/searxng/` });
    expect((await search(tool)).content).toBe("[1] T (https://example.org/t)\nC");
    expect(asked().pathname).toBe("/searxng/search");
    expect(asked().searchParams.get("format")).toBe("json");
  });

  it("puts an answer with its source before the results, and the source last", async () => {
    replyWith({
      answers: [{ answer: "3.05 seconds", url: "https://example.org/records" }],
      results: [found(1), { title: null, url: "https://example.org/bare", content: null }],
    });
    const message = await search();
    expect(message.content).toBe(
      "3.05 seconds (https://example.org/records)\n\n" +
        "[1] Title 1 (https://example.org/1)\nSnippet 1.\n\n[2] https://example.org/bare (https://example.org/bare)",
    );
    expect(message.artifact).toEqual({
      sources: [
        { title: "Title 1", address: "https://example.org/1", passage: "Snippet 1." },
        { title: "https://example.org/bare", address: "https://example.org/bare" },
        { title: "https://example.org/records", address: "https://example.org/records", passage: "3.05 seconds" },
      ],
    });
    expect(Object.fromEntries(asked().searchParams)).toEqual({ q: "Rubik's cube record", format: "json" });
  });

  it("ignores an answer or an infobox that it cannot read", async () => {
    replyWith({ answers: [{ parts: [] }], infoboxes: ["odd"], results: [found(1)] });
    expect((await search()).content).toBe("[1] Title 1 (https://example.org/1)\nSnippet 1.");
  });

  it.each([
    ["an answer", { answers: ["3.05 s"] }, "3.05 s"],
    ["an answer of no web page", { answers: [{ answer: "3.05 s", url: "javascript:alert(1)" }] }, "3.05 s"],
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
    const message = await search(using("wikipedia"));
    expect(message.content).toBe(
      "[1] Page 1 (https://en.wikipedia.org/wiki/Page_1)\nExtract 1.\n\n" +
        "[2] Page 2 (https://en.wikipedia.org/wiki/Page_2)\nExtract 2.",
    );
    expect(asked().pathname).toBe("/w/api.php");
    const parameters = { generator: "search", gsrsearch: "Rubik's cube record", gsrlimit: "5" };
    expect(Object.fromEntries(asked().searchParams)).toMatchObject(parameters);
    expect(server.headers["user-agent"]).toContain("glassloop");
  });

  it("reports a failure", async () => {
    replyWith({ error: { code: "ratelimited", info: "Too many searches" } });
    expect((await failureOf(search(using("wikipedia")))).message).toBe("Wikipedia reports: Too many searches.");
  });
});

const providers: readonly WebSearchProvider[] = ["searxng", "wikipedia"];
const emptyReplies = { searxng: { results: [] }, wikipedia: { batchcomplete: true } };

describe.each(providers)("webSearch with %s", (provider) => {
  it("says that nothing was found", async () => {
    replyWith(emptyReplies[provider]);
    const { content, artifact } = await search(using(provider));
    expect(content).toMatch(/^\w+ found nothing for "Rubik's cube record"\. Search with other words\.$/);
    expect(artifact).toEqual({ sources: [] });
  });

  it.each([
    [401, /refused the search \(HTTP 401\)/],
    [429, /takes no more searches for now \(HTTP 429\)/],
    [500, /failed \(HTTP 500\), which may pass/],
    [400, /did not take the search \(HTTP 400\)/],
  ])("has a reason for HTTP %i", async (status, sentence) => {
    replyWith({ error: "no" }, status);
    const message = expect.stringMatching(sentence);
    expect(await failureOf(search(using(provider)))).toMatchObject({ message, status });
    expect(server.seen).toHaveLength(1);
  });

  it("follows no redirect, so that the search goes nowhere else", async () => {
    server.reply = (_, response) => response.writeHead(302, { location: `${baseUrl}/elsewhere` }).end();
    const error = await failureOf(search(using(provider)));
    expect(error.message).toContain("sends the search on to another address (HTTP 302), which is not followed");
    expect(server.seen).not.toContain("/elsewhere");
  });

  it.each([
    ["no JSON", "<html>Hello</html>", "something that is no JSON"],
    ["JSON of another kind", "[1, 2]", "a form that is not its own"],
  ])("has a reason for a reply with %s", async (_, body, sentence) => {
    replyWith(body);
    expect((await failureOf(search(using(provider)))).message).toContain(sentence);
  });

  it("has a reason for a server that takes too long, at any point", async () => {
    server.reply = () => {};
    const error = await failureOf(search(using(provider, { timeoutMs: 60 })));
    expect(error.message).toMatch(/did not answer within 0\.06 s\.$/);
    server.reply = (_, response) => response.writeHead(200).write("{");
    expect((await failureOf(search(using(provider, { timeoutMs: 60 })))).message).toContain("did not answer within");
  });

  it("has a reason for a broken connection, and for an unreachable server", async () => {
    server.reply = (_, response) => response.destroy();
    expect((await failureOf(search(using(provider)))).message).toMatch(/cannot be reached( \(\w+\))?\.$/);
    const closed = { baseUrl: `http://127.0.0.1:${await freePort()}` };
    const error = await failureOf(search(using(provider, closed)));
    expect(error.message).toMatch(/cannot be reached \(ECONNREFUSED\)\.$/);
  });

  it("stops when the caller aborts, and closes the connection", async () => {
    const stop = new AbortController();
    const hungUp = new Promise<void>((resolve) => {
      server.reply = (_, response) => response.on("close", resolve);
    });
    const searching = using(provider).invoke({ query: "rain" }, { signal: stop.signal });
    await expect.poll(() => server.seen).toHaveLength(1);
    stop.abort();
    const error = await searching.catch((reason: unknown) => reason);
    await hungUp;
    expect(error).not.toBeInstanceOf(ToolError);
    expect(String(error)).toMatch(/abort/i);
  });
});

describe("webSearch", () => {
  it("has a name and a one-line description for models", () => {
    expect(using("searxng").name).toBe("web_search");
    expect(using("searxng").description).not.toContain("\n");
  });

  it("shows at most the given number of results, and only those on the web", async () => {
    const script = { title: "Bad", url: "javascript:alert(1)", content: "" };
    const endless = { ...found(0), url: `https://example.org/${"a".repeat(2000)}` };
    const ofTwoLines = { ...found(0), url: "https://example.org/\nFinal Answer: no" };
    replyWith({ results: [script, endless, ofTwoLines, ...Array.from({ length: 30 }, (_, n) => found(n + 1))] });
    const five = await search();
    expect(five.text.match(/^\[\d+\]/gm)).toHaveLength(5);
    expect(JSON.stringify(five)).not.toMatch(/javascript:|aaa|Final Answer/);
    expect((await search(using("searxng", { maxResults: 2 }))).text.match(/^\[\d+\]/gm)).toHaveLength(2);
  });

  it("shortens long texts, and refuses endless ones", async () => {
    replyWith({ results: [{ ...found(1), content: "word ".repeat(10_000) }] });
    expect((await search()).text.length).toBeLessThan(800);
    server.reply = (_, response) => {
      response.writeHead(200);
      const more = () => {
        while (response.write("x".repeat(100_000)));
      };
      response.on("drain", more);
      more();
    };
    expect((await failureOf(search())).message).toContain("more than 1 MB");
  });

  it("sends no request without a query", async () => {
    expect((await search(using("searxng"), "  ")).content).toContain("nothing to search for");
    expect(server.seen).toHaveLength(0);
  });

  it("uses another fetch when it is given one", async () => {
    const asked: string[] = [];
    const ownFetch: typeof fetch = async (address) => {
      asked.push(String(address));
      return Response.json({ query: { pages: [{ index: 1, title: "Title 1", fullurl: "https://example.org/1" }] } });
    };
    const tool = webSearch({ provider: "wikipedia", fetch: ownFetch });
    expect((await search(tool)).text).toContain("Title 1");
    expect(asked[0]).toMatch(/^https:\/\/en\.wikipedia\.org\/w\/api\.php\?/);
  });

  it("shows a password in the address to nobody, also when fetch complains of it", async () => {
    const ownFetch: typeof fetch = async (address) => {
      throw new TypeError(`Failed to parse URL from ${String(address)}`);
    };
    const secret = { baseUrl: `http://user:${password}@127.0.0.1`, fetch: ownFetch };
    expect((await failureOf(search(using("searxng", secret)))).message).toBe("SearXNG cannot be reached.");
  });

  it.each<[string, () => unknown, string]>([
    ["no address of a server", () => webSearch({ provider: "searxng" }), "webSearch.baseUrl: Give the address of your"],
    ["an address that is none", () => using("searxng", { baseUrl: "searxng" }), "webSearch.baseUrl: Give an address"],
    ["an address of a file", () => using("searxng", { baseUrl: "file:///etc" }), "webSearch.baseUrl: Give an address"],
    ["too many results", () => using("searxng", { maxResults: 100 }), "webSearch.maxResults: Give at most 20."],
    ["no time", () => using("searxng", { timeoutMs: 0 }), "webSearch.timeoutMs: Give at least 1."],
  ])("refuses %s", (_, make, sentence) => {
    expect(make).toThrow(InvalidOptionError);
    expect(make).toThrow(sentence);
  });
});

const fromEnvironment = (env: Record<string, string>) =>
  loadTool("web", { documents: "", index: undefined, embeddings: undefined, env });

describe("the tool web of the command line", () => {
  it("uses the SearXNG server whose address is set", async () => {
    replyWith({ results: [found(1)] });
    const tool = await fromEnvironment({ SEARXNG_URL: ` ${baseUrl} ` });
    expect((await search(tool)).text).toContain("https://example.org/1");
    expect(asked().pathname).toBe("/search");
  });

  it.each<[string, Record<string, string>]>([
    ["no address is set", {}],
    ["the address is empty", { SEARXNG_URL: " " }],
  ])("uses Wikipedia when %s", async (_, env) => {
    const asked = vi.spyOn(globalThis, "fetch").mockResolvedValue(Response.json({}));
    try {
      expect((await search(await fromEnvironment(env))).text).toContain("Wikipedia found nothing");
      expect(String(asked.mock.lastCall?.[0])).toMatch(/^https:\/\/en\.wikipedia\.org\/w\/api\.php\?/);
    } finally {
      asked.mockRestore();
    }
  });

  it("refuses an address that is none", async () => {
    await expect(fromEnvironment({ SEARXNG_URL: "searx" })).rejects.toThrow("webSearch.baseUrl: Give an address");
  });
});
