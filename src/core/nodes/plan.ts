import { isDeepStrictEqual } from "node:util";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { firstToAnswer, refuses } from "../model/failures.js";
import type { AgentParts } from "../parts/agent-parts.js";
import type { NamedModel } from "../parts/models.js";
import type { FencedProtocol } from "../parts/protocol.js";
import { runOf } from "../run/run.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { askForStep } from "./planning/ask-for-step.js";
import { lastCallIn } from "./planning/last-reply.js";

/** The models whose servers refuse tools. */
const withoutTools = new WeakSet<BaseChatModel>();

/**
 * Makes the node that shows the model the messages of the protocol and keeps its reply. At a limit of the turn it asks for the
 * last reply. It decides nothing about replies.
 *
 * After a failure the next model is asked. The turn stays with it.
 */
export function plan(agent: AgentParts) {
  const { text, native } = agent.protocols;

  function choose({ model, abilities }: NamedModel): FencedProtocol {
    return native && abilities.nativeTools && !withoutTools.has(model) ? native : text;
  }

  async function replyOf(model: NamedModel, state: AgentStateValues, config: LangGraphRunnableConfig) {
    const protocol = choose(model);
    const asked = agent.models.forReplies?.(model.model);
    const step = { agent, model: asked ? { ...model, model: asked } : model, state, config, last: lastCallIn(state) };
    try {
      return await askForStep({ ...step, protocol });
    } catch (error) {
      if (protocol !== native || !refuses("tools", error)) throw error;
      withoutTools.add(model.model);
      runOf(config).emit({ type: "protocol-fallback", from: native.name, to: text.name, why: error.message });
      return askForStep({ ...step, protocol: text });
    }
  }

  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const models = await agent.models.load();
    const current = models.findIndex(({ name }) => name === state.reply?.model);
    const { reply, prompt } = await firstToAnswer(models.slice(Math.max(0, current)), config, (model) =>
      replyOf(model, state, config),
    );
    return { reply, ...(!isDeepStrictEqual(prompt, state.prompt) && { prompt }) };
  };
}
