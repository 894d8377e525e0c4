import { DirectRunnable } from "../../langgraph/direct-runnable.js";
import type { Decision } from "../state/decision.js";
import type { AgentStateUpdate } from "../state/state.js";

/** The next edge of a turn after `parse`. Each kind of decision has its own edge. */
export const afterParse = new DirectRunnable(
  "afterParse",
  ({ decision }: Pick<AgentStateUpdate, "decision">): Decision["kind"] => {
    if (!decision) throw new Error("parse always leaves a decision");
    return decision.kind;
  },
);

/**
 * The next edge of a turn after `act`. A turn ends when a tool gave the answer. Otherwise it continues with the
 * observations.
 */
export const afterAct = new DirectRunnable(
  "afterAct",
  ({ stopReason }: Pick<AgentStateUpdate, "stopReason">): "observed" | "returned" =>
    stopReason === "returned" ? "returned" : "observed",
);
