import type { Decision } from "../../turn/decision.js";
import type { AgentStateUpdate } from "../../turn/state.js";
import { DirectRunnable } from "./direct-runnable.js";

/** Where a turn goes after `parse`, by what it wrote: each kind of decision has its own way. */
export const afterParse = new DirectRunnable(
  "afterParse",
  ({ decision }: Pick<AgentStateUpdate, "decision">): Decision["kind"] => {
    if (!decision) throw new Error("parse always leaves a decision");
    return decision.kind;
  },
);

/** Where a turn goes after `act`, by what it wrote: on with what was observed, or to its end when a tool gave the answer. */
export const afterAct = new DirectRunnable(
  "afterAct",
  ({ stopReason }: Pick<AgentStateUpdate, "stopReason">): "observed" | "returned" =>
    stopReason === "returned" ? "returned" : "observed",
);
