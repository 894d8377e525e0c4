import type { Plugin } from "../core/parts/plugin.js";
import { approvals } from "../middleware/approvals/approvals.js";
import { citations } from "../middleware/citations/citations.js";
import { copiedCalls } from "../middleware/copied-calls.js";
import type { Limits } from "../middleware/limits/limit-values.js";
import { limits } from "../middleware/limits/limits.js";
import { output } from "../middleware/output/output.js";
import type { OutputFormat } from "../middleware/output/output-format.js";
import { providerCalls } from "../middleware/provider-calls.js";
import { reasoning } from "../middleware/reasoning/reasoning.js";
import { tracing } from "../middleware/tracing/tracing.js";
import { unknownEnds } from "../middleware/unknown-ends.js";
import type { AgentOptions } from "./options.js";

/**
 * What plugs into the loop of an agent, from the outside in: ours, and what the user gave. `docs/decisions/0030-promises.md` says what the
 * order means at each seam.
 *
 * @param values The limits of a turn.
 * @param format The form of the answers, if they have one.
 */
export function pluginsOf(
  { middleware = [], approve = "never", taint }: Plugged,
  values: Limits,
  format?: OutputFormat,
): Plugin[] {
  return [
    // They look on, or add to what all others left.
    tracing,
    reasoning,
    providerCalls,
    citations,
    ...middleware,
    // A reply is read from the last one to the first: what is no call and no answer counts for a limit.
    limits(values),
    ...(format ? [output(format)] : []),
    copiedCalls,
    unknownEnds,
    // Nobody changes a call after a person decided about it.
    approvals(approve, taint === "approve"),
  ];
}

type Plugged = Pick<AgentOptions, "middleware" | "approve" | "taint">;
