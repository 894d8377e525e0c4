import { GlassloopError } from "../../base/errors.js";

/**
 * How the process ends: 130 is what shells expect of a program that Ctrl-C stopped (128 + SIGINT), 143 of one that was asked
 * to end (128 + SIGTERM).
 */
export const exitCodes = { answered: 0, failed: 1, wrongUse: 2, interrupted: 130, terminated: 143 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The command was used in a way that it cannot be. */
export class UsageError extends GlassloopError {}
