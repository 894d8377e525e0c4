import type { ActionResult } from "../core/state/decision.js";
import type { Shortened } from "../core/state/prompt-record.js";

type Cut = NonNullable<Shortened["cut"]>;

/** The smallest number of characters of a result that is cut. */
const fewest = 500;
/** The search ends when the longest cut is known to a few percent. */
const tries = 8;

/**
 * Finds the longest cut of the newest results with which a prompt fits. Only the longest of them are cut, all to one length.
 *
 * @param before The cuts of the prompt of the step before. They stay, or become shorter.
 * @param fits Tells whether the prompt fits with a cut.
 * @returns The cut. The prompt may be too long even so.
 */
export function longestCut(
  results: readonly Pick<ActionResult, "action" | "observation">[],
  before: Cut = {},
  fits: (cut: Cut) => boolean,
): Cut {
  const lengthOf = (id: string, text: string) => Math.min(text.length, before[id] ?? Infinity);
  const cutTo = (most: number) => {
    const longer = results.filter(({ action, observation }) => lengthOf(action.id, observation) > most);
    return { ...before, ...Object.fromEntries(longer.map(({ action }) => [action.id, most])) };
  };
  let [low, high] = [fewest, Math.max(fewest, ...results.map((result) => result.observation.length))];
  for (let n = 0; n < tries; n += 1) {
    const middle = Math.floor(Math.sqrt(low * high));
    if (fits(cutTo(middle))) low = middle;
    else high = middle;
  }
  return cutTo(low);
}
