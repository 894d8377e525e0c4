import type { Io } from "../io.js";
import { interruptible } from "../program/interruptible.js";
import { LineReader } from "../screen/line-reader.js";

/** Asks the person at the terminal a question that only "y" and "yes" confirm. */
export async function confirm(question: string, io: Io): Promise<"yes" | "no" | "interrupted"> {
  return interruptible(async (interrupted) => {
    using lines = new LineReader(io, question, interrupted);
    const line = await lines.next();
    if (lines.wasInterrupted) return "interrupted";
    return /^\s*y(es)?\s*$/i.test(line ?? "") ? "yes" : "no";
  });
}
