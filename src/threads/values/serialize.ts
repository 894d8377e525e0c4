import { hash } from "node:crypto";
import { fromJson } from "./from-json.js";
import { textMark } from "./marks.js";
import type { Texts } from "./revivable.js";
import { toJson } from "./to-json.js";

/** A value as text: base64 for bytes, JSON for everything else. */
export interface Serialized {
  readonly type: string;
  readonly content: string;
  /** The long texts that the content names; undefined if there are none. */
  readonly texts?: Texts | undefined;
}

/** A content that is kept once in a thread. */
export interface Item extends Serialized {
  readonly hash: string;
}

/** The text of a value, as {@link serialize} returns it, with its hash. */
export class ValueText implements Item {
  #hash: string | undefined;

  constructor(
    readonly type: string,
    readonly content: string,
    readonly texts?: Texts,
  ) {}

  get hash(): string {
    this.#hash ??= hashOf(this);
    return this.#hash;
  }
}

/**
 * Writes a value as text. Data comes back as data; `revivable.ts` lists what else comes back as it was.
 *
 * @param nameOf The function that gives long texts their names. Without it they stay in the content.
 */
export function serialize(value: unknown, nameOf?: (text: string) => string): ValueText {
  if (value instanceof Uint8Array) return new ValueText("bytes", Buffer.from(value).toString("base64"));
  if (nameOf === undefined) return new ValueText("json", toJson(value));
  let texts: Map<string, string> | undefined;
  const content = toJson(value, (text) => {
    const name = nameOf(text);
    texts ??= new Map();
    texts.set(name, text);
    return textMark(name);
  });
  return new ValueText("json", content, texts);
}

/** Reads a value that {@link serialize} wrote. Each call makes a new value. */
export function deserialize({ type, content, texts }: Serialized): unknown {
  if (type === "json") return fromJson(content, texts);
  if (type === "bytes") return new Uint8Array(Buffer.from(content, "base64"));
  throw new SyntaxError(`A stored value is of the unknown type "${type}".`);
}

/** Returns the name under which content is kept in a thread: 132 bits of its SHA-256. */
export function hashOf({ type, content }: Serialized): string {
  return hash("sha256", type === "json" ? content : `${type}:${content}`, "base64url").slice(0, 22);
}
