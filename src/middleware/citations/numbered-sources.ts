import { z } from "zod";
import type { ActionResult } from "../../core/state/decision.js";
import { placeOf, type Source, sourceSchema } from "../../core/state/source.js";
import { renumber } from "./check-citations.js";

/** What a tool call brought that may name sources. */
type Found = Pick<ActionResult, "observation" | "content" | "artifact">;

const artifactSchema = z.object({ sources: z.array(sourceSchema), cited: z.boolean().optional() });

/**
 * Adds the sources that results name to those of the conversation. Each passage of a place is there once. Its number is its place
 * in the list, from 1. The observations and the blocks of text show these numbers: a tool counts its own from 1.
 *
 * - A search shows a line such as `[1] cats.md` above each passage. Only these lines change, and no words in a passage.
 * - An agent cites its sources in its answer (`cited`).
 */
export function numberSources<Result extends Found>(
  known: readonly Source[],
  results: readonly Result[],
): { readonly sources: Source[]; readonly results: readonly Result[] } {
  const sources = [...known];
  const numbers = new Map(sources.map((source, n) => [placeOf(source), n + 1]));
  const numberOf = (source: Source) => {
    const number = numbers.get(placeOf(source)) ?? sources.push(source);
    numbers.set(placeOf(source), number);
    return number;
  };
  const numbered = results.map((result) => {
    const { sources: named = [], cited } = artifactSchema.safeParse(result.artifact).data ?? {};
    const all = named.map(numberOf);
    if (all.every((number, n) => number === n + 1)) return result;
    const numbered = (text: string) => (cited ? renumber(text, all) : withLabels(text, named, all));
    const content = result.content?.map((block) =>
      block.type === "text" && typeof block.text === "string" ? { ...block, text: numbered(block.text) } : block,
    );
    return { ...result, observation: numbered(result.observation), ...(content && { content }) };
  });
  return { sources, results: numbered };
}

/** Writes the numbers of passages into the lines above them. */
function withLabels(text: string, sources: readonly Source[], numbers: readonly number[]): string {
  let written = "";
  let from = 0;
  for (const [n, { passage = "" }] of sources.entries()) {
    const label = `[${n + 1}] `;
    const place = from === 0 && text.startsWith(label) ? 0 : text.indexOf(`\n\n${label}`, from) + 2;
    if (place === 1) continue;
    written += `${text.slice(from, place)}[${numbers[n]}] `;
    from = place + label.length;
    // A passage may have such a line, too.
    const line = text.indexOf("\n", from) + 1;
    if (line === 0 || !text.startsWith(passage, line)) continue;
    written += text.slice(from, line + passage.length);
    from = line + passage.length;
  }
  return written + text.slice(from);
}
