import { GlassloopError } from "../../base/errors.js";

/**
 * The exit codes of the process. `waiting` is for a turn that waits for a person. Shells expect 130 (128 + SIGINT) from a
 * program that Ctrl-C stopped, and 143 (128 + SIGTERM) from one that was asked to end. A server whose steps in hand ended in
 * time ends with 0 then.
 */
export const exitCodes = {
  answered: 0,
  failed: 1,
  wrongUse: 2,
  waiting: 3,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The error for a command that was used in a wrong way. */
export class UsageError extends GlassloopError {
  constructor(problem: string, options?: ErrorOptions) {
    super("wrong-use", problem, options);
  }
}
