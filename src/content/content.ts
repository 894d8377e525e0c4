import type { BaseMessage } from "@langchain/core/messages";
import { isRecord } from "../base/is-record.js";
import type { ContentBlock } from "./content-block.js";
import { bytesIn, describeFile, fieldsOf, readFile, sizeText } from "./file-block.js";

/** The blocks of calls in the content of the providers. LangChain keeps the calls beside them, too, and sends those. */
export const callBlocks: ReadonlySet<string> = new Set([
  "tool_use",
  "input_json_delta",
  "tool_call",
  "functionCall",
  "function_call",
]);

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

/** Leaves long base64 out of JSON, because base64 is a file that nobody can read. */
export function withoutData(_key: string, value: unknown): unknown {
  const isFile = typeof value === "string" && value.length > 1000 && !/[^\w+/=:;,.-]/.test(value);
  return isFile ? `[${sizeText(bytesIn(value))} of data]` : value;
}

/** Writes the content of a message for people. Its files are named. */
export function writeContent(content: unknown): string {
  if (typeof content === "string") return content;
  const isBlocks = Array.isArray(content) && content.every(isBlock);
  return isBlocks ? contentText(content) : JSON.stringify(content, withoutData);
}

function isBlock(value: unknown): value is ContentBlock {
  return isRecord(value) && typeof value.type === "string";
}

/** Returns the content of a message as text. Its files are named. */
export function messageText({ content }: BaseMessage): string {
  return typeof content === "string" ? content : contentText(blocksOf({ content }));
}

/** Returns the content blocks of a message. There are none if it is a text. */
export function blocksOf({ content }: Pick<BaseMessage, "content">): ContentBlock[] {
  return typeof content === "string" ? [] : content.map((block) => ({ ...block }));
}

/** Returns the blocks of the files in a question. Replies have blocks with data that is no file, such as reasoning. */
export function fileBlocks(message: BaseMessage): ContentBlock[] {
  if (message.getType() !== "human") return [];
  return blocksOf(message).filter((block) => typeof block.text !== "string" && readFile(block) !== undefined);
}

/** Tells whether a message is a question with files. */
export function hasFiles(message: BaseMessage): boolean {
  return fileBlocks(message).length > 0;
}
