import { z } from "zod";
import { InvalidOptionError } from "../../base/errors.js";

/**
 * Checks the result of a function that the user gave as an option. The result becomes part of the state of the thread.
 *
 * @param option The name of the option, such as `"memory"`.
 * @param method The name of its method, such as `"remember"`.
 * @throws InvalidOptionError when the result does not match the schema of the state.
 */
export function checkedResult<T>(option: string, method: string, schema: z.ZodType<T>, result: unknown): T {
  const checked = schema.safeParse(result);
  if (checked.success) return checked.data;
  throw new InvalidOptionError(
    option,
    `its ${method} returned a wrong value. ${z.prettifyError(checked.error).replaceAll(/\s+/g, " ")}`,
  );
}
