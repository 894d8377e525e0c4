import type { Readable, Writable } from "node:stream";

/** A stream that may be a terminal. */
export type Input = Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown; fd?: number };
export type Output = Writable & { isTTY?: boolean; columns?: number };

/** The streams and variables of a command: those of `process`, or a test's. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** The variables: those of the config file, of `.env`, and of the process. Later ones win. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The names of the variables that come from `.env`; none by default. */
  readonly fileVariables?: ReadonlySet<string>;
  /** The names of the variables that come from the config file; none by default. */
  readonly configVariables?: ReadonlySet<string>;
  /** Reads the file `.env` of the working folder; a program without it reads none. */
  readonly dotEnv?: () => string;
  /** The words that start the program; `glassloop` by default. */
  readonly program?: string;
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
export function frontOf({ stdout, stderr, program = "glassloop" }: Pick<Io, "stdout" | "stderr" | "program">): Front {
  return { resume: `${program} chat`, steps: stdout.isTTY ? stdout : stderr };
}
