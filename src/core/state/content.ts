import { z } from "zod";
import { isRecord } from "../../base/is-record.js";
import { shorten } from "../../base/shorten.js";

/** A block of content in the result of a tool, in any of the forms of LangChain, MCP and the providers. */
export const contentBlockSchema = z.looseObject({ type: z.string() });
export type ContentBlock = z.infer<typeof contentBlockSchema>;

/** The blocks of calls in the content of the providers. LangChain keeps the calls beside them, too, and sends those. */
export const callBlocks: ReadonlySet<string> = new Set([
  "tool_use",
  "input_json_delta",
  "tool_call",
  "functionCall",
  "function_call",
]);

/** A file in a block: an image, a sound, a video or another file. */
interface FileBlock {
  readonly kind: string;
  readonly mimeType: string | undefined;
  readonly name: string | undefined;
  readonly url: string | undefined;
  /** The content in base64. */
  readonly data: string | undefined;
}

/**
 * Writes content as text for a model. Text stays as it is. A file becomes a short text that says what is there, such as
 * `[an image, image/png, 12 KB]`. Other data is written as JSON.
 */
export function contentText(content: readonly ContentBlock[]): string {
  return content
    .map(blockText)
    .filter((text) => text !== "")
    .join("\n");
}

function blockText(block: ContentBlock): string {
  const { text } = fieldsOf(block);
  if (typeof text === "string" && (text !== "" || block.structuredContent === undefined)) return text;
  const file = readFile(block);
  return file ? describeFile(file) : JSON.stringify(block, withoutData);
}

/** Reads the file in a block. Returns undefined if there is none. */
function readFile(block: ContentBlock): FileBlock | undefined {
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
  const kind = /^(?:input_)?(image|audio|video)/.exec(mimeType ?? block.type)?.[1] ?? "file";
  if (link === undefined && data === undefined && kind === "file" && block.type !== "file") return undefined;
  const url = linked === undefined ? link : undefined;
  return { kind, mimeType, name: first("name", "filename", "title"), url, data: data ?? linked };
}

/** Returns the fields of a block. Some forms keep them in an object inside the block. */
function fieldsOf(block: ContentBlock): Record<string, unknown> {
  const inner = ["image_url", "source", "resource", "input_audio", "file", "metadata"].map((name) => block[name]);
  return Object.assign({}, block, ...inner.filter(isRecord));
}

const kinds: Readonly<Record<string, string>> = { image: "an image", audio: "a recording", video: "a video" };

function describeFile({ kind, mimeType, name, url, data }: FileBlock): string {
  const size = data && sizeOf(data);
  const parts = [kinds[kind] ?? "a file", name, mimeType, size, url && shorten(url, 200)];
  return `[${parts.filter((part) => part).join(", ")}]`;
}

function sizeOf(base64: string): string {
  const bytes = Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Leaves long texts without a space out of JSON. They are files, which a model cannot read. */
export function withoutData(_key: string, value: unknown): unknown {
  return typeof value === "string" && value.length > 1000 && !/\s/.test(value) ? `[${sizeOf(value)} of data]` : value;
}

/** The image types that models with eyes take. */
const shownTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** An image in the form that LangChain's models of all providers take. */
export type ImageBlock = { readonly type: "image_url"; readonly image_url: { readonly url: string } };

/** Returns the images in content that a model can be shown: those that come with their data. */
export function imagesIn(content: readonly ContentBlock[] = []): ImageBlock[] {
  return content.flatMap((block) => {
    const { mimeType = "", data } = readFile(block) ?? {};
    if (data === undefined || !shownTypes.has(mimeType)) return [];
    return [{ type: "image_url", image_url: { url: `data:${mimeType};base64,${data}` } }];
  });
}
