import { z } from "zod";

export const sourceSchema = z.object({
  title: z.string(),
  address: z.string(),
  heading: z.string().optional(),
  passage: z.string().optional(),
  score: z.number().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

/**
 * A source: the place of something that a tool found, which people can open and answers can cite. `address` is
 * an address on the web, or a path below the folder of documents. `heading` has the headings above the passage, joined by " >
 * ". `passage` is the text that was found there. `score` tells how well it fits what was looked for: higher is better.
 * `metadata` has what a LangChain document says beside these, such as `loc.pageNumber`, and its `id`.
 */
export interface Source extends Readonly<z.infer<typeof sourceSchema>> {}

/** Names the place of a passage. A passage that is found several times is one source. */
export function placeOf({ address, passage }: Source): string {
  return JSON.stringify([address, passage]);
}

export const citedSourceSchema = sourceSchema
  .pick({ title: true, address: true, heading: true })
  .extend({ number: z.int().min(1) });

/** The place of a source that an answer cites. `number` is its number in the answer. */
export interface CitedSource extends Readonly<z.infer<typeof citedSourceSchema>> {}

/**
 * An artifact by which a tool names its sources, as `web_search` and `document_search` do. Any tool may have one. The agent
 * numbers the sources of a conversation in their order. A line such as `[1] cats.md` above the first passage then shows its number.
 */
export interface SourcesArtifact {
  readonly sources: readonly Source[];
  /** A sentence that says what was not searched, and why. */
  readonly notSearched?: string;
}

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
