import { z } from "zod";
import { type DecisionType, decisionTypes } from "../../turn/decision-types.js";
import type { AgentTool } from "./tool-spec.js";

const effectsSchema = z.object({ metadata: z.object({ effects: z.literal(true) }) });

/** Tells whether a tool has the mark `metadata: { effects: true }`. Calls of such a tool must not be repeated. */
export function hasEffects(tool: AgentTool): boolean {
  return effectsSchema.safeParse(tool).success;
}

const approveSchema = z.object({
  metadata: z.object({ approve: z.union([z.literal(true), z.array(z.enum(decisionTypes)).min(1)]) }),
});

/**
 * Returns the decisions that are possible about the calls of a tool with the mark `metadata: { approve: … }`. The mark is
 * true, or a list of decisions. Returns undefined if the tool has no such mark.
 */
export function possibleDecisions(tool: AgentTool): readonly DecisionType[] | undefined {
  const { data } = approveSchema.safeParse(tool);
  return data?.metadata.approve === true ? decisionTypes : data?.metadata.approve;
}
