import type { IncomingMessage } from "node:http";
import { pipeline, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { notFetched } from "./web-address.js";

/** The bytes of a reply. */
export interface Body {
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
 * Reads and decompresses a reply up to a number of bytes. Neither what is sent nor what it becomes is larger.
 *
 * @throws {ToolError} "web-page-failed" if it is compressed in another way, or twice.
 */
export async function readBody(message: IncomingMessage, url: URL, maxBytes: number): Promise<Body> {
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
  const body = decompressor === undefined ? message : pipeline(message, beginning, decompressor, () => {});
  const chunks: Buffer[] = [];
  for await (const chunk of beginning(body)) chunks.push(chunk);
  return { bytes: new Uint8Array(Buffer.concat(chunks)), isCut };
}
