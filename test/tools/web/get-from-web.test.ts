import type { LookupAddress } from "node:dns";
import { get as plainGet, type ServerResponse } from "node:http";
import type { LookupFunction } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ToolError } from "../../../src/base/errors.js";
import { getFromWeb, type Resolve, type WebRules } from "../../../src/tools/web/get-from-web.js";
import { allowing } from "../../../src/tools/web/web-address.js";
import { startWebServer, toolErrorOf, type WebServer } from "./web-server.js";

let open: WebServer;
let closed: WebServer;

beforeEach(async () => {
  [open, closed] = await Promise.all([startWebServer(), startWebServer()]);
});

afterEach(async () => {
  await open[Symbol.asyncDispose]();
  await closed[Symbol.asyncDispose]();
});

const ipv4 = (address: string): LookupAddress => ({ address, family: 4 });

function get(address: string, rules: Partial<WebRules> = {}, signal = new AbortController().signal) {
  return getFromWeb(address, { isAllowed: allowing([open.place]), maxBytes: 100_000, ...rules }, signal);
}

/** Asks the open server. */
const getOpen = (path = "") => get(`${open.origin}/${path}`);

async function textOf(address: string, rules: Partial<WebRules> = {}): Promise<string> {
  return new TextDecoder().decode((await get(address, rules)).bytes);
}

const failureOf = (getting: Promise<unknown>) => toolErrorOf(getting, "web-page-failed");

function redirect(location: string): void {
  open.reply = (_request, response) => response.writeHead(302, { location }).end();
}

describe("a place that is not public", () => {
  it.each(["127.0.0.1", "2130706433", "0", "localhost", "[::ffff:127.0.0.1]", "[::1]"])(
    "is not requested as %s, also after a redirect",
    async (host) => {
      const address = `http://${host}:${closed.port}/`;
      expect((await failureOf(get(address))).message).toContain("not on the public web");
      redirect(address);
      expect((await failureOf(getOpen())).message).toContain("not on the public web");
      expect(open.seen).toHaveLength(1);
      expect(closed.seen).toEqual([]);
    },
  );

  it.each(["file:///etc/passwd", "http://a:b@127.0.0.1/"])("is not requested after a redirect to %s", async (to) => {
    redirect(to);
    await failureOf(getOpen());
    expect(open.seen).toHaveLength(1);
  });

  it("is detected by the addresses of its name, even if only one of them is not public", async () => {
    const resolve: Resolve = async () => [ipv4("1.1.1.1"), ipv4("127.0.0.1")];
    const { message } = await failureOf(get(`http://two.example:${closed.port}/`, { resolve }));
    expect(message).toContain("not on the public");
    expect(closed.seen).toEqual([]);
  });

  it("is allowed by its name and its port, and never by its address alone", async () => {
    const resolve: Resolve = async () => [ipv4("127.0.0.1")];
    closed.serve("inside", { "content-type": "text/plain" });
    const isAllowed = allowing([`wiki.example:${closed.port}`]);
    expect(await textOf(`http://wiki.example:${closed.port}/`, { resolve, isAllowed })).toBe("inside");
    await failureOf(get(`http://127.0.0.1:${closed.port}/`, { resolve, isAllowed }));
    await failureOf(get(`http://other.example:${closed.port}/`, { resolve, isAllowed }));
    await failureOf(get(`http://wiki.example:${open.port}/`, { resolve, isAllowed }));
    expect(closed.seen).toHaveLength(1);
    expect(open.seen).toEqual([]);
  });
});

describe("a name that changes its address", () => {
  it("is resolved once, and the connection goes to the checked address", async () => {
    // An IPv6 address that nobody has, so that no network can connect to it.
    const answers = [[{ address: "2d00::1", family: 6 }], [ipv4("127.0.0.1")]];
    let asked = 0;
    const resolve: Resolve = async () => answers[asked++] ?? [];
    const getting = get(`http://turning.example:${closed.port}/`, { resolve }, AbortSignal.timeout(100));
    await expect(getting).rejects.not.toBeInstanceOf(ToolError);
    expect(asked).toBe(1);
    const { message } = await failureOf(get(`http://turning.example:${closed.port}/`, { resolve }));
    expect(message).toContain("not on the");
    expect(closed.seen).toEqual([]);
  });

  it("is resolved again after a redirect to itself", async () => {
    const isFirst = ({ pathname }: URL) => pathname === "/first";
    const resolve: Resolve = async () => [ipv4("127.0.0.1")];
    redirect("/second");
    await failureOf(get(`http://turning.example:${open.port}/first`, { resolve, isAllowed: isFirst }));
    expect(open.seen).toEqual(["/first"]);
  });
});

it("a connection that another part of the program keeps open is not used", async () => {
  const options = { host: "kept.example", port: closed.port, autoSelectFamily: false };
  await new Promise((resolve) => {
    const lookup: LookupFunction = (_host, _options, callback) => callback(null, "127.0.0.1", 4);
    plainGet({ ...options, lookup }, (response) => response.resume().on("end", resolve));
  });
  await new Promise((resolve) => setImmediate(resolve));
  const resolve: Resolve = async () => [ipv4("127.0.0.1")];
  const { message } = await failureOf(get(`http://kept.example:${closed.port}/`, { resolve }));
  expect(message).toContain("not on the public");
  expect(closed.seen).toHaveLength(1);
});

describe("redirects", () => {
  it.each([302, 404])("and refusals (HTTP %i) with an endless text have their connection closed", async (status) => {
    const hungUp = new Promise<void>((resolve) => {
      open.reply = (_request, response) => {
        response.on("close", resolve);
        response.writeHead(status, { location: "file:///etc" }).write("a");
      };
    });
    await failureOf(getOpen());
    await hungUp;
  });

  it.each([301, 308])("of HTTP %i are followed, and the last address is reported", async (status) => {
    open.reply = ({ url }, response) => {
      if (url === "/start") response.writeHead(status, { location: Buffer.from("énd?a#b").toString("latin1") }).end();
      else response.writeHead(200, { "content-type": "text/plain" }).end("there");
    };
    const { url, bytes } = await getOpen("start");
    expect(url.href).toBe(`http://${open.place}/%C3%A9nd?a#b`);
    expect(new TextDecoder().decode(bytes)).toBe("there");
  });

  it("end after five", async () => {
    open.reply = ({ url = "" }, response) => response.writeHead(302, { location: `${url}x` }).end();
    expect((await failureOf(getOpen())).message).toContain("more than 5 times");
    expect(open.seen).toHaveLength(6);
  });

  it("bring no cookies", async () => {
    const cookies: unknown[] = [];
    open.reply = ({ headers }, response) => {
      cookies.push(headers.cookie, headers.authorization, headers.referer);
      response.writeHead(302, { location: "/", "set-cookie": "a=b" }).end();
    };
    await failureOf(getOpen());
    expect(cookies.filter((cookie) => cookie !== undefined)).toEqual([]);
  });
});

describe("a reply", () => {
  const plain = { "content-type": "text/plain" };

  it.each([
    ["identity", Buffer.from("hello")],
    ["gzip", gzipSync("hello")],
    ["deflate", deflateSync("hello")],
    ["BR", brotliCompressSync("hello")],
  ])("is read in %s", async (encoding, body) => {
    open.serve(body, { ...plain, "content-encoding": encoding });
    expect(await textOf(`http://${open.place}/`)).toBe("hello");
  });

  it.each([
    ["nothing", undefined, (text: Buffer) => text],
    ["gzip", "gzip", (text: Buffer) => gzipSync(text)],
    ["deflate", "deflate", (text: Buffer) => deflateSync(text)],
    ["brotli", "br", (text: Buffer) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])("is cut if it is too large, compressed by %s", async (_name, encoding, compress) => {
    const headers = { ...plain, ...(encoding && { "content-encoding": encoding }) };
    open.serve(compress(Buffer.alloc(2_000_000, "a")), headers);
    expect(await getOpen()).toMatchObject({ isCut: true, bytes: { length: 100_000 } });
  });

  it("is cut if it is endless and decompresses to nothing", async () => {
    const empty = gzipSync("");
    open.reply = (_request, response) => {
      response.writeHead(200, { ...plain, "content-encoding": "gzip" });
      const more = () => {
        while (response.write(Buffer.concat(Array.from({ length: 1000 }, () => empty))));
      };
      response.on("drain", more);
      more();
    };
    expect(await getOpen()).toMatchObject({ isCut: true, bytes: { length: 0 } });
  });

  it("is not cut if it has just as many bytes as are allowed", async () => {
    open.serve("a".repeat(100_000), plain);
    expect(await getOpen()).toMatchObject({ isCut: false, bytes: { length: 100_000 } });
  });

  it("is refused if it is compressed in another way, or twice", async () => {
    for (const encoding of ["zstd", "gzip, gzip"]) {
      open.serve("hello", { ...plain, "content-encoding": encoding });
      expect((await failureOf(getOpen())).message).toContain("compressed in a way");
    }
  });

  it("fails if it is damaged, or if its connection is cut", async () => {
    open.serve("no gzip at all", { ...plain, "content-encoding": "gzip" });
    await expect(getOpen()).rejects.toMatchObject({ code: "Z_DATA_ERROR" });
    for (const encoding of ["gzip", "identity"]) {
      open.reply = (_request, response) => {
        response.writeHead(200, { ...plain, "content-encoding": encoding, "content-length": "100" });
        response.write(gzipSync("hello"), () => response.destroy());
      };
      await expect(getOpen()).rejects.toMatchObject({ code: "ECONNRESET" });
    }
  });

  it.each(["text/html; charset=utf-8", "text/markdown", "application/ld+json"])("of type %s is read", async (type) => {
    open.serve("hello", { "content-type": type });
    expect((await getOpen()).type).toBe(type);
  });

  it.each(["image/png", "application/javascript; a=text/html", ""])("of the type %j is refused", async (type) => {
    open.serve("hello", { "content-type": type });
    expect((await failureOf(getOpen())).message).toContain("Only HTML, Markdown, JSON, XML");
  });

  it.each([
    [404, "there is no such page (HTTP 404)"],
    [403, "its server refuses to show it (HTTP 403)"],
    [429, "its server cannot answer now (HTTP 429)"],
    [304, "its server answered with HTTP 304"],
  ])("of HTTP %i is reported", async (status, reason) => {
    open.serve("", { "content-type": "text/html" }, status);
    const message = expect.stringContaining(reason);
    expect(await failureOf(getOpen())).toMatchObject({ message, status });
  });

  it("of https: is requested over TLS", async () => {
    open.serve("hello", plain);
    await expect(get(`https://${open.place}/`)).rejects.toMatchObject({
      code: expect.stringMatching(/SSL|EPROTO|ECONNRESET/),
    });
    expect(open.seen).toEqual([]);
  });

  it("has headers up to a size limit", async () => {
    open.serve("hello", { ...plain, long: "a".repeat(20_000) });
    await expect(getOpen()).rejects.toMatchObject({ code: "HPE_HEADER_OVERFLOW" });
  });
});

describe("a signal", () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ["before the headers", () => {}],
    ["in the text", (response) => response.writeHead(200, { "content-type": "text/plain" }).write("hello")],
  ])("ends the connection %s", async (_where, begin) => {
    const stop = new AbortController();
    const hungUp = new Promise<void>((resolve) => {
      open.reply = (_request, response) => {
        begin(response);
        response.on("close", resolve);
        setTimeout(() => stop.abort(), 20);
      };
    });
    await expect(get(`http://${open.place}/`, {}, stop.signal)).rejects.toThrow();
    await hungUp;
  });

  it("that has aborted before sends no request", async () => {
    await expect(get(`http://${open.place}/`, {}, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    expect(open.seen).toEqual([]);
  });
});
