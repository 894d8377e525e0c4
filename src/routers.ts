import type { Decision } from "./decision.js";
import { DirectRunnable } from "./direct-runnable.js";
import type { AgentStateValues } from "./state.js";

/** Where a turn goes after `parse`: each kind of decision has its own way. */
export const afterParse = new DirectRunnable("afterParse", ({ decision }: AgentStateValues): Decision["kind"] => {
  if (decision === null) throw new Error("parse always leaves a decision");
  return decision.kind;
});

/** Where a turn goes after `act`: on with what was observed, or to its end when a tool gave the answer. */
export const afterAct = new DirectRunnable("afterAct", ({ stopReason }: AgentStateValues): "observed" | "returned" =>
  stopReason === "returned" ? "returned" : "observed",
);
