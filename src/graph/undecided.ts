import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { ThreadError } from "../base/errors.js";
import { checkedOption, oneOf } from "../base/options.js";
import { type WhileWaiting, waysWhileWaiting } from "../core/run/keeper.js";
import type { Run } from "../core/run/run.js";
import { type AgentAction, agentActionSchema, type Decision, stopReasonSchema } from "../core/state/decision.js";
import { type OutsideText, outsideTextSchema } from "../core/state/outside.js";
import { drawReplyId } from "../core/state/reply-id.js";
import { nextNodes } from "../langgraph/pending-nodes.js";
import { askedIn, waitsForAnswer } from "../langgraph/pending-writes.js";
import { toArguments } from "../tool-inputs/tool-input.js";

/**
 * Decides about what waits for a person at the end of a thread, when a new question comes. The run tells what was dropped.
 *
 * @param usual What the agent does, unless its caller wants something else.
 * @returns Whether the calls are asked about again after the new turn.
 * @throws ThreadError "decision-missing"
 */
export function keepsUndecided(
  tuple: CheckpointTuple,
  { thread_id, while_waiting }: Readonly<Record<string, unknown>>,
  usual: WhileWaiting,
  run: Run,
): boolean {
  const way = checkedOption("whileWaiting", oneOf(waysWhileWaiting), while_waiting ?? usual);
  const writes = tuple.pendingWrites ?? [];
  if (nextNodes(tuple).length === 0 || !waitsForAnswer(writes)) return false;
  const asked = askedIn(writes).map(({ id: interrupt, value }) => ({ interrupt, value }));
  // A middleware asks before there are calls that could be asked about again.
  const canKeep = nextNodes(tuple).includes("act");
  if (way === "refuse" || (way === "keep" && !canKeep)) throw new ThreadError("decision-missing", String(thread_id));
  if (way === "drop") run.dropped = asked;
  return way === "keep";
}

const endedSchema = z.object({
  kept: z.array(agentActionSchema).min(1),
  stopReason: stopReasonSchema,
  outside: z.array(outsideTextSchema).nullish(),
});

/** Returns the calls that a thread keeps for a person. */
export function keptIn({ checkpoint }: CheckpointTuple): readonly AgentAction[] {
  return endedSchema.shape.kept.safeParse(checkpoint.channel_values.kept).data ?? [];
}

/** Returns the update with which a person is asked again about the calls that a thread keeps; undefined before its turn has ended. */
export function askedAgain(tuple: CheckpointTuple | undefined) {
  const ended = endedSchema.safeParse(tuple?.checkpoint.channel_values).data;
  if (tuple === undefined || ended === undefined || nextNodes(tuple).length > 0) return undefined;
  return { ...callsAfterTurn(ended.kept, ended.outside ?? []), kept: [] };
}

/**
 * Returns the update of a thread whose turn has ended, as the node `parse`, with which its next run makes calls. They are asked about,
 * noted and recorded like those of a model, and join the last turn. No model is asked, and the answer of the turn stays.
 */
export function callsAfterTurn(
  given: readonly Pick<AgentAction, "tool" | "toolInput">[],
  outside: readonly OutsideText[],
) {
  const id = drawReplyId();
  const actions = given.map((call, n) => {
    return { log: "", ...call, callId: undefined, id: `${id}-${n + 1}`, ordered: true as const };
  });
  const toolCalls = actions.map(({ id, tool: name, toolInput }) => ({ id, name, args: toArguments(toolInput) }));
  const tool_calls = toolCalls.map((call) => ({ ...call, type: "tool_call" }));
  return {
    messages: [{ type: "ai", id, content: "", tool_calls, response_metadata: { outside } }],
    reply: { id, text: "", toolCalls, invalidToolCalls: [] },
    decision: { kind: "action", actions } satisfies Decision,
  };
}
