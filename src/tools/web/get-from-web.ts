import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { pipeline, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { isPublicAddress } from "./public-address.js";
import { hostOf, notFetched, readWebAddress } from "./web-address.js";

const mostRedirects = 5;
const mostHeaderBytes = 16_384;

/** Finds the IP addresses of a host. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** What may be fetched. */
export interface WebRules {
  /** Whether a place may be fetched even if its IP address is not public. */
  readonly isAllowed: (url: URL) => boolean;
  /** The most bytes of a reply, as it is sent and as it is after decompression. */
  readonly maxBytes: number;
  /** The resolver; that of the system by default. */
  readonly resolve?: Resolve;
}

/** A text that was fetched. */
interface WebReply extends Body {
  /** The address after all redirects. */
  readonly url: URL;
  /** Its media type, with parameters such as the charset. */
  readonly type: string;
}

/**
 * Fetches a text of the public web by GET. Up to five redirects are followed, each checked by the same rules. Sends no
 * cookies, keys or referrer, and uses no proxy.
 *
 * @throws {ToolError} "web-page-failed" if the rules or the server refuse, or the reply is no text. All other errors are those of the
 *   connection.
 * @throws An error of its own kind if the signal aborts. The connection is then closed.
 */
export async function getFromWeb(address: string, rules: WebRules, signal: AbortSignal): Promise<WebReply> {
  let url = readWebAddress(address);
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const message = await ask(url, rules, signal);
    try {
      const location = redirectOf(message);
      if (location === undefined)
        return { url, type: typeOf(message, url), ...(await readBody(message, url, rules.maxBytes)) };
      url = readWebAddress(location, url);
    } finally {
      message.destroy();
    }
  }
  throw notFetched(address, `it leads on to other addresses more than ${mostRedirects} times`);
}

/**
 * The connection goes to the IP address that was checked, so a name that resolves differently the next time has no effect.
 */
async function ask(url: URL, rules: WebRules, signal: AbortSignal): Promise<IncomingMessage> {
  signal.throwIfAborted();
  const host = hostOf(url);
  if (isIP(host) !== 0) checkAddresses(url, [host], rules);
  const { request } = url.protocol === "https:" ? https : http;
  const options = {
    agent: false,
    headers,
    lookup: checkedLookup(url, rules),
    autoSelectFamily: true, // So the lookup is asked for all addresses, whatever the process has as its default.
    maxHeaderSize: mostHeaderBytes,
    signal,
  };
  return new Promise((resolve, reject) => request(url, options).on("response", resolve).on("error", reject).end());
}

const headers = {
  accept: "text/html,application/xhtml+xml,text/markdown,text/plain,application/json,application/xml;q=0.9,*/*;q=0.1",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "glassloop",
};

function checkedLookup(url: URL, rules: WebRules): LookupFunction {
  const { resolve = resolveHost } = rules;
  const find = async (host: string) => {
    const found = await resolve(host);
    checkAddresses(
      url,
      found.map(({ address }) => address),
      rules,
    );
    return [...found];
  };
  return (host, _options, callback) => {
    find(host).then(
      (found) => callback(null, found),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

function resolveHost(host: string): Promise<readonly LookupAddress[]> {
  return lookup(host, { all: true });
}

/** One address that is not public is enough to refuse a name. Its owner could choose by chance. */
function checkAddresses(url: URL, addresses: readonly string[], rules: WebRules): void {
  if (rules.isAllowed(url) || addresses.every(isPublicAddress)) return;
  throw notFetched(url.href, "it is not on the public web, and not among the places that are allowed");
}

/** Returns where a reply leads to. Node.js reads each byte of a header as a character, and addresses are in UTF-8. */
function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage): string | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode);
  return isRedirect && location !== undefined ? Buffer.from(location, "latin1").toString() : undefined;
}

const textTypes = /^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:json|xml))$/;

function typeOf({ statusCode = 0, headers }: IncomingMessage, url: URL): string {
  if (statusCode < 200 || statusCode > 299) throw notFetched(url.href, reasonOf(statusCode), statusCode);
  const type = headers["content-type"] ?? "";
  const [name = ""] = type.toLowerCase().split(";");
  if (textTypes.test(name.trim())) return type;
  const given = name.trim() || "of a type that is not said";
  throw notFetched(url.href, `it is ${given}. Only HTML, Markdown, JSON, XML and other texts can be read`);
}

function reasonOf(status: number): string {
  if (status === 404 || status === 410) return `there is no such page (HTTP ${status})`;
  if (status === 401 || status === 403) return `its server refuses to show it (HTTP ${status})`;
  if (status === 429 || status >= 500) return `its server cannot answer now (HTTP ${status}), which may pass`;
  return `its server answered with HTTP ${status}`;
}

/** The bytes of a reply. */
interface Body {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the reply had more bytes than are allowed. Its beginning is there. */
  readonly isCut: boolean;
}

/** The end of a compressed reply may be missing, because it was cut or its server was careless. */
const lenient = { finishFlush: constants.Z_SYNC_FLUSH };
const lenientBrotli = { finishFlush: constants.BROTLI_OPERATION_FLUSH };

const decompressors = new Map<string, () => Transform>([
  ["gzip", () => createGunzip(lenient)],
  ["x-gzip", () => createGunzip(lenient)],
  ["deflate", () => createInflate(lenient)],
  ["br", () => createBrotliDecompress(lenientBrotli)],
]);

/**
 * Reads and decompresses a reply up to a number of bytes, which limits both the compressed and the decompressed size.
 *
 * @throws {ToolError} "web-page-failed" if it is compressed in another way, or twice.
 */
async function readBody(message: IncomingMessage, url: URL, maxBytes: number): Promise<Body> {
  const encoding = (message.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const decompressor = decompressors.get(encoding)?.();
  if (decompressor === undefined && encoding !== "identity") {
    throw notFetched(url.href, "it is compressed in a way that cannot be read");
  }
  let isCut = false;
  async function* beginning(source: AsyncIterable<Buffer>) {
    let left = maxBytes;
    for await (const chunk of source) {
      yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left < 0) {
        isCut = true;
        return;
      }
    }
  }
  const body = decompressor === undefined ? message : pipeline(beginning(message), decompressor, () => {});
  const chunks: Buffer[] = [];
  for await (const chunk of beginning(body)) chunks.push(chunk);
  return { bytes: new Uint8Array(Buffer.concat(chunks)), isCut };
}
