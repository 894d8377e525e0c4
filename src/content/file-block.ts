import { isRecord } from "../base/is-record.js";
import { shorten } from "../base/shorten.js";
import type { ContentBlock } from "./content-block.js";

/** The kinds of files in content. A PDF is a `file`. */
export const fileKinds = ["image", "audio", "video", "file"] as const;
export type FileKind = (typeof fileKinds)[number];

/** The most bytes in a file of a question, and in all its files together. No provider takes more in one request. */
export const mostBytes = { file: 20_000_000, all: 32_000_000 };

/** A file in a block. */
export interface BlockFile {
  readonly kind: FileKind;
  readonly mimeType: string | undefined;
  readonly name: string | undefined;
  readonly url: string | undefined;
  /** The id of a file that its provider keeps. */
  readonly id: string | undefined;
  /** The content in base64. */
  readonly data: string | undefined;
  /** How closely OpenAI's models look at an image. */
  readonly detail: string | undefined;
}

/**
 * The forms of blocks in which the packages of providers take files:
 *
 * - `older`: an image as OpenAI has it, a recording and a file as LangChain 0.3 has them, and a video as vLLM has it.
 * - `data`: as `older`, and only with the data of the file.
 * - `standard`: the standard blocks of LangChain.
 * - `anthropic`: as `standard`. Anthropic's documents stay as they came.
 */
export const fileForms = ["older", "data", "standard", "anthropic"] as const;
export type FileForm = (typeof fileForms)[number];

/** What a model takes of files. */
export interface FilesTaken {
  readonly files: readonly FileKind[];
  readonly fileForm: FileForm;
}

/** Reads the file in a block, in any of the forms of LangChain, MCP and the providers. Returns undefined if there is none. */
export function readFile(block: ContentBlock): BlockFile | undefined {
  const fields = fieldsOf(block);
  const first = (...names: readonly string[]) =>
    names
      .map((name) => fields[name])
      .find((value) => typeof value === "string" && value !== "")
      ?.toString();
  const link = first("url", "uri", "image_url", "file_url", "fileUri");
  const bytes = fields.data;
  const given =
    bytes instanceof Uint8Array ? Buffer.from(bytes).toString("base64") : first("data", "blob", "file_data");
  const [inLink, linked] = readDataUrl(given ?? link ?? "");
  const format = block.type === "input_audio" ? first("format") : undefined;
  const mimeType = first("mime_type", "mimeType", "media_type") ?? (inLink || (format && `audio/${format}`));
  const [, named] = /^(?:input_)?(image|audio|video)/.exec(mimeType ?? block.type) ?? [];
  const kind = fileKinds.find((known) => known === named) ?? "file";
  const id = first("fileId", "file_id") ?? (fields.source_type === "id" ? first("id") : undefined);
  const isFile = [link, given, id].some((found) => found !== undefined) || kind !== "file" || block.type === "file";
  if (!isFile) return undefined;
  const [url, data] = [given === undefined && linked !== undefined ? undefined : link, linked ?? given];
  return { kind, mimeType, name: first("filename", "name", "title"), url, id, data, detail: first("detail") };
}

/** Returns the type and the base64 in a data URL. A pattern for all of it would take too much of the stack. */
export function readDataUrl(url: string): [mimeType?: string, data?: string] {
  const [head, mimeType] = /^data:([^;,]{0,100})[^,]{0,100};base64,/.exec(url) ?? [];
  return head === undefined ? [] : [mimeType, url.slice(head.length)];
}

/** Returns the fields of a block. Some forms keep them in an object inside the block. */
export function fieldsOf(block: ContentBlock): Record<string, unknown> {
  const inner = innerFields.map((name) => block[name]);
  return Object.assign({}, block, ...inner.filter(isRecord));
}

const innerFields = ["image_url", "audio_url", "video_url", "source", "resource", "input_audio", "file", "metadata"];

const kinds: Readonly<Record<FileKind, string>> = {
  image: "an image",
  audio: "a recording",
  video: "a video",
  file: "a file",
};

/** Writes what a file is, such as `[an image, cat.png, image/png, 12 KB]`. */
export function describeFile({ kind, mimeType, name, url, id, data }: BlockFile): string {
  const size = data && sizeText(bytesIn(data));
  const parts = [kinds[kind], name, mimeType, size, (url ?? id) && shorten(url ?? id ?? "", 200)];
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

/** Returns the file in a block as a model takes it. Returns undefined if it does not take it. */
export function sentFile(block: ContentBlock, { files, fileForm }: FilesTaken): ContentBlock | undefined {
  const file = readFile(block);
  if (file === undefined || !files.includes(file.kind)) return undefined;
  const { kind, name, data } = file;
  if (fileForm === "data" && data === undefined) return undefined;
  const isOlder = fileForm === "older" || fileForm === "data";
  const isOwn = isOlder
    ? block.type.endsWith("_url") && isRecord(block[block.type])
    : fileForm === "anthropic" && ["document", "container_upload"].includes(block.type);
  if (isOwn) return block;
  const made = isOlder ? olderFile(file) : standardFile(file);
  const { metadata, cache_control } = block;
  return {
    ...made,
    // OpenAI wants a name for data. Its own blocks have no metadata.
    ...(!made.type.includes("_") && {
      metadata: { ...(data !== undefined && { filename: name ?? kind }), ...(isRecord(metadata) && metadata) },
    }),
    ...(cache_control !== undefined && { cache_control }),
  };
}

function standardFile({ kind, mimeType, data, url, id }: BlockFile): ContentBlock {
  const source = data !== undefined ? { data } : url !== undefined ? { url } : { fileId: id };
  return { type: kind, ...source, ...(mimeType && { mimeType }) };
}

function olderFile({ kind, mimeType: given = "", data, url, id, detail }: BlockFile): ContentBlock {
  const address = data === undefined ? url : `data:${given};base64,${data}`;
  if (kind === "image" && address === undefined) return { type: "input_image", file_id: id, detail: detail ?? "auto" };
  if (kind === "image") return { type: "image_url", image_url: { url: address, ...(detail && { detail }) } };
  if (kind === "video" && address !== undefined) return { type: "video_url", video_url: { url: address } };
  const source =
    data !== undefined
      ? { source_type: "base64", data }
      : url !== undefined
        ? { source_type: "url", url }
        : { source_type: "id", id };
  const mimeType = olderTypes[given] ?? given;
  return { type: kind, ...source, ...(mimeType && { mime_type: mimeType }) };
}

/** The names of types that the package of OpenAI knows, for others of the same type. */
const olderTypes: Readonly<Record<string, string>> = {
  "audio/mpeg": "audio/mp3",
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
};

/** The types of files that models take, of those that tools return. */
const shownTypes = /^(?:image\/(?:png|jpeg|gif|webp)|audio\/(?:wav|mp3|mpeg)|application\/pdf)$/;

/** Returns the files in the content of a result that a model can be shown: those that come with their data. */
export function filesIn(content: readonly ContentBlock[] = [], taken: FilesTaken): ContentBlock[] {
  return content.flatMap((block) => {
    const { data, mimeType = "" } = readFile(block) ?? {};
    return data === undefined || !shownTypes.test(mimeType) ? [] : (sentFile(block, taken) ?? []);
  });
}
