import type { Reply } from "../../turn/decision.js";
import type { QuietCall } from "../../turn/quiet-call.js";
import { type AgentStateValues, turnId } from "../../turn/state.js";

/** A model call that left a reply, and the state from which its prompt was written. */
export type MadeCall = { readonly state: AgentStateValues } & (
  | { readonly reply: Reply }
  | { readonly quiet: QuietCall }
);

/**
 * Finds the model calls between two checkpoints of a thread, oldest first. A checkpoint may hold several: not every node
 * leaves one of its own.
 */
export function callsBetween(before: AgentStateValues | undefined, now: AgentStateValues): MadeCall[] {
  const earlier = before && turnId(before.turn) === turnId(now.turn) ? before : undefined;
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
  const known = new Set(earlier && repliesIn(earlier).map(nameOf));
  return repliesIn(now).flatMap((reply, n) => {
    if (known.has(nameOf(reply))) return [];
    const state = { ...(earlier ?? now), prompt, reply: newest, intermediateSteps: steps.slice(0, n) };
    return [{ reply, state }];
  });
}

function repliesIn({ intermediateSteps, reply: newest }: AgentStateValues): Reply[] {
  const replies = intermediateSteps.map(({ reply }) => reply);
  const isPending =
    newest !== null && wasAskedFor(newest) && !replies.some((reply) => nameOf(reply) === nameOf(newest));
  return isPending ? [...replies, newest] : replies;
}

/** Tells whether a model wrote a reply. At a limit none is asked, and a retrieval agent may take the reply from a note. */
function wasAskedFor({ last, protocol, model }: Reply): boolean {
  return last?.isAsked !== false && (protocol === undefined || model !== undefined);
}

/** Names a reply. One of an older Glassloop has no id. */
function nameOf({ id, text, toolCalls }: Reply): string {
  return id ?? JSON.stringify([text, toolCalls]);
}
