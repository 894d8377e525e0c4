import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { serialize, ValueText } from "./serialize.js";

/** A placeholder for the text of a value that LangGraph's serializer is still writing. */
const comingText = new ValueText("json", "null");

/** The texts of values. Plain data gets its text at once. Other values have to be waited for. */
export class ValueTexts {
  readonly #texts = new Map<unknown, ValueText>();
  readonly #shells = new Map<object, Readonly<Record<string, unknown>>>();
  readonly #coming: Promise<unknown>[] = [];

  private constructor(private readonly serde: SerializerProtocol) {}

  /**
   * Calls `run` with the texts. Calls it again after a wait if some texts were not ready. All values are read before
   * this returns.
   */
  static async write<T>(serde: SerializerProtocol, run: (texts: ValueTexts) => T): Promise<T> {
    const texts = new ValueTexts(serde);
    const encoded = run(texts);
    if (texts.#coming.length === 0) return encoded;
    await Promise.all(texts.#coming);
    return run(texts);
  }

  /** Returns the text of a value, or a placeholder if the text is not ready. */
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

  /** Returns the text of an object with `null` in place of the properties named in `without`. */
  ofShell(value: Readonly<Record<string, unknown>>, without: readonly string[]): ValueText {
    const shell = this.#shells.get(value) ?? { ...value, ...Object.fromEntries(without.map((name) => [name, null])) };
    this.#shells.set(value, shell);
    return this.of(shell);
  }
}
