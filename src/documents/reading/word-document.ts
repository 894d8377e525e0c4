import { Readable } from "node:stream";
import type { Zip } from "jszip";
import { markdownOf, withEntities } from "./html-text.js";
import type { ParsedDocument } from "./parsed-document.js";

/** What all parts of the archive may unpack to. */
const mostBytes = 100_000_000;

/** Reads DOCX: mammoth makes HTML of it, with its headings, lists and tables. Pictures become their descriptions. */
export async function* readWordDocument(bytes: Uint8Array): AsyncIterable<ParsedDocument> {
  const { default: jszip } = await import("jszip");
  // Mammoth unpacks with the same library, so the count is of what mammoth will unpack.
  const zip = await jszip.loadAsync(bytes);
  if (!(await isSmall(zip))) {
    yield { kind: "skipped", why: `it unpacks to more than ${mostBytes / 1_000_000} MB` };
    return;
  }
  const { convertToHtml, images } = (await import("mammoth")).default;
  const convertImage = images.imgElement(async () => ({ src: "" }));
  const { value } = await convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage });
  const title = await titleOf(zip);
  yield { kind: "markdown", text: await markdownOf(withHeaders(value)), ...(title && { title }) };
}

/** Unpacks all, and keeps nothing. The sizes that an archive gives may be wrong. */
async function isSmall({ files }: Zip): Promise<boolean> {
  let left = mostBytes;
  for (const entry of Object.values(files)) {
    for await (const chunk of new Readable().wrap(entry.nodeStream())) {
      left -= chunk.length;
      if (left < 0) return false;
    }
  }
  return true;
}

/** Makes the first row of each table its header. Markdown has no table without one. */
function withHeaders(html: string): string {
  return html.replace(/<table><tr>.*?<\/tr>/gs, (row) => row.replace(/(<\/?)td\b/g, "$1th"));
}

async function titleOf({ files }: Zip): Promise<string> {
  const properties = (await files["docProps/core.xml"]?.async("string")) ?? "";
  return withEntities(/<dc:title>([^<]*)/.exec(properties)?.[1] ?? "").trim();
}
