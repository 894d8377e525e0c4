import { z } from "zod";
import { addModels, modelsSchema } from "./usage.js";

export const timesSchema = z.object({ at: z.string(), ms: z.number() });

/** When work began, by the clock on the wall (ISO 8601, UTC), and the milliseconds that it took, by one that nobody sets. */
export interface Times extends z.infer<typeof timesSchema> {}

/** Begins to take the time. Returns a function that tells the times so far. */
export function takeTime(at = new Date().toISOString()): () => Times {
  const begun = performance.now();
  return () => ({ at, ms: Math.round(performance.now() - begun) });
}

export const askedSchema = z.object({
  times: timesSchema.extend({ firstMs: z.number().optional(), tries: z.int().optional() }),
  usage: modelsSchema,
});

/**
 * The asking of models for a reply, with all tries. `at` is the time of the first try. `firstMs` are the milliseconds until the first
 * word; they are left out if the reply came in one piece. `tries` is left out if there was one. `usage` is the cost by the
 * names of the models.
 */
export interface Asked extends z.infer<typeof askedSchema> {}

/** Adds the asking that came after another one for the same reply. */
export function joinAsked(before: Asked | undefined, next: Asked): Asked {
  if (before === undefined) return next;
  const { at, ms, tries = 1 } = before.times;
  const { firstMs, tries: more = 1 } = next.times;
  return {
    times: {
      at,
      ms: ms + next.times.ms,
      ...(firstMs !== undefined && { firstMs: ms + firstMs }),
      tries: tries + more,
    },
    usage: addModels(before.usage, next.usage),
  };
}
