import { hash } from "node:crypto";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { plainJson } from "./plain-json.js";
import { readUsualMessage } from "./read-message.js";

/** A value as text: base64 for bytes, JSON for everything else. */
export interface Serialized {
  readonly type: string;
  readonly content: string;
}

/** The text of a value, as {@link serialize} returns it, with its hash. */
export class ValueText implements Serialized {
  #hash: string | undefined;

  constructor(
    readonly type: string,
    readonly content: string,
  ) {}

  get hash(): string {
    this.#hash ??= hashOf(this);
    return this.#hash;
  }
}

/**
 * Writes a value as text in the same way as LangGraph's serializer, which knows messages, sets, maps and errors. The
 * value is read before this returns, so a later change of it is not written.
 *
 * @returns A promise only for values that LangGraph's serializer itself has to write.
 */
export function serialize(serde: SerializerProtocol, value: unknown): ValueText | Promise<ValueText> {
  const json = plainJson(value);
  return json === undefined ? serializeWith(serde, value) : new ValueText("json", json);
}

async function serializeWith(serde: SerializerProtocol, value: unknown): Promise<ValueText> {
  const [type, bytes] = await serde.dumpsTyped(value);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // JSON has no word for a function: its text is empty.
  return new ValueText(type, type === "json" ? buffer.toString("utf8") || "null" : buffer.toString("base64"));
}

/** Reads a value that {@link serialize} wrote. Each call makes a new value. */
export async function deserialize(serde: SerializerProtocol, { type, content }: Serialized): Promise<unknown> {
  if (type !== "json") return serde.loadsTyped(type, new Uint8Array(Buffer.from(content, "base64")));
  if (!content.includes('"lc":')) return JSON.parse(content);
  return readUsualMessage(content) ?? serde.loadsTyped(type, content);
}

/** Returns the name under which content is kept in a thread: 132 bits of its SHA-256. */
export function hashOf({ type, content }: Serialized): string {
  return hash("sha256", type === "json" ? content : `${type}:${content}`, "base64url").slice(0, 22);
}
