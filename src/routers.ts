import type { Decision } from "./decision.js";
import type { AgentStateValues } from "./state.js";

/** Where a turn goes after `parse`: each kind of decision has its own way. */
export function afterParse({ decision }: AgentStateValues): Decision["kind"] {
  if (decision === null) throw new Error("parse always leaves a decision");
  return decision.kind;
}

/** Where a turn goes after `act`: on with what was observed, or to its end when a tool gave the answer. */
export function afterAct({ stopReason }: AgentStateValues): "observed" | "returned" {
  return stopReason === "returned" ? "returned" : "observed";
}
