import { JsonReader } from "./calls/json-reader.js";

/** A list or an object of JSON in a text, with its place. */
export interface JsonPiece {
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
}

/** The largest number of opening signs to look at. */
const mostPieces = 40;

/**
 * Yields the lists and objects of JSON in a text, in their order. Small slips in them are mended.
 *
 * @param options.nested True to yield the pieces inside a piece, too. They come after it.
 */
export function* jsonPieces(text: string, { nested = false } = {}): Generator<JsonPiece> {
  const json = new JsonReader(text);
  let place = 0;
  for (let pieces = 0; pieces < mostPieces; pieces += 1) {
    const distance = text.slice(place).search(/[[{]/);
    if (distance < 0) return;
    const start = place + distance;
    const end = json.endOf(start);
    const value = end && json.read(text.slice(start, end));
    const isPiece = end !== undefined && value !== undefined;
    if (isPiece) yield { value, start, end };
    place = isPiece && !nested ? end : start + 1;
  }
}
