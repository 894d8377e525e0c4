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
