import { quotedDigits } from "./digits.js";
import { type ErrorCode, hasCode } from "./errors.js";

/** Returns what an action returns; undefined if it throws. */
export function attempted<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** Makes the handler of a promise's failure that gives undefined for an error with a code, and throws all others. */
export function undefinedOn(code: ErrorCode) {
  return (error: unknown): undefined => {
    if (!hasCode(error, code)) throw error;
  };
}

/** Reads JSON; undefined if the text is none. An integer that a number cannot hold becomes the text of its digits. */
export function parsedJson(text: string): unknown {
  return attempted<unknown>(() => JSON.parse(quotedDigits(text)));
}
