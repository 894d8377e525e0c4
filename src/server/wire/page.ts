import type { Context } from "hono";

/** The most bytes of a list, unless its client says another number. */
export const MOST_BYTES = 4_000_000;

/** A part of a list, as JSON: at least one item of it, as far as the limits go. */
export class Page {
  readonly #items: string[] = [];
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
  add(json: string): boolean {
    const bytes = Buffer.byteLength(json) + 1;
    const count = this.#items.length;
    this.#isCut = count >= this.most || (count > 0 && this.#bytes + bytes > this.mostBytes);
    if (this.#isCut) return false;
    this.#items.push(json);
    this.#bytes += bytes;
    return true;
  }

  /** Answers with the items. A header says where the next page begins, if there is one. */
  answer(context: Context, order: "as-added" | "reversed" = "as-added"): Response {
    const items = order === "reversed" ? this.#items.toReversed() : this.#items;
    return context.body(`[${items.join(",")}]`, 200, {
      "Content-Type": "application/json",
      ...(this.#isCut && this.next && { "X-Pagination-Next": this.next }),
    });
  }
}
