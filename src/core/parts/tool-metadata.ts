import { z } from "zod";
import { isRecord } from "../../base/is-record.js";
import { perObject } from "../../base/per-object.js";
import type { AgentTool, Tools } from "./tools.js";

const flag = z.boolean().catch(false);

/**
 * What the `metadata` of a tool says to an agent.
 *
 * - `effects`: calls of the tool must not be repeated.
 * - `idempotent`: the same call may be tried again, although the tool has effects.
 * - `untrusted`: the tool brings text from outside, such as pages and mails, which may try to give orders. Others may have
 *   written its description, too.
 * - `fence`: false leaves every byte of what the tool returns in prompts. It is for a tool whose texts you trust.
 * - `polls`: the tool may be called again and again, as it waits for something.
 * - `timeoutMs`: the longest time of a call.
 */
const metadataSchema = z.object({
  effects: flag,
  idempotent: flag,
  untrusted: flag,
  fence: z.boolean().catch(true),
  polls: flag,
  timeoutMs: z.number().positive().optional().catch(undefined),
});
type ToolMetadata = z.infer<typeof metadataSchema>;

/** Returns what the `metadata` of a tool says to an agent. A value that it cannot have counts as left out. */
export const metadataOf = perObject(
  (tool: AgentTool): ToolMetadata =>
    metadataSchema.parse("metadata" in tool && isRecord(tool.metadata) ? tool.metadata : {}),
);

/** Tells whether the tool with a name may be called again and again. */
export function polls({ byName }: Pick<Tools, "byName">, name: string): boolean {
  const tool = byName.get(name);
  return tool !== undefined && metadataOf(tool).polls;
}
