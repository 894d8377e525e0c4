/** How the process ends: 130 is what shells expect of a program that Ctrl-C stopped (128 + SIGINT). */
export const exitCodes = { answered: 0, failed: 1, wrongUse: 2, interrupted: 130 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
