import { placeOf } from "../reading/sections/held-signs.js";

/** Marks that may open an action: white space, a fence with its language, emphasis, a bracket. */
const openMarks = /\s*(?:(?:```|''')\w{0,12})?[\s*`'[<]*$/;

/** The words of a reply, up to the first sign that may begin something else. */
export class ReplyWords {
  /** Tells whether no words come any more. */
  isOver = false;
  /** The place from which the reply may be no words. */
  limit = 0;
  #shown = 0;
  #hasShown = false;

  constructor(private readonly signs: RegExp) {}

  /** Takes the reply so far. Returns the new words before a place. */
  push(reply: string, end = reply.length): string {
    if (this.isOver) return "";
    this.limit = placeOf(this.signs, reply, this.limit);
    const written = reply.slice(this.#shown, Math.max(this.#shown, Math.min(end, this.limit)));
    const start = this.#hasShown ? 0 : written.length - written.trimStart().length;
    const words = written.slice(start).replace(openMarks, "");
    this.#hasShown ||= words !== "";
    this.#shown += start + words.length;
    return words;
  }

  /** Leaves out what comes before a place. */
  skip(place: number): void {
    this.#shown = Math.max(this.#shown, place);
    this.limit = Math.max(this.limit, place);
  }
}
