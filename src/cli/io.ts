import type { Readable, Writable } from "node:stream";

/** A stream that may be a terminal. */
export type Input = Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown };
export type Output = Writable & { isTTY?: boolean };

/** What a command reads from and writes to: `process`, or streams of a test. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How the entry points differ: `glassloop ask`, `glassloop chat` and `npm start`. */
export interface Front {
  /** The command that goes on with a thread. */
  readonly resume: string;
  /** Where the steps of a turn go. */
  readonly steps: Output;
}

/** The front of a command that prints an answer: its steps go where they do not get in the way of that. */
export function frontOf({ stdout, stderr }: Pick<Io, "stdout" | "stderr">): Front {
  return { resume: "glassloop chat", steps: stdout.isTTY ? stdout : stderr };
}
