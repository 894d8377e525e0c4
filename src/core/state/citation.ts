import { z } from "zod";

const place = z.int().min(0);

export const citedQuoteSchema = z.object({
  start: place,
  end: place,
  isFound: z.boolean(),
  foundIn: place.nullable(),
});

/**
 * Quoted words beside a citation. `start` and `end` are their place in the answer, as of `answer.slice(start, end)`,
 * with their marks. `isFound` tells whether they stand in a source that is cited beside them. `foundIn` is the place in `sources`
 * of the first source that has them; it is null if none has.
 */
export interface CitedQuote extends Readonly<z.infer<typeof citedQuoteSchema>> {}

export const citationSchema = z.object({
  number: z.int().min(1),
  start: place,
  end: place,
  source: place.nullable(),
  quotes: z.array(citedQuoteSchema),
});

/**
 * A citation in an answer. `[1, 3]` is two of them. `number` is the number that it names, `start` and `end` are the
 * place of its brackets in the answer. `source` is the place of its source in `sources`; it is null if no source has the number.
 * `quotes` are the quotes beside it that could be held against their sources.
 */
export interface Citation extends Readonly<z.infer<typeof citationSchema>> {}
