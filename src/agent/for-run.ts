import { z } from "zod";
import { isClass } from "../base/describe-value.js";

/** The schema of an option that may be a function of the run. `factories` make such a value, so that none of them is one. */
export function forRun(schema: z.ZodType, factories: Readonly<Record<string, unknown>> = {}): z.ZodType {
  return z.unknown().superRefine((value, { addIssue }) => {
    if (typeof value === "function" && !isClass(value) && !Object.values(factories).includes(value)) return;
    const { error } = schema.safeParse(value);
    for (const { message, path } of error?.issues ?? []) addIssue({ code: "custom", message, path });
  });
}
