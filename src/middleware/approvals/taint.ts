import { decisionTypes } from "../../core/state/decision-types.js";
import type { OutsideText } from "../../core/state/outside.js";
import type { RunView } from "../run-view.js";
import type { Approval } from "./judge-call.js";

/** Returns the check that asks about the calls of a tool with effects, once text from outside is in the thread. */
export function afterTaint(name: string): Approval {
  return async (_, view) => {
    const holds = outsideIn(view);
    return holds === undefined ? undefined : { why: `${name} has effects, and ${holds}`, allowed: [...decisionTypes] };
  };
}

/** Says that text from outside is in the thread; undefined if there is none. */
export function outsideIn({ state: { outside } }: Pick<RunView, "state">): string | undefined {
  if (outside === null || outside.length === 0) return undefined;
  return `the conversation holds text from outside, of ${inWords(outside)}. That text may contain orders.`;
}

/** The most sources that a person is told of. */
const mostTold = 3;

/** Writes the sources of text from outside, the first ones first. */
function inWords(outside: readonly OutsideText[]): string {
  const told = outside.slice(0, mostTold).map(({ source, since }) => `${source} (since ${minuteOf(since)})`);
  const more = outside.length - told.length;
  return [...told, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** Writes a time for people, such as `2026-11-25 18:55 UTC`. */
function minuteOf(time: string): string {
  return `${time.slice(0, "YYYY-MM-DDThh:mm".length).replace("T", " ")} UTC`;
}
