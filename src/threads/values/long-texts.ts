import { hashOf, type Item, type Serialized } from "./serialize.js";
import { MissingPartError } from "./stored-form.js";

/** A memory of the long texts of a thread. Each of them is hashed once and read once, however many values hold it. */
export class LongTexts {
  readonly #names = new Map<string, string>();
  readonly #texts = new Map<string, string>();
  #size = 0;

  /** The number of characters that this keeps in memory. */
  get size(): number {
    return this.#size;
  }

  /** Returns the name under which a text is kept: the hash of its item. */
  readonly nameOf = (text: string): string => {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = hashOf(toItem(text));
    this.#add(name, text);
    return name;
  };

  /** Reads the text in an item. Values share it, because a text cannot be changed. */
  read(name: string, { content }: Serialized): string {
    const known = this.#texts.get(name);
    if (known !== undefined) return known;
    const text: unknown = JSON.parse(content);
    if (typeof text !== "string") throw new MissingPartError("a long text");
    this.#add(name, text);
    return text;
  }

  #add(name: string, text: string): void {
    this.#names.set(text, name);
    this.#texts.set(name, text);
    this.#size += text.length;
  }
}

/** Returns the items of a value: itself and its long texts. */
export function itemsOf(value: Item): Item[] {
  const texts = Array.from(value.texts ?? [], ([hash, text]) => new TextItem(hash, text));
  return [value, ...texts];
}

/** The item of a long text. Its content is made when it is stored, which does not happen to all of them. */
class TextItem implements Item {
  readonly type = "json";

  constructor(
    readonly hash: string,
    private readonly text: string,
  ) {}

  get content(): string {
    return toItem(this.text).content;
  }
}

function toItem(text: string): Serialized {
  return { type: "json", content: JSON.stringify(text) };
}
