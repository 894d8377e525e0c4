import type { Plugin } from "../core/parts/plugin.js";
import { metadataOf } from "../core/parts/tool-metadata.js";
import type { Outcome } from "../core/state/decision.js";
import { endingOf } from "../provider-forms/finish-reason.js";

/**
 * Keeps calls from being made that may not be whole: those of a reply whose finish reason nobody knows. They are asked for again, once
 * in a turn: the server that says the same again means an end with it. A call with effects is then decided on by a person, or
 * refused if nobody can be asked.
 */
export const unknownEnds: Plugin = {
  name: "unknown-ends",
  read: (said, { reply, state, tools, canAsk }) => {
    const { finishReason = "" } = reply;
    if (said.kind !== "action" || reply.last || endingOf(reply.finishReason) !== "unknown") return said;
    const steps = state.intermediateSteps.slice(state.turn.continued?.steps);
    if (!steps.some((step) => step.reply.finishReason === finishReason))
      return { kind: "unparseable", why: mayBeCut(finishReason) };
    const actions = said.actions.map((action) => {
      const tool = tools.byName.get(action.tool);
      const hasEffects = tool !== undefined && metadataOf(tool).effects;
      return hasEffects ? { ...action, unsure: { finishReason, asks: canAsk(action.tool) } } : action;
    });
    return { ...said, actions };
  },
  beforeTools: async ({ actions }) =>
    new Map(
      actions.flatMap(({ id, tool, unsure }) =>
        unsure && !unsure.asks ? [[id, { instead: notRun(tool, unsure.finishReason) }]] : [],
      ),
    ),
};

function mayBeCut(finishReason: string): string {
  return `Its server ended it with the finish reason "${finishReason}", which does not say that the reply is whole, so no call was made. Make the calls that you need again.`;
}

function notRun(name: string, finishReason: string): Outcome {
  const observation =
    `${name} was not run. The server ended the reply with the finish reason "${finishReason}", so the call may not be whole, and ` +
    "nobody can be asked about it. Do not make the same call again. Find another way, or give the final answer and say what was not done.";
  return { observation, status: "error" };
}
