import { withNote } from "../../core/nodes/acting/outcomes.js";
import type { GivenReply, NextCall, Plugin, Said } from "../../core/parts/plugin.js";
import type { Reached } from "../../core/parts/reached.js";
import { metadataOf, polls } from "../../core/parts/tool-metadata.js";
import { isFollowed } from "../../core/state/decision.js";
import { cutReason, paused } from "../../provider-forms/finish-reason.js";
import { runView } from "../run-view.js";
import type { Limits, StepLimits } from "./limit-values.js";
import { limitOfConditions, limitOnActions, limitOnCall, limitOnSteps, timeLeft, turnSoFar } from "./reached-limits.js";
import { repeatNote } from "./repeats.js";

/** Makes the plug-in that ends a turn at its limits, and that tells a model of calls that it made before. */
export function limits(values: Limits): Plugin {
  const { steps, time, isForced } = values;
  const atLimit = (reached: Reached | undefined) => reached && { ...reached, ...(isForced && { isFinal: true }) };
  return {
    name: "limits",
    mostSteps: steps.maxSteps,
    beforeAsk: async (call) => atLimit(await limitBefore(values, call)),
    timeFor: ({ tool, ...now }) => {
      const left = timeLeft(values, turnSoFar(now), now);
      return tool ? Math.min(left, metadataOf(tool).timeoutMs ?? time.toolTimeoutMs) : left;
    },
    read: (read, given) => {
      const said = withinCalls(steps, read);
      const reached = atLimit(limitOnReply(steps, said, given));
      return reached ? { kind: "limit", ...reached } : said;
    },
    afterTools: ({ results, state, tools }) =>
      results.map((result) => {
        const isFree = polls(tools, result.action.tool);
        return isFree ? result : withNote(repeatNote(result, state.intermediateSteps), result);
      }),
  };
}

/** Finds the limit that keeps a turn from a call of a model. The conditions of the user count for the replies of steps. */
async function limitBefore(values: Limits, call: NextCall): Promise<Reached | undefined> {
  const turn = turnSoFar(call);
  const reached = limitOnCall(values, turn, call);
  const { step, config, isLast } = call;
  // A turn that is continued goes on, even if the condition is still met.
  const isContinued = step?.turn.continued !== undefined && turn.steps.length === 0;
  if (reached || isLast || isContinued || step === undefined) return reached;
  return limitOfConditions(values, runView(step, config));
}

/** Refuses a reply with too many calls. None of them is made. */
function withinCalls({ maxParallelCalls: most }: StepLimits, said: Said): Said {
  if (said.kind !== "action" || said.actions.length <= most) return said;
  const why = `It makes ${said.actions.length} tool calls at once, and none of them was made. Make at most ${most} in a reply.`;
  return { kind: "unparseable", why };
}

/** Finds the limit that keeps a turn from following a reply, or from asking for another one. */
function limitOnReply(limits: StepLimits, said: Said, given: GivenReply): Reached | undefined {
  const { reply, tools } = given;
  const turn = turnSoFar(given);
  if (reply.last) return undefined;
  if (said.kind === "action") return limitOnActions(limits, turn, said.actions, (name) => polls(tools, name));
  if (said.kind !== "unparseable" || cutReason(reply.finishReason) === "filtered") return undefined;
  const replies = turn.steps.length - turn.steps.findLastIndex(isFollowed);
  const isLast = replies >= limits.maxUnreadable || given.timesBefore + 1 >= mostTheSame;
  if (!isLast || reply.finishReason === paused) return limitOnSteps(limits, turn);
  return said.isAnswer ? invalidReplies(replies) : unreadableReplies(replies);
}

/** The number of times that a model may write the same unreadable reply. After that it would only repeat itself. */
const mostTheSame = 3;

function invalidReplies(replies: number): Reached {
  const why = `the model's last ${replies === 1 ? "reply was" : `${replies} replies were`} no answer in the required form`;
  return { stopReason: "invalid-output", why, isFinal: true };
}

function unreadableReplies(replies: number): Reached {
  const why = `the model's last ${replies === 1 ? "reply" : `${replies} replies`} could not be read`;
  return { stopReason: "unreadable", why };
}
