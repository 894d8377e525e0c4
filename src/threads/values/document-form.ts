import { Document } from "@langchain/core/documents";
import { isRecord } from "../../base/is-record.js";
import { isPlainObject } from "../../base/plain-data.js";

const KEYS = new Set(["pageContent", "metadata", "id"]);

/** Returns the form of a document of LangChain; undefined for anything else. Documents are known by their shape. */
export function documentForm(value: object) {
  if (isPlainObject(value) || !("pageContent" in value) || !("metadata" in value)) return undefined;
  const { pageContent, metadata } = value;
  const isDocument = typeof pageContent === "string" && isRecord(metadata);
  if (!isDocument || !Object.keys(value).every((key) => KEYS.has(key))) return undefined;
  const id = "id" in value && value.id !== undefined ? { id: value.id } : {};
  const kwargs = { page_content: pageContent, metadata, ...id };
  return { lc: 1, type: "constructor", id: ["langchain_core", "documents", "Document"], kwargs };
}

/** Makes a document. @returns Undefined if the fields are none of a document. */
export function readDocument(kwargs: unknown): Document | undefined {
  if (!isRecord(kwargs)) return undefined;
  const { page_content: pageContent, metadata, id } = kwargs;
  if (typeof pageContent !== "string" || !isRecord(metadata)) return undefined;
  return new Document({ pageContent, metadata, ...(typeof id === "string" && { id }) });
}
