import { z } from "zod";
import { headingsCell } from "./headings-cell.js";

// The rows that both databases give for the same questions.

export const documentRow = z.object({
  path: z.string(),
  modified: z.number(),
  size: z.number(),
  skipped: z.string().nullable(),
});
export const skippedRow = z.object({ path: z.string(), skipped: z.string() });
export const idRow = z.object({ id: z.number() });
export const countRow = z.object({ count: z.number() });
export const foundRow = z.object({
  id: z.number(),
  document: z.number(),
  section: z.number(),
  path: z.string(),
  title: z.string(),
  headings: headingsCell,
  text: z.string(),
  score: z.number(),
});
export const textRow = z.object({ id: z.number(), text: z.string() });
