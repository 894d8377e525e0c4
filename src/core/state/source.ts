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

/** The place before a bracket that begins a line of its own as in `[2] bank.md`, also below signs of Markdown. */
const label =
  /(?<=(?:^|[\v\f\u0085])[>*_#+•\t\p{Zs}-]{0,20}\\*)(?=\[[\p{Zs}\p{DI}]{0,9}\p{Nd}{1,3}[\p{Zs}\p{DI}]{0,9}\])/gmu;

/**
 * Writes a text of a source so that no line of it looks like the label of another source: `[2] bank.md` becomes `\[2] bank.md`. A tool
 * does so with the texts that it shows below its own labels. One backslash less gives the text as it was.
 */
export function withoutLabels(text: string): string {
  return text.replaceAll(label, "\\");
}
