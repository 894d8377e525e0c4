import { z } from "zod";
import { give } from "../base/options.js";

/** The longest time that a timer can have. */
const ANY_TIME_MS = 2_147_483_647;

const range = give(`a whole number of milliseconds from 1 to ${ANY_TIME_MS}`);
const limit = z.int(range).min(1, range).max(ANY_TIME_MS, range);

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
