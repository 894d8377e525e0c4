import { z } from "zod";
import { sourceSchema } from "./source.js";
import { timesSchema } from "./times.js";

/**
 * One search of a turn: a query, the retriever that was asked, and the number of passages that it found. `error` has the
 * words of a retriever that failed, and `notSearched` says what it did not look at, and why. A thread of before has no `times`.
 */
const searchedSchema = z.object({
  retriever: z.string(),
  query: z.string(),
  found: z.number(),
  error: z.string().optional(),
  notSearched: z.string().optional(),
  times: timesSchema.optional(),
});

export const retrievalSchema = z.object({
  earlier: z.number().default(0),
  passages: z.array(z.number()).default([]),
  retrievers: z.array(z.string()).default([]),
  severalSearches: z.boolean().default(false),
  queries: z.array(z.string()).default([]),
  searched: z.array(searchedSchema).default([]),
  rounds: z.number().default(0),
  rewrites: z.number().default(0),
  graded: z.number().default(0),
  leftOut: z.array(sourceSchema).default([]),
  usedFallback: z.boolean().default(false),
  notes: z.array(z.string()).nullable().default(null),
  draft: z.string().default(""),
  refined: z.number().default(0),
  checks: z.number().default(0),
  complaint: z.string().default(""),
});

/**
 * The work of a retrieval agent in a turn. The passages that it found are in `sources`. All counters begin at 0.
 *
 * - `earlier`: the number of sources of earlier turns. `passages`: the places in `sources` of the passages of this turn.
 * - `retrievers`: the names of the retrievers to ask. There are none if the question needs no documents.
 * - `severalSearches`: true if the question may need more than one search (the option `adaptive`).
 * - `queries`: the queries of the next search. `searched`: the searches so far.
 * - `rounds`: the number of times in which passages were searched for.
 * - `rewrites`: the number of times in which the question was written anew.
 * - `graded`: the number of passages, from the first, that were graded and kept. `leftOut`: those that were graded and dropped.
 * - `usedFallback`: true if the fallback retriever was asked.
 * - `notes`: what the model wrote about each of these passages, for an answer that is made of such notes.
 * - `draft`: the answer from the first `refined` passages, for an answer that is refined with each passage.
 * - `checks`: the number of answers that were checked. `complaint`: what is not right in the newest one; empty if it is right.
 */
export interface Retrieval extends Readonly<z.infer<typeof retrievalSchema>> {}
export type Searched = Retrieval["searched"][number];

/** The state at the beginning of a turn, when no retriever was asked. */
export const noRetrieval: Retrieval = retrievalSchema.parse({});
