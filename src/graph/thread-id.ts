import { ThreadError } from "../base/errors.js";

const LONGEST = 255;
// Some databases end a text at a NUL, or refuse half a character. They would keep a different id.
const unstorable = /\0|\p{Surrogate}/u;

/**
 * Checks the id of a thread.
 *
 * @returns The id.
 * @throws ThreadError "invalid-thread-id" if it is not a string of 1 to 255 characters that every database can keep.
 */
export function checkThreadId(id: unknown): string {
  const refuse = (why: string) => new ThreadError("invalid-thread-id", typeof id === "string" ? id : "", why);
  if (typeof id !== "string") throw refuse(`it is ${describe(id)}`);
  if (id === "") throw refuse("it is empty");
  if (id.length > LONGEST) throw refuse(`it has ${id.length} characters`);
  if (unstorable.test(id)) throw refuse("it holds a NUL or half a character");
  return id;
}

function describe(id: unknown): string {
  if (id === undefined) return "missing";
  if (id === null) return "null";
  return Array.isArray(id) ? "a list" : `of type ${typeof id}`;
}
