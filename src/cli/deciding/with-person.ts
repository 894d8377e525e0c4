import type { Io } from "../io.js";
import { interruptible } from "../program/interruptible.js";
import { LineReader } from "../screen/line-reader.js";
import type { Answerer } from "./answerer.js";
import { Person } from "./person.js";

/**
 * Runs an action that Ctrl-C stops, with the person at the terminal. There is none if stdin is not a terminal: what it
 * holds was meant for something else.
 */
export function withPerson<T>(
  io: Io,
  run: (person: Answerer | undefined, interrupted: AbortSignal) => Promise<T>,
): Promise<T> {
  return interruptible(async (interrupted) => {
    if (!io.stdin.isTTY) return run(undefined, interrupted);
    using lines = new LineReader(io, "", interrupted);
    return await run(new Person(lines, io), interrupted);
  });
}
