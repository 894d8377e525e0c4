import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InvalidOptionError, ToolError } from "../../../src/base/errors.js";
import { bareText } from "../../../src/documents/reading/html-text.js";
import { type FetchPageOptions, fetchPage } from "../../../src/tools/fetch-page/fetch-page.js";
import { growth } from "../../helpers/processor-time.js";
import { startWebServer, toolErrorOf, type WebServer } from "../web/web-server.js";

let server: WebServer;
let address: string;

beforeEach(async () => {
  // The five seconds of a page never end: a busy machine may need more.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  server = await startWebServer();
  address = `http://${server.place}/a/page`;
});

afterEach(async () => {
  vi.useRealTimers();
  await server[Symbol.asyncDispose]();
});

const using = (options: FetchPageOptions = {}) => fetchPage({ allow: [server.place], timeoutMs: 600_000, ...options });
const fetched = (options: FetchPageOptions = {}, url = address) =>
  using(options).invoke({ type: "tool_call", id: "1", name: "fetch_page", args: { url } });
const textOf = async (options: FetchPageOptions = {}) => String((await fetched(options)).content);

const failureOf = (fetching: Promise<unknown>) => toolErrorOf(fetching, "web-page-failed");

const sentence = "The cube has six sides, and each of its sides has nine small squares of one colour. ";
const paragraph = `<p>${sentence.repeat(5)}</p>`;
const articlePage = `<!doctype html><title>The &amp; cube</title><style>p { color: red }</style><script>alert("<p>no</p>")</script>
  <nav><a href="/">Home</a> <a href="/about">About us</a></nav>
  <article><h2>Its sides</h2>${paragraph}<p>See <a href="../b?c=1">more</a>, <a href="javascript:alert(1)">this</a>
  and <b>snake_case</b>. ${sentence}</p><ul><li>one<li>two</ul>
  <table><thead><tr><th>name<th>time</thead><tr><td>Max<td>3.13</table><pre><code>turn(1)</code></pre>
  <img src="https://evil.example/?q" alt="A cube">${paragraph.repeat(3)}</article><footer>All rights reserved</footer>`;

describe("fetchPage", () => {
  it("shows an article as Markdown, with absolute links, without navigation", async () => {
    server.serve(articlePage);
    const text = await textOf();
    expect(text).toMatch(/^# The & cube\n\nhttp:\/\/127\.0\.0\.1:\d+\/a\/page\n\n## Its sides\n\nThe cube has/);
    expect(text).toContain(`[more](http://${server.place}/b?c=1), this and **snake_case**.`);
    expect(text).toMatch(/-\s+one\n-\s+two\n/);
    expect(text).toMatch(/\| name +\| time +\|\n\| -+ \| -+ \|\n\| Max +\| 3\.13 +\|/);
    expect(text).toContain("```\nturn(1)\n```");
    expect(text).toContain("A cube");
    expect(text).not.toMatch(/About us|rights|alert|color|evil/);
  });

  it("shows all of a page that is no article", async () => {
    server.serve(
      `<base href="/docs/"><title>List</title><ul>${'<li><a href="x">One</a>'.repeat(3)}</ul><script>no()</script><a href="javascript:no()">Go</a>`,
    );
    const list = `-   [One](http://${server.place}/docs/x)\n`.repeat(3);
    expect(await textOf()).toBe(`# List\n\n${address}\n\n${list}\nGo`);
  });

  it.each([
    ["text/plain", "a < b\n\n  c"],
    ["application/json", '{"a": [1, 2]}'],
  ])("shows %s unchanged", async (type, body) => {
    server.serve(body, { "content-type": type });
    expect(await textOf()).toBe(`${address}\n\n${body}`);
  });

  it.each<[string, string, Uint8Array]>([
    ["its header", "text/plain; charset=ISO-8859-1", Buffer.from("Köln", "latin1")],
    ["the page", "text/html", Buffer.from('<meta charset="windows-1252"><p>Köln', "latin1")],
    ["nobody but a text itself", "text/plain", Buffer.from("charset=latin1 Köln")],
  ])("decodes the charset that is declared by %s", async (_by, type, body) => {
    server.serve(body, { "content-type": type });
    expect(await textOf()).toMatch(/\bKöln$/);
  });

  it("names the address after redirects, and its source", async () => {
    server.reply = ({ url }, response) => {
      if (url === "/a/page") response.writeHead(301, { location: "/b" }).end();
      else response.writeHead(200, { "content-type": "text/html" }).end(articlePage);
    };
    const { content, artifact } = await fetched();
    const end = `http://${server.place}/b`;
    expect(content).toContain(`\n\n${end}\n\n`);
    const passage = expect.stringMatching(/^## Its sides\n\nThe cube.*…$/s);
    expect(artifact).toEqual({ sources: [{ title: "The & cube", address: end, passage }] });
  });

  it("says what was left out", async () => {
    server.serve("a".repeat(3000), { "content-type": "text/plain" });
    expect(await textOf({ maxCharacters: 1000 })).toMatch(
      /a{1000}\n\n\[This is the beginning: 1,000 of 3,000 characters\.\]$/,
    );
    const both =
      /a{1000}\n\n\[Only its first 2,000 bytes were fetched\. This is the beginning: 1,000 of 2,000 characters\.\]$/;
    expect(await textOf({ maxBytes: 2000, maxCharacters: 1000 })).toMatch(both);
    server.serve("a".repeat(1000), { "content-type": "text/plain" });
    expect(await textOf({ maxBytes: 1000, maxCharacters: 1000 })).toMatch(/\n\na{1000}$/);
  });

  it("shows the bare text of HTML that cannot become Markdown, and says so", async () => {
    server.serve("<title>A &amp; B</title><frameset><!-- <b>no --><frame src=a></frameset>&lt;c&gt; <b>d</b>e<br>f");
    expect(await textOf()).toBe(
      `# A & B\n\n${address}\n\n<c> de\nf\n\n[Its HTML cannot be shown as Markdown: this is its bare text.]`,
    );
  });

  it("says that a page has no text", async () => {
    server.serve("<html><body><script>draw()</script></body></html>");
    expect(await textOf()).toBe(`${address}\n\nThe page has no text.`);
  });

  it("has the mark of text from outside, and a description in a line", () => {
    expect(fetchPage().name).toBe("fetch_page");
    expect(fetchPage()).toMatchObject({ metadata: { untrusted: true } });
    expect(fetchPage().description).not.toContain("\n");
  });
});

describe("hostile HTML", () => {
  it("cannot have a title without end", async () => {
    server.serve(`<title>${"a".repeat(10_000)}</title><p>text`);
    expect(await textOf()).toBe(`# ${"a".repeat(300)}\n\n${address}\n\ntext`);
  });

  it.each([
    ["a long attribute", "<p title='", "a"],
    ["less-than signs alone", "", "<"],
    ["comments that never end", "", "<!--"],
    ["scripts that never end", "", "<script>"],
  ])("of %s has its bare text in linear time", async (_name, begin, repeated) => {
    const read = (length: number) => bareText(`${begin}${repeated.repeat(length / repeated.length)}`);
    expect(await growth(read, 16_000)).toBeLessThan(1.5);
  });
});

describe("fetchPage fails", () => {
  it("with a reason for a page that must not be fetched", async () => {
    const error = await failureOf(fetched({ allow: [] }));
    expect(error.message).toBe(
      `Cannot fetch ${address}: it is not on the public web, and not among the places that are allowed.`,
    );
    expect(server.seen).toEqual([]);
  });

  it("with a reason for a server that takes too long, at any point", async () => {
    server.reply = () => {};
    expect((await failureOf(fetched({ timeoutMs: 60 }))).message).toMatch(/: it took more than 0\.06 s\.$/);
    server.reply = (_request, response) => response.writeHead(200, { "content-type": "text/html" }).write("<p>");
    expect((await failureOf(fetched({ timeoutMs: 60 }))).message).toMatch(/: it took more than 0\.06 s\.$/);
  });

  it("with a reason for an unreachable server, and for a damaged reply", async () => {
    server.serve("no gzip", { "content-type": "text/html", "content-encoding": "gzip" });
    expect((await failureOf(fetched())).message).toMatch(/: it cannot be reached or read \(Z_DATA_ERROR\)\.$/);
    server.reply = (_request, response) => response.destroy();
    expect((await failureOf(fetched())).message).toMatch(/: it cannot be reached or read \(ECONNRESET\)\.$/);
  });

  it("with the caller's reason if the caller aborts, and closes the connection", async () => {
    const stop = new AbortController();
    const hungUp = new Promise<void>((resolve) => {
      server.reply = (_request, response) => {
        response.on("close", resolve);
        stop.abort();
      };
    });
    const error = await using()
      .invoke({ url: address }, { signal: stop.signal })
      .catch((reason: unknown) => reason);
    await hungUp;
    expect(error).not.toBeInstanceOf(ToolError);
    expect(String(error)).toMatch(/abort/i);
  });

  it.each<[string, FetchPageOptions, string]>([
    ["an address in place of a host", { allow: ["http://wiki.example/"] }, "fetchPage.allow[0]: "],
    ["no bytes", { maxBytes: 0 }, "fetchPage.maxBytes: 0 is not possible"],
    ["half a character", { maxCharacters: 0.5 }, "fetchPage.maxCharacters: "],
    ["no time", { timeoutMs: 0 }, "fetchPage.timeoutMs: "],
  ])("for %s", (_name, options, message) => {
    expect(() => fetchPage(options)).toThrow(InvalidOptionError);
    expect(() => fetchPage(options)).toThrow(message);
  });
});

it("many pages at once are all read", async () => {
  server.serve(articlePage);
  const tool = using();
  const pages = await Promise.all(Array.from({ length: 6 }, () => tool.invoke({ url: address })));
  expect(new Set(pages).size).toBe(1);
});
