import type { Context } from "hono";

/** The most bytes of a list of LangGraph's protocol, unless its client says another number; and about those of our own answers. */
export const mostBytes = { list: 4_000_000, answer: 256_000 } as const;

/** A part of a list: at least one item of it, as far as the limits go. */
export class Page<Item> {
  readonly items: Item[] = [];
  #bytes = 2;
  #isCut = false;
  /** What a client names to get the items after the last one that was added. */
  next: string | undefined;

  constructor(
    private readonly most: number,
    private readonly mostBytes: number,
  ) {}

  /** True if there are items after it. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Adds an item. Returns false if the page is full without it. */
  add(item: Item, bytes: number): boolean {
    const count = this.items.length;
    this.#isCut = count >= this.most || (count > 0 && this.#bytes + bytes > this.mostBytes);
    if (this.#isCut) return false;
    this.items.push(item);
    this.#bytes += bytes;
    return true;
  }
}

/** Answers with items that are JSON. A header says where the next page begins, if there is one. */
export function listAnswer(context: Context, { items, isCut, next }: Page<string>, order = "as-added"): Response {
  const shown = order === "reversed" ? items.toReversed() : items;
  return context.body(`[${shown.join(",")}]`, 200, {
    "Content-Type": "application/json",
    ...(isCut && next && { "X-Pagination-Next": next }),
  });
}
