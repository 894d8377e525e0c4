import type { HtmlText } from "./html-text.js";
import type { FormatReader, ParsedDocument } from "./parsed-document.js";
import type { Load } from "./reading-thread.js";

interface Mammoth {
  convertToHtml(input: { buffer: Buffer }, options: { convertImage: unknown }): Promise<{ readonly value: string }>;
  readonly images: { imgElement(source: () => { readonly src: string }): unknown };
}

interface Zip {
  readonly files: Readonly<Record<string, ZipEntry>>;
}

interface ZipEntry {
  async(type: "string"): Promise<string>;
  internalStream(type: "uint8array"): ZipStream;
}

interface ZipStream {
  on(event: "data", hear: (chunk: Uint8Array) => void): this;
  on(event: "error", hear: (error: Error) => void): this;
  on(event: "end", hear: () => void): this;
  resume(): this;
  pause(): this;
}

/**
 * Reads DOCX: mammoth makes HTML of it, with its headings, lists and tables. Pictures become their descriptions.
 *
 * A worker gets the source text of this class. So the class uses nothing from outside.
 */
export class WordDocument implements FormatReader {
  /** What all parts of the archive may unpack to. */
  private readonly mostBytes = 100_000_000;

  constructor(
    private readonly load: Load,
    private readonly html: HtmlText,
  ) {}

  async *read(bytes: Uint8Array): AsyncIterable<ParsedDocument> {
    // This is the library that mammoth unpacks with. So what is counted is what mammoth will unpack.
    const zip = await this.load<{ loadAsync(bytes: Uint8Array): Promise<Zip> }>("jszip").loadAsync(bytes);
    if (!(await this.isSmall(zip))) {
      yield { kind: "skipped", why: `it unpacks to more than ${this.mostBytes / 1_000_000} MB` };
      return;
    }
    const { convertToHtml, images } = this.load<Mammoth>("mammoth");
    const convertImage = images.imgElement(() => ({ src: "" }));
    const { value } = await convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage });
    const title = await this.titleOf(zip);
    yield { kind: "markdown", text: this.html.piece(this.withHeaders(value)), ...(title && { title }) };
  }

  /** Unpacks all, and keeps nothing. The sizes that an archive gives may be wrong. */
  private async isSmall({ files }: Zip): Promise<boolean> {
    let left = this.mostBytes;
    for (const entry of Object.values(files)) {
      await new Promise<void>((resolve, reject) => {
        const stream = entry.internalStream("uint8array");
        const count = (chunk: Uint8Array) => {
          left -= chunk.length;
          if (left < 0) {
            stream.pause();
            resolve();
          }
        };
        stream.on("data", count).on("error", reject).on("end", resolve).resume();
      });
      if (left < 0) return false;
    }
    return true;
  }

  /** Makes the first row of each table its header. Markdown has no table without one. */
  private withHeaders(html: string): string {
    return html.replace(/<table><tr>.*?<\/tr>/gs, (row) => row.replace(/(<\/?)td\b/g, "$1th"));
  }

  private async titleOf({ files }: Zip): Promise<string> {
    const properties = (await files["docProps/core.xml"]?.async("string")) ?? "";
    return this.html.withEntities(/<dc:title>([^<]*)/.exec(properties)?.[1] ?? "").trim();
  }
}
