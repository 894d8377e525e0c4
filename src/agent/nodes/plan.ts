import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { askForReply } from "../../model/calling/ask-model.js";
import { withTools } from "../../model/calling/bound-tools.js";
import { firstToAnswer } from "../../model/calling/fallbacks.js";
import type { NamedModel } from "../../model/calling/named-model.js";
import { withRequestFields } from "../../model/constrained-decoding.js";
import { refusesImages, refusesTools } from "../../model/model-errors.js";
import { modelAbilities } from "../../model/models.js";
import { paragraphs } from "../../protocols/prompt/prompt-parts.js";
import type { PromptView, Protocol } from "../../protocols/protocol.js";
import { imagesIn } from "../../turn/content.js";
import type { Reply } from "../../turn/decision.js";
import { drawReplyId } from "../../turn/reply-id.js";
import type { AgentStateUpdate, AgentStateValues } from "../../turn/state.js";
import { tell } from "../../turn/teller.js";
import { isRefused, type OutputRequest, outputRequest } from "../output/output-request.js";
import type { AgentDependencies } from "./dependencies.js";
import { replyStream } from "./reply-stream.js";

/** The models whose servers refuse tools. */
const withoutTools = new WeakSet<BaseChatModel>();

/**
 * Makes the node that shows the model the messages of the protocol and keeps its reply. It decides nothing.
 *
 * After a failure the next model is asked. The turn stays with it.
 */
export function plan(agent: AgentDependencies) {
  const { text, native } = agent.protocols;
  const held = heldToGrammar(agent.requestFields);

  function choose({ model }: NamedModel): Protocol {
    return native && !withoutTools.has(model) && modelAbilities(model).nativeTools ? native : text;
  }

  async function replyOf(model: NamedModel, state: AgentStateValues, config: LangGraphRunnableConfig): Promise<Reply> {
    const protocol = choose(model);
    try {
      return await ask(agent, protocol, held(model), state, config);
    } catch (error) {
      if (protocol !== native || !refusesTools(error)) throw error;
      withoutTools.add(model.model);
      tell(config, { type: "protocol-fallback", from: native.name, to: text.name, why: error.message });
      return ask(agent, text, held(model), state, config);
    }
  }

  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const models = await agent.models();
    const current = models.findIndex(({ name }) => name === state.reply?.model);
    const reply = await firstToAnswer(models.slice(Math.max(0, current)), config, (model) =>
      replyOf(model, state, config),
    );
    return { reply };
  };
}

/** Makes a function that binds a model to the grammar of the protocol. It changes nothing if there are no fields. */
function heldToGrammar(fields: AgentDependencies["requestFields"]): (model: NamedModel) => NamedModel {
  const held = new WeakMap<NamedModel, NamedModel>();
  return (named) => {
    if (fields === undefined) return named;
    const known = held.get(named) ?? { ...named, model: withRequestFields(named.model, fields) };
    held.set(named, known);
    return known;
  };
}

async function ask(
  agent: AgentDependencies,
  protocol: Protocol,
  model: NamedModel,
  state: AgentStateValues,
  config: LangGraphRunnableConfig,
): Promise<Reply> {
  const { stop: sendStop, images } = modelAbilities(model.model);
  const output = outputRequest(agent.output, protocol, model.model);
  const isNative = protocol.nativeTools && agent.tools.size > 0;
  const bound = [...(isNative ? agent.tools.values() : []), ...output.tools];
  const asked = withTools(model.model, bound, output.options);
  const tools = `${isNative ? JSON.stringify(agent.toolSpecs) : ""}${output.definition}` || undefined;
  const show = async (view: PromptView): Promise<Reply> => {
    let id = "";
    // Each try has an id of its own: chunks of the one before may have gone out.
    const begin = () => {
      id = drawReplyId();
      return replyStream(agent, protocol, id, config);
    };
    const options = { asked, tools, stop: protocol.stop ?? [], sendStop, begin };
    const reply = await askForReply(protocol.render(view), options, { model, limits: agent.limits, config });
    return { ...reply, protocol: protocol.name, model: model.name, id };
  };
  const view = promptView(agent, state, output);
  try {
    return await show({ ...view, images });
  } catch (error) {
    if (isRefused(output, model.model, error)) return ask(agent, protocol, model, state, config);
    if (!images || !showsImages(state) || !refusesImages(error)) throw error;
    return await show(view);
  }
}

function showsImages({ intermediateSteps }: AgentStateValues): boolean {
  return intermediateSteps.some(({ results }) => results.some(({ content }) => imagesIn(content).length > 0));
}

function promptView(agent: AgentDependencies, state: AgentStateValues, output: OutputRequest): PromptView {
  const { instructions: own = "" } = agent;
  const instructions = paragraphs(own.trim(), state.turn.instructions ?? "", output.instructions);
  const { since } = state.turn;
  return {
    question: paragraphs(state.question, since ? `Since then:\n${since}` : ""),
    rephrased: state.question !== state.turn.asked,
    chatHistory: state.chatHistory,
    intermediateSteps: state.intermediateSteps,
    tools: agent.toolSpecs,
    ...(instructions && { instructions }),
    ...(agent.currentDate ? { currentDate: state.turn.startedAt.slice(0, "YYYY-MM-DD".length) } : {}),
  };
}
