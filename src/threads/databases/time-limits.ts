import { z } from "zod";
import { give } from "../../base/options.js";

const limit = z
  .int(give("a whole number of milliseconds from 1 to 2147483647"))
  .min(1, give("a whole number of milliseconds from 1 to 2147483647"))
  .max(2_147_483_647, give("a whole number of milliseconds from 1 to 2147483647"));

/** The schema of the time limits, with their defaults. A call that meets all of them ends within half a minute. */
export const timeLimitsSchema = z.object({
  connectTimeoutMs: limit.default(10_000),
  lockTimeoutMs: limit.default(10_000),
  queryTimeoutMs: limit.default(15_000),
});

/** The time limits of a database on a server, in milliseconds. */
export type TimeLimits = z.output<typeof timeLimitsSchema>;

/** The usual limits. */
export const usualLimits: TimeLimits = timeLimitsSchema.parse({});
