import { hash } from "node:crypto";
import { fromJson } from "./from-json.js";
import { toJson } from "./to-json.js";

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

/** Writes a value as text. Data comes back as data; `revivable.ts` lists what else comes back as it was. */
export function serialize(value: unknown): ValueText {
  if (value instanceof Uint8Array) return new ValueText("bytes", Buffer.from(value).toString("base64"));
  return new ValueText("json", toJson(value));
}

/** Reads a value that {@link serialize} wrote. Each call makes a new value. */
export function deserialize({ type, content }: Serialized): unknown {
  if (type === "json") return fromJson(content);
  if (type === "bytes") return new Uint8Array(Buffer.from(content, "base64"));
  throw new SyntaxError(`A stored value is of the unknown type "${type}".`);
}

/** Returns the name under which content is kept in a thread: 132 bits of its SHA-256. */
export function hashOf({ type, content }: Serialized): string {
  return hash("sha256", type === "json" ? content : `${type}:${content}`, "base64url").slice(0, 22);
}
