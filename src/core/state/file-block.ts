import { isRecord } from "../../base/is-record.js";
import { shorten } from "../../base/shorten.js";
import type { ContentBlock } from "./content-block.js";

/** The kinds of files in content. A PDF is a `file`. */
export const fileKinds = ["image", "audio", "video", "file"] as const;
export type FileKind = (typeof fileKinds)[number];

/** A file in a block. */
export interface File {
  readonly kind: FileKind;
  readonly mimeType: string | undefined;
  readonly name: string | undefined;
  readonly url: string | undefined;
  /** The id of a file that its provider keeps. */
  readonly id: string | undefined;
  /** The content in base64. */
  readonly data: string | undefined;
}

/** Reads the file in a block, in any of the forms of LangChain, MCP and the providers. Returns undefined if there is none. */
export function readFile(block: ContentBlock): File | undefined {
  const fields = fieldsOf(block);
  const first = (...names: readonly string[]) =>
    names
      .map((name) => fields[name])
      .find((value) => typeof value === "string" && value !== "")
      ?.toString();
  const link = first("url", "uri", "image_url", "file_url");
  const [, inLink, linked] = /^data:([^;,]*)[^,]*,(.*)$/s.exec(link ?? "") ?? [];
  const mimeType = first("mime_type", "mimeType", "media_type") ?? (inLink || undefined);
  const bytes = fields.data;
  const data = bytes instanceof Uint8Array ? Buffer.from(bytes).toString("base64") : first("data", "blob", "file_data");
  const [, named] = /^(?:input_)?(image|audio|video)/.exec(mimeType ?? block.type) ?? [];
  const kind = fileKinds.find((known) => known === named) ?? "file";
  if (link === undefined && data === undefined && kind === "file" && block.type !== "file") return undefined;
  const id = first("fileId", "file_id") ?? (fields.source_type === "id" ? first("id") : undefined);
  const url = linked === undefined ? link : undefined;
  return { kind, mimeType, name: first("name", "filename", "title"), url, id, data: data ?? linked };
}

/** Returns the fields of a block. Some forms keep them in an object inside the block. */
export function fieldsOf(block: ContentBlock): Record<string, unknown> {
  const inner = ["image_url", "source", "resource", "input_audio", "file", "metadata"].map((name) => block[name]);
  return Object.assign({}, block, ...inner.filter(isRecord));
}

const kinds: Readonly<Record<FileKind, string>> = {
  image: "an image",
  audio: "a recording",
  video: "a video",
  file: "a file",
};

/** Writes what a file is, such as `[an image, cat.png, image/png, 12 KB]`. */
export function describeFile({ kind, mimeType, name, url, data }: File): string {
  const size = data && sizeText(bytesIn(data));
  const parts = [kinds[kind], name, mimeType, size, url && shorten(url, 200)];
  return `[${parts.filter((part) => part).join(", ")}]`;
}

/** Returns the number of bytes in base64. */
export function bytesIn(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : Number(base64.endsWith("="));
  return Math.floor(((base64.length - padding) * 3) / 4);
}

/** Writes a number of bytes, such as `12 KB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/**
 * Returns a file as the models of LangChain take it. A block in a form of a provider stays as it came. Of LangChain's own forms, its
 * packages read an image in the form of OpenAI, and any other file in that of LangChain 0.3.
 */
export function sentFile(block: ContentBlock): ContentBlock {
  const { data: bytes, url: link, fileId, source_type, metadata, cache_control } = block;
  const isStandard = [bytes, link, fileId, source_type].some((field) => field !== undefined);
  const file = isStandard ? readFile(block) : undefined;
  if (file === undefined) return block;
  const { kind, mimeType, data, url, id, name } = file;
  const kept = cache_control === undefined ? {} : { cache_control };
  const address = data === undefined ? url : `data:${mimeType ?? ""};base64,${data}`;
  if (kind === "image" && address !== undefined) return { type: "image_url", image_url: { url: address }, ...kept };
  const source =
    data !== undefined
      ? { source_type: "base64", data }
      : url !== undefined
        ? { source_type: "url", url }
        : { source_type: "id", id };
  // OpenAI wants a name for each file.
  const named = { filename: name ?? kind, ...(isRecord(metadata) && metadata) };
  return { type: kind, ...source, ...(mimeType && { mime_type: mimeType }), metadata: named, ...kept };
}

/** The types of files that models take, of those that tools return. */
const shownTypes = /^(?:image\/(?:png|jpeg|gif|webp)|audio\/(?:wav|mp3|mpeg)|application\/pdf)$/;

/** Returns the files in the content of a result that a model can be shown: those that come with their data. */
export function filesIn(content: readonly ContentBlock[] = [], shown: readonly FileKind[]): ContentBlock[] {
  return content.flatMap((block) => {
    const { kind = "file", mimeType = "", name, data } = readFile(block) ?? {};
    if (data === undefined || !shown.includes(kind) || !shownTypes.test(mimeType)) return [];
    return [sentFile({ type: kind, mimeType, data, ...(name && { metadata: { filename: name } }) })];
  });
}
