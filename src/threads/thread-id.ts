import { InvalidThreadIdError } from "../base/errors.js";

const LONGEST = 255;
// Some databases end a text at a NUL, or refuse half a character. They would keep a different id.
const unstorable = /\0|\p{Surrogate}/u;

/**
 * Checks the id of a thread.
 *
 * @returns The id.
 * @throws InvalidThreadIdError if it is not a string of 1 to 255 characters that every database can keep.
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
