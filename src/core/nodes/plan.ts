import { isDeepStrictEqual } from "node:util";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { AgentParts } from "../parts/agent-parts.js";
import { usageOf } from "../run/run.js";
import { Draft } from "../seams/draft.js";
import * as seams from "../seams/seams.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { type Asked, joinAsked } from "../state/times.js";
import { endByHook } from "./end-turn.js";
import { askForStep } from "./planning/ask-for-step.js";
import { askWrapped } from "./planning/wrapped-request.js";
import { copiesAnew } from "./steps-in-messages.js";

/**
 * Makes the node that shows the model the messages of the protocol and keeps its reply. At a limit of the turn it asks for the
 * last reply. It decides nothing about replies.
 *
 * After a failure the next model is asked. The turn stays with it.
 */
export function plan(agent: AgentParts) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    // The hooks before the first reply ran when the turn began.
    const isFirst = state.reply === null && state.intermediateSteps.length === 0;
    const draft = new Draft(state, agent.plugins);
    const jumpTo = isFirst ? undefined : await draft.run("beforeModel", config);
    const isSame = draft.messages === state.messages && !seams.hasHook(agent.plugins, "afterModel");
    if (!isSame) draft.copies = copiesAnew(draft.state, agent.tools.specs);
    const { state: now } = draft;
    if (jumpTo === "end") return draft.update(await endByHook(agent, now, config));
    const models = await agent.models.load();
    const current = models.findIndex(({ name }) => name === state.reply?.model);
    const [first = models[0], ...others] = models.slice(Math.max(0, current));
    const request = { agent, models: [first, ...others] as const, state: now };
    const { reply, prompt } = await askWrapped(request, draft, config, askForStep);
    const timed = { ...reply, ...askedFor(state, usageOf(config).takeAsked("reply")) };
    return draft.update({ reply: timed, ...(!isDeepStrictEqual(prompt, state.prompt) && { prompt }) });
  };
}

/** Returns the asking for a reply. A reply before it that stands in no step was not followed, and was a try. */
function askedFor(
  { reply, intermediateSteps }: AgentStateValues,
  asked: Asked | undefined,
): Partial<Asked> | undefined {
  if (reply === null || intermediateSteps.some((step) => step.reply.id === reply.id)) return asked;
  const { times, usage } = reply;
  const before = times && usage && { times, usage };
  return asked ? joinAsked(before, asked) : before;
}
