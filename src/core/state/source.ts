import { z } from "zod";

/**
 * The schema of the place of something that a tool found. People can follow it, and answers can cite it. `address` is an
 * address on the web, or a path below the folder of documents. `heading` has the headings above the passage, joined by " > ".
 * `passage` is the text that was found there. `score` tells how well it fits what was looked for: higher is better.
 */
export const sourceSchema = z.object({
  title: z.string(),
  address: z.string(),
  heading: z.string().optional(),
  passage: z.string().optional(),
  score: z.number().optional(),
});
export type Source = Readonly<z.infer<typeof sourceSchema>>;

/** Names the place of a passage. A passage that is found several times is one source. */
export function placeOf({ address, passage }: Source): string {
  return JSON.stringify([address, passage]);
}

/** The schema of the place of a source that an answer cites. `number` is its number in the answer. */
export const citedSourceSchema = sourceSchema
  .pick({ title: true, address: true, heading: true })
  .extend({ number: z.int().min(1) });
export type CitedSource = Readonly<z.infer<typeof citedSourceSchema>>;

/**
 * An artifact by which a tool names its sources, as `web_search` and `document_search` do. Any tool may have one. The agent
 * numbers the sources of a conversation in their order. A line such as `[1] cats.md` above the first passage then shows its number.
 */
export interface SourcesArtifact {
  readonly sources: readonly Source[];
}
