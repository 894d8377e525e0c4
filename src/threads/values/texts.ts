import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { serialize, ValueText } from "./serialize.js";

/** Stands for the text of a value that LangGraph's serializer is still writing. */
const comingText = new ValueText("json", "null");

/** Writes values as text, without waiting for those that are plain data. */
export class ValueTexts {
  readonly #texts = new Map<unknown, ValueText>();
  readonly #shells = new Map<object, Readonly<Record<string, unknown>>>();
  readonly #coming: Promise<unknown>[] = [];

  private constructor(private readonly serde: SerializerProtocol) {}

  /** Runs what needs texts: once, or again when some of them had to be waited for. All are read before this returns. */
  static async write<T>(serde: SerializerProtocol, run: (texts: ValueTexts) => T): Promise<T> {
    const texts = new ValueTexts(serde);
    const encoded = run(texts);
    if (texts.#coming.length === 0) return encoded;
    await Promise.all(texts.#coming);
    return run(texts);
  }

  /** The text of a value. */
  of(value: unknown): ValueText {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = serialize(this.serde, value);
    if (text instanceof ValueText) {
      this.#texts.set(value, text);
      return text;
    }
    this.#coming.push(text.then((written) => this.#texts.set(value, written)));
    return comingText;
  }

  /** The text of an object with `null` in place of these properties. */
  ofShell(value: Readonly<Record<string, unknown>>, without: readonly string[]): ValueText {
    const shell = this.#shells.get(value) ?? { ...value, ...Object.fromEntries(without.map((name) => [name, null])) };
    this.#shells.set(value, shell);
    return this.of(shell);
  }
}
