import { extname } from "node:path";

/** The formats that can be read, each with the endings of its files' names. */
const endingsOf = {
  markdown: [".md", ".markdown", ".mdx"],
  text: [".txt"],
  html: [".html", ".htm", ".xhtml"],
  table: [".csv", ".tsv"],
  notebook: [".ipynb"],
  pdf: [".pdf"],
  word: [".docx"],
} as const;

export type DocumentFormat = keyof typeof endingsOf;

const formats = new Map<string, DocumentFormat>(
  Object.entries(endingsOf).flatMap(([format, endings]) =>
    endings.map((ending) => [ending, format as DocumentFormat] as const),
  ),
);

/** The endings of the names of files that can be read, in small letters. */
export const readableEndings: readonly string[] = [...formats.keys()];

/**
 * Finds the format of a file. Its first bytes count more than its name.
 *
 * @returns The format, or the reason why it is none that can be read.
 */
export function formatOf(path: string, bytes: Uint8Array): DocumentFormat | { readonly why: string } {
  const ending = extname(path).toLowerCase();
  const named = formats.get(ending);
  const beginning = Buffer.from(bytes.subarray(0, 1024)).toString("latin1");
  // Mail programs and scanners put something before a PDF.
  if (named === "pdf" ? beginning.includes("%PDF-") : beginning.startsWith("%PDF-")) return "pdf";
  if (beginning.startsWith("PK\x03\x04")) return named === "word" ? "word" : { why: "it is a ZIP archive" };
  if (beginning.startsWith("\xd0\xcf\x11\xe0")) return { why: whyOld(bytes) };
  if (named === undefined) return { why: "its format is not known" };
  if (named === "pdf" || named === "word") return { why: `it is named "${ending}", and is of another format` };
  return named;
}

/** Microsoft's older format. Office also puts its encrypted files into it. */
function whyOld(bytes: Uint8Array): string {
  const isEncrypted = Buffer.from(bytes).includes(Buffer.from("EncryptedPackage", "utf16le"));
  return isEncrypted ? "it needs a password" : "it is of an old format of Office. Save it as DOCX";
}
