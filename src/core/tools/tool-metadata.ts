import { z } from "zod";
import type { AgentTool } from "../parts/tools.js";
import { type DecisionType, decisionTypes } from "../state/decision-types.js";

const approveSchema = z.union([z.literal(true), z.array(z.enum(decisionTypes)).min(1)]);

const metadataSchema = z.object({
  effects: z.literal(true).optional().catch(undefined),
  untrusted: z.literal(true).optional().catch(undefined),
  approve: approveSchema.optional().catch(undefined),
  polls: z.literal(true).optional().catch(undefined),
  timeoutMs: z.number().positive().optional().catch(undefined),
});

type ToolMetadata = z.infer<typeof metadataSchema>;

/** The metadata that was read. It is asked for at every call, and a tool keeps its own. */
const read = new WeakMap<AgentTool, ToolMetadata>();

function metadataOf(tool: AgentTool): ToolMetadata {
  const known = read.get(tool);
  if (known) return known;
  const metadata = metadataSchema.catch({}).parse("metadata" in tool ? tool.metadata : undefined);
  read.set(tool, metadata);
  return metadata;
}

/** Tells whether a tool has `metadata: { effects: true }`. Calls of such a tool must not be repeated. */
export function hasEffects(tool: AgentTool): boolean {
  return metadataOf(tool).effects === true;
}

/** Tells whether a tool has `metadata: { polls: true }`: it may be called again and again, as it waits for something. */
export function isPolling(tool: AgentTool | undefined): boolean {
  return tool !== undefined && metadataOf(tool).polls === true;
}

/** Returns the time of a call in milliseconds that a tool has in `metadata: { timeoutMs: … }`. */
export function timeoutOf(tool: AgentTool): number | undefined {
  return metadataOf(tool).timeoutMs;
}

/**
 * Tells whether a tool has `metadata: { untrusted: true }`. It brings text from outside, such as pages and mails, which
 * may try to give orders. Others may have written its description, too.
 */
export function isUntrusted(tool: AgentTool): boolean {
  return metadataOf(tool).untrusted === true;
}

/**
 * Returns the decisions that are possible about the calls of a tool with `metadata: { approve: … }`. `approve` is
 * true, or a list of decisions. Returns undefined if the tool has none.
 */
export function possibleDecisions(tool: AgentTool): readonly DecisionType[] | undefined {
  const { approve } = metadataOf(tool);
  return approve === true ? decisionTypes : approve;
}
