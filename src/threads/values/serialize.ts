import { hash } from "node:crypto";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { plainJson } from "./plain-json.js";
import { readUsualMessage } from "./read-message.js";

/** A value as text: JSON for everything but bytes, which are base64. */
export interface Serialized {
  readonly type: string;
  readonly content: string;
}

/** What {@link serialize} made of a value, with the name of its content. */
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
 * Writes a value as text the way LangGraph's serializer does, which knows messages, sets, maps, errors and the like. The
 * value is read before this returns, so that a later change of it is not written. Only what that serializer has to write
 * itself is a promise.
 */
export function serialize(serde: SerializerProtocol, value: unknown): ValueText | Promise<ValueText> {
  const json = plainJson(value);
  return json === undefined ? serializeWith(serde, value) : new ValueText("json", json);
}

async function serializeWith(serde: SerializerProtocol, value: unknown): Promise<ValueText> {
  const [type, bytes] = await serde.dumpsTyped(value);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // JSON has no word for a function: it comes out as nothing.
  return new ValueText(type, type === "json" ? buffer.toString("utf8") || "null" : buffer.toString("base64"));
}

/** Reads a value that {@link serialize} wrote. Each call makes a new one. */
export async function deserialize(serde: SerializerProtocol, { type, content }: Serialized): Promise<unknown> {
  if (type !== "json") return serde.loadsTyped(type, new Uint8Array(Buffer.from(content, "base64")));
  if (!content.includes('"lc":')) return JSON.parse(content);
  return readUsualMessage(content) ?? serde.loadsTyped(type, content);
}

/** The name under which content is kept in a thread: 132 bits of its SHA-256. */
export function hashOf({ type, content }: Serialized): string {
  return hash("sha256", type === "json" ? content : `${type}:${content}`, "base64url").slice(0, 22);
}
