import { InvalidThreadIdError } from "../base/errors.js";

const LONGEST = 255;
// A database that ends text at a NUL, or refuses half a character, would keep another id than it was given.
const unstorable = /\0|\p{Surrogate}/u;

/**
 * Checks the id of a thread.
 *
 * @throws InvalidThreadIdError when it is not a string of 1 to 255 characters that every database can keep.
 */
export function checkThreadId(id: unknown): string {
  if (typeof id !== "string") throw new InvalidThreadIdError(id, `it is ${describe(id)}`);
  if (id === "") throw new InvalidThreadIdError(id, "it is empty");
  if (id.length > LONGEST) throw new InvalidThreadIdError(id, `it has ${id.length} characters`);
  if (unstorable.test(id)) throw new InvalidThreadIdError(id, "it holds a NUL or half a character");
  return id;
}

function describe(id: unknown): string {
  if (id === undefined) return "missing";
  if (id === null) return "null";
  return Array.isArray(id) ? "a list" : `of type ${typeof id}`;
}
