import { z } from "zod";
import { leavesOf } from "../../threads/runs/index.js";

/** Metadata that a client gives: a database row for each value. */
export const metadata = withValues(100);

/** Metadata to search by. Each value is a condition, and Postgres takes seconds to plan a search with a hundred. */
export const metadataFilter = withValues(10);

function withValues(most: number) {
  return z
    .record(z.string(), z.unknown())
    .refine((given) => leavesOf(given).length <= most, `give at most ${most} values.`);
}
