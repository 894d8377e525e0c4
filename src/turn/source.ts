import { z } from "zod";
import type { ActionResult } from "./decision.js";

/**
 * The schema of the place of something that a tool found. People can follow it, and answers can cite it. `address` is an
 * address on the web, or a path below the folder of documents. `passage` is the text that was found there.
 */
export const sourceSchema = z.object({ title: z.string(), address: z.string(), passage: z.string().optional() });
export type Source = Readonly<z.infer<typeof sourceSchema>>;

const artifactSchema = z.object({ sources: z.array(sourceSchema) });

/** An artifact by which a tool names its sources, as `web_search` and `document_search` do. Any tool may have one. */
export interface SourcesArtifact {
  readonly sources: readonly Source[];
}

/** Adds the sources that the artifacts of results name. Each passage of a place is there once. */
export function addSources(known: readonly Source[], results: readonly Pick<ActionResult, "artifact">[]): Source[] {
  const named = results.flatMap(({ artifact }) => artifactSchema.safeParse(artifact).data?.sources ?? []);
  const seen = new Set<string>();
  return [...known, ...named].filter((source) => {
    const place = JSON.stringify([source.address, source.passage]);
    return !seen.has(place) && seen.add(place);
  });
}
