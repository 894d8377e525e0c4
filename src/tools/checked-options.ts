import type { z } from "zod";
import { InvalidOptionError } from "../errors.js";

/**
 * The options of a tool's factory with their defaults.
 *
 * @param factory Its name, for the error.
 * @throws {InvalidOptionError} naming the first option that cannot be.
 */
export function checkedOptions<Schema extends z.ZodType>(
  factory: string,
  schema: Schema,
  options: z.input<Schema>,
): z.output<Schema> {
  const checked = schema.safeParse(options);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const option = [factory, ...(issue?.path ?? [])].join(".");
  throw new InvalidOptionError(option, issue?.message ?? "this value is not possible.");
}
