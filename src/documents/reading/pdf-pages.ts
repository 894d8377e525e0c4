import type { ParsedDocument } from "./parsed-document.js";
import { plainLines } from "./plain-lines.js";

type PdfLibrary = typeof import("unpdf");
type PdfDocument = Awaited<ReturnType<PdfLibrary["getDocumentProxy"]>>;

/** The limit of a worker's heap does not count arrays of bytes. Four KB of PDF can decompress to many GB. */
const mostBytes = 256_000_000;
let pdfjs: PdfLibrary | undefined;

/** Reads PDF with Mozilla's PDF.js. Each page gets a heading with its number: "# Page 3". */
export async function* readPdf(bytes: Uint8Array): AsyncIterable<ParsedDocument> {
  pdfjs ??= await loadLimited();
  let pdf: PdfDocument;
  try {
    pdf = await pdfjs.getDocumentProxy(bytes, { verbosity: 0 });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "PasswordException") throw error;
    yield { kind: "skipped", why: "it needs a password" };
    return;
  }
  const text = await textOf(pdf);
  const { info } = await pdf.getMetadata();
  const title = "Title" in info ? info.Title : undefined;
  await pdf.loadingTask.destroy();
  if (text === "") yield { kind: "skipped", why: "it is a PDF without text, such as a scan" };
  else yield { kind: "markdown", text, ...(typeof title === "string" && title.trim() && { title: title.trim() }) };
}

async function textOf(pdf: PdfDocument): Promise<string> {
  const pages: string[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    const text = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("");
    if (text.trim() !== "") pages.push(`# Page ${number}\n\n${plainLines(withoutHyphens(text)).trim()}`);
  }
  return pages.join("\n\n");
}

/** Joins words that are divided at the end of a line. */
function withoutHyphens(text: string): string {
  return text.replace(/(?<=\p{L})[-\u00ad]\n(?=\p{Ll})/gu, "");
}

/** Loads the library so that none of its arrays, and no stream that it decompresses, is larger than the limit. */
function loadLimited(): Promise<PdfLibrary> {
  const failIfMore = (bytes: unknown) => {
    if (Number(bytes) > mostBytes) throw new RangeError("There are too many bytes.");
  };
  const limited: Uint8ArrayConstructor = new Proxy(Uint8Array, {
    construct(target, values, made): Uint8Array {
      failIfMore(values[0]);
      return Reflect.construct(target, values, made === limited ? target : made);
    },
  });
  const Native = DecompressionStream;
  const LimitedStream = class extends Native {
    override get readable() {
      let bytes = 0;
      const transform = (chunk: Uint8Array, output: TransformStreamDefaultController<Uint8Array>) => {
        bytes += chunk.length;
        failIfMore(bytes);
        output.enqueue(chunk);
      };
      return super.readable.pipeThrough(new TransformStream({ transform }));
    }
  };
  Object.assign(globalThis, { Uint8Array: limited, DecompressionStream: LimitedStream });
  return import("unpdf");
}
