import type { ReactNode } from "react";

/** A stretch of a text that is shown as an element in its place, or whose words are set apart. */
export type Mark = { readonly start: number; readonly end: number } & (
  | { readonly instead: ReactNode }
  | { readonly around: { readonly className: string; readonly title: string } }
);

const firstPrivateSign = 0xe000;

/**
 * A text in which each mark is a number between two signs that the text does not have. So Markdown can be read with the marks in
 * it, and they are found in its tokens. A mark in place of words keeps their brackets: they end emphasis like those in the text.
 */
export class MarkedText {
  readonly text: string;
  readonly #original: string;
  readonly #marks: readonly Mark[];
  readonly #pattern: RegExp;

  constructor(original: string, marks: readonly Mark[] = []) {
    const sign = unusedSign(original);
    this.#original = original;
    this.#marks = marks;
    this.#pattern = new RegExp(`\\[${sign}(\\d+)${sign}\\]|${sign}(\\d+)${sign}`, "g");
    const edits = marks.flatMap((mark, index): Edit[] => {
      const code = `${sign}${index}${sign}`;
      const { start, end } = mark;
      if (!(start >= 0 && start < end && end <= original.length)) return [];
      if ("instead" in mark) return [{ at: start, to: end, code: original[start] === "[" ? `[${code}]` : code }];
      return [start, end].map((at) => ({ at, to: at, code }));
    });
    this.text = edited(original, edits);
  }

  /** Tells whether a piece of the text has marks. */
  isIn(piece: string): boolean {
    return piece.search(this.#pattern) >= 0;
  }

  /** Splits a piece of the text at its marks. */
  split(piece: string): (string | Mark)[] {
    const parts: (string | Mark)[] = [];
    let at = 0;
    for (const found of piece.matchAll(this.#pattern)) {
      const mark = this.#markOf(found[1] ?? found[2]);
      parts.push(piece.slice(at, found.index), ...(mark ? [mark] : []));
      at = found.index + found[0].length;
    }
    return [...parts, piece.slice(at)].filter((part) => part !== "");
  }

  /** Returns a piece of the text as it was without marks. */
  plain(piece: string): string {
    return piece.replace(this.#pattern, (_, first?: string, second?: string) => {
      const mark = this.#markOf(first ?? second);
      return mark && "instead" in mark ? this.#original.slice(mark.start, mark.end) : "";
    });
  }

  #markOf(index: string | undefined): Mark | undefined {
    return this.#marks[Number(index)];
  }
}

interface Edit {
  readonly at: number;
  readonly to: number;
  readonly code: string;
}

/** Puts codes in a text. What overlaps what was put in before it is left out. */
function edited(text: string, edits: readonly Edit[]): string {
  let done = "";
  let from = 0;
  for (const { at, to, code } of edits.toSorted((one, other) => one.at - other.at)) {
    if (at < from) continue;
    done += text.slice(from, at) + code;
    from = to;
  }
  return done + text.slice(from);
}

function unusedSign(text: string): string {
  let code = firstPrivateSign;
  while (text.includes(String.fromCharCode(code))) code += 1;
  return String.fromCharCode(code);
}
