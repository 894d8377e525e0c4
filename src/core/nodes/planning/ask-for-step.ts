import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { checkedResult } from "../../../base/options.js";
import { askForReply } from "../../model/ask-model.js";
import { isTooLong, refuses } from "../../model/failures.js";
import { emitPrompt, emitReply } from "../../model/prompt-events.js";
import { asTokensOf, estimatePrompt } from "../../model/tokens.js";
import { runOf } from "../../run/run.js";
import { runView } from "../../run/run-view.js";
import { imagesIn } from "../../state/content.js";
import { type Reply, replySchema } from "../../state/decision.js";
import { nothingShortened, type PromptRecord, promptDigest } from "../../state/prompt-record.js";
import { drawReplyId } from "../../state/reply-id.js";
import type { AgentStateValues } from "../../state/state.js";
import { replyStream } from "../reply-stream.js";
import { callTimeouts, isOutOfTime, lastCallAt, limitBefore } from "./last-reply.js";
import {
  fittingPrompt,
  type PreparedCall,
  prepareCall,
  type Step,
  shortenedBefore,
  withoutResponseFormat,
} from "./prepared-call.js";

/** The reply for a step, and what its prompt was made of. */
interface PlannedStep {
  readonly reply: Reply;
  readonly prompt: PromptRecord;
}

/**
 * Asks a model for the reply of a step. At a limit of the turn it is asked for the last one instead. A server may refuse a
 * part of the request: images, a response format, or a prompt that is too long. It is then asked again without that part.
 */
export async function askForStep(step: Step): Promise<PlannedStep> {
  const call = await prepareCall(step);
  const { model, config } = step;
  const inputTokens = () => asTokensOf(model.model, estimatePrompt(call.messages, call.tools));
  const reached = await limitBefore(step, inputTokens);
  if (reached && (step.last || step.agent.limits.isForced)) {
    const last = { ...(step.last ?? reached), isAsked: false };
    return { reply: { text: "", toolCalls: [], invalidToolCalls: [], id: drawReplyId(), last }, prompt: call.prompt };
  }
  if (reached) return askForStep({ ...step, last: lastCallAt(reached, step) });
  if (call.shortened !== shortenedBefore(step.state)) {
    const [observations, turns] = [call.shortened.observations.length, call.shortened.turns];
    runOf(config).emit({ type: "shortened", observations, turns, ...(step.tooLong && { why: step.tooLong }) });
  }
  return send(step, call);
}

const messagesSchema = z.array(z.custom<BaseMessage>(isBaseMessage)).min(1);

async function send(step: Step, call: PreparedCall): Promise<PlannedStep> {
  const { agent, protocol, model: named, state, config, last } = step;
  const { asked, tools, sendStop, prompt, shortened } = call;
  const view = runView(state, config);
  const { beforeModel, afterModel } = agent.hooks;
  const changed = await beforeModel?.({ messages: call.messages, model: named.name, ...view });
  const messages =
    changed === undefined ? call.messages : checkedResult("hooks", "beforeModel", messagesSchema, changed);
  let id = "";
  // Each try has an id of its own: chunks of the one before may have gone out.
  const begin = () => {
    id = drawReplyId();
    return replyStream(agent, protocol, { id, state }, config);
  };
  const options = { asked, tools, stop: protocol.stop ?? [], sendStop, begin };
  const origin = { purpose: "reply", model: named.name } as const;
  emitPrompt(config, { ...origin, messages, stop: prompt.stop, tools: call.specs });
  const limits = { ...agent.models.limits, timeouts: callTimeouts(step) };
  try {
    const arrived = await askForReply(messages, options, { model: named, limits, config });
    const other = await afterModel?.({ reply: arrived, ...view });
    const reply = other === undefined ? arrived : checkedResult("hooks", "afterModel", replySchema, other);
    emitReply(config, { ...origin, text: reply.text, toolCalls: reply.toolCalls });
    const sha256 = promptDigest(messages, prompt);
    const kept = { protocol: protocol.name, model: named.name, id, sha256, ...(last && { last }) };
    return { reply: { ...reply, ...kept, ...(shortened !== nothingShortened && { shortened }) }, prompt };
  } catch (error) {
    return askAgain(step, call, error);
  }
}

/** Asks again after a failure that another request may avoid. Throws all other failures. */
async function askAgain(
  step: Step,
  { output, images, prompt, room, messages, shortened }: PreparedCall,
  error: unknown,
) {
  if (isOutOfTime(step, error)) return askForStep(step);
  if (output.options && refuses("response-format", error)) {
    withoutResponseFormat.add(step.model.model);
    return askForStep(step);
  }
  if (images && showsImages(step.state) && refuses("images", error))
    return askForStep({ ...step, withoutImages: true });
  if (step.tooLong !== undefined || !isTooLong(error)) throw error;
  room.learn(error, messages);
  const again = fittingPrompt(step, prompt, room).shortened;
  if (JSON.stringify(again) === JSON.stringify(shortened)) throw error;
  return askForStep({ ...step, tooLong: error.message });
}

function showsImages({ intermediateSteps }: AgentStateValues): boolean {
  return intermediateSteps.some(({ results }) => results.some(({ content }) => imagesIn(content).length > 0));
}
