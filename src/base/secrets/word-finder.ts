/** Finds many words in texts. The time grows with the text, and hardly with the number of words. */
export class WordFinder {
  readonly #words: readonly string[];
  readonly #longest: number;
  /** The first two characters of each word. Most places of a text have others. */
  readonly #beginnings = new Set<number>();

  /** @param words Words of at least two characters. */
  constructor(words: Iterable<string>) {
    // Sorted, the words that begin like a text stand before it, side by side.
    this.#words = [...new Set(words)].sort();
    this.#longest = Math.max(...this.#words.map(({ length }) => length));
    for (const word of this.#words) this.#beginnings.add(pairAt(word, 0));
  }

  /**
   * Puts a mark in the place of each word. Of several words at one place, the longest counts.
   *
   * @param end The place from which no word may begin. Default: the end of the text.
   * @returns The text before that place with marks, and the place at which the rest of the given text begins.
   */
  replace(text: string, mark: string, end = text.length): { readonly replaced: string; readonly rest: number } {
    let replaced = "";
    let kept = 0;
    let place = 0;
    while (place < end) {
      const word = this.#beginnings.has(pairAt(text, place)) ? this.#wordAt(text, place) : undefined;
      if (word !== undefined) {
        replaced += text.slice(kept, place) + mark;
        kept = place + word.length;
      }
      place += word?.length ?? 1;
    }
    return { replaced: replaced + text.slice(kept, place), rest: place };
  }

  /** Returns the place from which the end of a text may be the beginning of a word; its length if there is none. */
  unfinished(text: string): number {
    for (let place = Math.max(0, text.length - this.#longest + 1); place < text.length; place += 1) {
      const end = text.slice(place);
      if (this.#words[this.#upTo(end)]?.startsWith(end)) return place;
    }
    return text.length;
  }

  #wordAt(text: string, place: number): string | undefined {
    let rest = text.slice(place, place + this.#longest);
    while (rest.length > 1) {
      const word = this.#words[this.#upTo(rest) - 1] ?? "";
      if (rest.startsWith(word)) return word || undefined;
      rest = rest.slice(0, sameCharacters(rest, word));
    }
    return undefined;
  }

  /** Returns the number of words that are not after a text in the order of words. */
  #upTo(text: string): number {
    let [low, high] = [0, this.#words.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#words[middle] ?? "") <= text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function pairAt(text: string, place: number): number {
  return text.charCodeAt(place) * 65_536 + text.charCodeAt(place + 1);
}

/** Counts the characters with which both texts begin. */
function sameCharacters(one: string, other: string): number {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count += 1;
  return count;
}
