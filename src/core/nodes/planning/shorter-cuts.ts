import type { ActionResult } from "../../state/decision.js";
import type { Shortened } from "../../state/prompt-record.js";

/** The part of the longest result that the next cut keeps. */
const keptShare = 0.7;
/** The smallest number of characters of a result that is cut. */
const fewest = 500;

/** Yields ever shorter cuts of the newest results, the longest first, for a prompt that has no room for them. */
export function* shorterCuts(
  results: readonly Pick<ActionResult, "action" | "observation">[],
  before: Shortened["cut"] = {},
): Generator<NonNullable<Shortened["cut"]>> {
  const lengths = results.map(({ action: { id }, observation }) =>
    Math.min(observation.length, before[id] ?? Infinity),
  );
  const longest = Math.max(0, ...lengths);
  for (let most = Math.floor(longest * keptShare); most >= fewest; most = Math.floor(most * keptShare)) {
    const cut = results.flatMap(({ action }, n) => ((lengths[n] ?? 0) > most ? [[action.id, most] as const] : []));
    yield { ...before, ...Object.fromEntries(cut) };
  }
}
