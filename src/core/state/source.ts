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
