import type { Serialized } from "./serialize.js";

/** An element of a list, kept as text, so that each reader gets an object of its own. */
export interface Entry {
  /**
   * The form in which rows name the element: the JSON of a {@link StoredEntry}. Equal elements have equal references.
   */
  readonly reference: string;
  readonly serialized: Serialized;
}

/** The characters that a place in a list counts for. They are about half of the bytes that it takes. */
const PLACE_SIZE = 4;

/**
 * A version of a list. A version that only appends to another one shares that one's entries, so that appending to a long list
 * is fast.
 */
export class ListVersion {
  /** @param size The number of characters that this version adds to the memory, roughly. */
  private constructor(
    private readonly shared: Entry[],
    readonly length: number,
    readonly size: number,
  ) {}

  /** Makes the version that has the first entries of a base, and then others. */
  static of(base: ListVersion | undefined, kept: number, added: readonly Entry[]): ListVersion {
    const goesOn = base?.shared.length === kept;
    const entries = goesOn ? base.shared : (base?.shared.slice(0, kept) ?? []);
    let size = goesOn ? 0 : kept * PLACE_SIZE;
    for (const entry of added) {
      entries.push(entry);
      size += PLACE_SIZE + entry.reference.length + entry.serialized.content.length;
    }
    return new ListVersion(entries, kept + added.length, size);
  }

  /** Returns the entry at a place; undefined after the end. */
  at(index: number): Entry | undefined {
    return index < this.length ? this.shared[index] : undefined;
  }

  /** Returns all entries, in order. */
  entries(): Entry[] {
    return this.shared.slice(0, this.length);
  }
}
