import { z } from "zod";
import { InvalidOptionError } from "../../base/errors.js";

/**
 * What an option of the caller's own making returned: from here on it is the thread's state.
 *
 * @param option The option, and which of its methods it was: `"memory"`, `"remember"`.
 * @throws InvalidOptionError when it is of another shape than the state's.
 */
export function checkedResult<T>(option: string, method: string, schema: z.ZodType<T>, result: unknown): T {
  const checked = schema.safeParse(result);
  if (checked.success) return checked.data;
  throw new InvalidOptionError(
    option,
    `its ${method} did not return what it should. ${z.prettifyError(checked.error).replaceAll(/\s+/g, " ")}`,
  );
}
