import type { Readable, Writable } from "node:stream";

/** A stream that may be a terminal. */
export type Input = Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown; fd?: number };
export type Output = Writable & { isTTY?: boolean; columns?: number };

/** The streams and variables of a command: those of `process`, or a test's. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** The variables: those of `glassloop.json`, of `.env`, and of the process. Later ones win. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The names of the variables that come from a file of the working folder, with the file; none by default. */
  readonly fileVariables?: ReadonlyMap<string, string>;
  /** Reads a file of the working folder; empty if there is none. A program without it reads none. */
  readonly fileInFolder?: (name: string) => string;
  /** The words that start the program; `glassloop` by default. */
  readonly program?: string;
}
