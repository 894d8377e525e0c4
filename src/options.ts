import { InvalidOptionError } from "./errors.js";

/**
 * Checks an option that counts something.
 *
 * @throws InvalidOptionError when the value is not a whole number of at least 1.
 */
export function positiveInteger(option: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new InvalidOptionError(option, `${String(value)} is not possible; give a whole number of at least 1.`);
  }
}
