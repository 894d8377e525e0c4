import { isRecord } from "../../base/is-record.js";
import { perObject } from "../../base/per-object.js";
import type { ActionResult, IntermediateStep, ParsedAction } from "../../core/state/decision.js";
import { toArguments } from "../../tool-inputs/tool-input.js";

/** The notes on a call that was made before in its turn. */
const notes = {
  same: "[You made this call before, with the same result. Do something else, or give the final answer.]",
  other: "[You made this call before. Its result has changed.]",
};

/** Returns the note on a call that was made before in the turn. */
export function repeatNote(
  { action, observation }: Pick<ActionResult, "action" | "observation">,
  steps: readonly IntermediateStep[],
): string | undefined {
  const before = resultsOf(steps).filter((result) => isSameCall(result.action, action));
  if (before.length === 0) return undefined;
  return notes[before.some((result) => result.observation === observation) ? "same" : "other"];
}

/**
 * Tells whether actions would loop: the last step only repeated earlier calls and got the same results, and these actions
 * only repeat calls, too. So one repeat is allowed. A new call in between, or a new result, is progress.
 *
 * @param steps The steps of the turn, without the actions.
 */
export function goesRound(steps: readonly IntermediateStep[], actions: readonly ParsedAction[]): boolean {
  const made = resultsOf(steps);
  if (!actions.every((action) => made.some((before) => isSameCall(before.action, action)))) return false;
  const last = steps.findLast(({ results }) => results.length > 0)?.results ?? [];
  const earlier = made.slice(0, made.length - last.length);
  return last.every(({ action, observation }) =>
    earlier.some((before) => isSameCall(before.action, action) && before.observation === observation),
  );
}

function resultsOf(steps: readonly IntermediateStep[]): ActionResult[] {
  return steps.flatMap(({ results }) => results);
}

/** Tells whether two calls are the same but for the case and the white space of their inputs. */
function isSameCall(one: ParsedAction, other: ParsedAction): boolean {
  return one.tool === other.tool && inputKey(one) === inputKey(other);
}

// Each step compares its calls with all before.
const inputKey = perObject(({ toolInput }: ParsedAction): string =>
  JSON.stringify(toArguments(toolInput), (_, value: unknown) => {
    if (typeof value === "string") return value.toLowerCase().replaceAll(/\s+/g, " ").trim();
    return isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  }),
);
