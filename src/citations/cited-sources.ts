import type { CitedSource, Source } from "../turn/source.js";
import { checkCitations } from "./check-citations.js";

/** Returns the sources that an answer cites, in the order in which it does. */
export function citedSources(answer: string, sources: readonly Source[]): CitedSource[] {
  if (sources.length === 0) return [];
  return checkCitations(answer, sources).cited.flatMap((number) => {
    const source = sources[number - 1];
    return source === undefined ? [] : [{ number, ...placeOf(source) }];
  });
}

/** Returns the place of a source, without its text. */
function placeOf({ title, address, heading }: Source): Omit<CitedSource, "number"> {
  return { title, address, ...(heading !== undefined && { heading }) };
}
