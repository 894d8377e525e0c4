import type { Readable, Writable } from "node:stream";

/** A stream that may be a terminal. */
export type Input = Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown };
export type Output = Writable & { isTTY?: boolean };

/** The streams and variables of a command: those of `process`, or a test's. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The differences between the entry points `glassloop ask`, `glassloop chat` and `npm start`. */
export interface Front {
  /** The command that goes on with a thread. */
  readonly resume: string;
  /** The stream for the steps of a turn. */
  readonly steps: Output;
}

/**
 * Returns the front of a command that prints an answer. If stdout is not a terminal, steps go to stderr, so that a pipe
 * gets only the answer.
 */
export function frontOf({ stdout, stderr }: Pick<Io, "stdout" | "stderr">): Front {
  return { resume: "glassloop chat", steps: stdout.isTTY ? stdout : stderr };
}
