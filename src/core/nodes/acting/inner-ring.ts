import { isDeepStrictEqual } from "node:util";
import { ToolMessage } from "@langchain/core/messages";
import type { CallTool, Plugin, ToolRequest } from "../../parts/plugin.js";
import { metadataOf } from "../../parts/tool-metadata.js";
import type { AgentTool } from "../../parts/tools.js";
import * as seams from "../../seams/seams.js";

/** What the inner ring of a call needs beside the call. */
interface Ring {
  readonly plugins: readonly Plugin[];
  /** True if the call was judged, by a person, a policy or a plug-in. */
  readonly isJudged: boolean;
  /** Called right before a tool is called. Its promise is awaited. */
  readonly onCall: (tool: AgentTool) => Promise<void>;
}

/**
 * Puts a ring around the tool of a call, inside of all that wraps the call. So it holds whatever a wrapper does:
 *
 * - Nothing is called that nobody approved. A wrapper may change the call only if nobody judges it, before and after.
 * - A tool with effects is called once. A wrapper that calls it again gets what the call gave, or its error.
 */
export function innerRing(decided: ToolRequest, { plugins, isJudged, onCall }: Ring, call: CallTool): CallTool {
  let first: { readonly request: ToolRequest; readonly made: Promise<unknown> } | undefined;
  const make = async (request: ToolRequest): Promise<unknown> => {
    await onCall(request.tool);
    return call(request);
  };
  return async (request) => {
    request.config.signal?.throwIfAborted();
    const { tool } = request;
    const isSame = isSameCall(request, decided) && decided.action.approved !== false;
    if (!isSame && (isJudged || seams.judges(plugins, tool))) return refused(request, changedCall);
    const { effects, idempotent } = metadataOf(tool);
    if (!effects || idempotent) return make(request);
    first ??= { request, made: make(request) };
    return isSameCall(request, first.request) ? first.made : refused(request, secondCall);
  };
}

function isSameCall(one: ToolRequest, other: ToolRequest): boolean {
  return one.tool === other.tool && isDeepStrictEqual(one.toolCall.args, other.toolCall.args);
}

const changedCall = "A part of this agent changed the call after it was decided, so that it is not what was approved.";
const secondCall = "It has effects, and was called with another input already.";

function refused({ tool: { name }, toolCall: { id } }: ToolRequest, why: string): ToolMessage {
  return new ToolMessage({ tool_call_id: id, name, content: `${name} was not run. ${why}`, status: "error" });
}
