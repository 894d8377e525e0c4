import type { Reply } from "../state/decision.js";
import type { PromptRecord } from "../state/prompt-record.js";
import type { QuietCall } from "../state/quiet-call.js";
import type { AgentStateValues } from "../state/state.js";

/** A model call that left a reply, and the state from which its prompt was written. */
export type MadeCall = { readonly state: AgentStateValues } & (
  | { readonly reply: Reply; readonly prompt: PromptRecord }
  | { readonly quiet: QuietCall }
);

/**
 * Finds the model calls between two checkpoints of a thread, oldest first. A checkpoint may hold several: not every node
 * leaves one of its own.
 */
export function callsBetween(before: AgentStateValues | undefined, now: AgentStateValues): MadeCall[] {
  const earlier = before?.turn.id === now.turn.id ? before : undefined;
  const quiet = now.quietCalls
    .slice(earlier?.quietCalls.length ?? 0)
    .map((call): MadeCall => ({ quiet: call, state: now }));
  const replies = repliesAfter(earlier, now);
  // A turn begins with its question, and its summary is written when it ends.
  return earlier ? [...replies, ...quiet] : [...quiet, ...replies];
}

/** The prompt of a reply shows the steps before it. All else in it stays the same during a turn, but not at its end. */
function repliesAfter(earlier: AgentStateValues | undefined, now: AgentStateValues): MadeCall[] {
  const { intermediateSteps: steps, prompt, reply: newest } = now;
  const known = new Set(earlier && repliesIn(earlier).map(({ id }) => id));
  return repliesIn(now).flatMap((reply, n) => {
    if (prompt === null || known.has(reply.id)) return [];
    const state = { ...(earlier ?? now), reply: newest, intermediateSteps: steps.slice(0, n) };
    return [{ reply, prompt, state }];
  });
}

function repliesIn({ intermediateSteps, reply: newest }: AgentStateValues): Reply[] {
  const replies = intermediateSteps.map(({ reply }) => reply);
  // No model wrote the reply at a limit, or one that a retrieval agent takes from a note.
  const isPending = newest?.model !== undefined && !replies.some(({ id }) => id === newest.id);
  return isPending ? [...replies, newest] : replies;
}
