import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { InvalidOptionError } from "../../base/errors.js";
import { askForReply, type ModelAnswer } from "../../model/ask-model.js";
import { withRequestFields } from "../../model/constrained-decoding.js";
import { refusesImages, refusesTools } from "../../model/model-errors.js";
import { modelAbilities } from "../../model/models.js";
import { paragraphs } from "../../protocols/prompt/prompt-parts.js";
import type { PromptView, Protocol } from "../../protocols/protocol.js";
import { imagesIn } from "../../turn/content.js";
import { drawReplyId } from "../../turn/reply-id.js";
import type { AgentStateUpdate, AgentStateValues } from "../../turn/state.js";
import { tell } from "../../turn/teller.js";
import { addUsage } from "../../turn/usage.js";
import { isRefused, type OutputRequest, outputRequest } from "../output/output-request.js";
import type { AgentDependencies } from "./dependencies.js";
import { replyStream } from "./reply-stream.js";

/** The models whose servers refuse tools. */
const withoutTools = new WeakSet<BaseChatModel>();

/** Makes the node that shows the model the messages of the protocol and keeps its reply. It decides nothing. */
export function plan(agent: AgentDependencies) {
  const { text, native } = agent.protocols;
  const held = heldToGrammar(agent.requestFields);

  function choose(model: BaseChatModel): Protocol {
    return native && !withoutTools.has(model) && modelAbilities(model).nativeTools ? native : text;
  }

  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const model = held(await agent.model());
    const protocol = choose(model);
    const id = drawReplyId();
    try {
      return keep(state, id, protocol, await ask(agent, id, protocol, model, state, config));
    } catch (error) {
      if (protocol !== native || !refusesTools(error)) throw error;
      withoutTools.add(model);
      tell(config, { type: "protocol-fallback", from: native.name, to: text.name, why: error.message });
      return keep(state, id, text, await ask(agent, id, text, model, state, config));
    }
  };
}

/** Makes a function that binds the model to the grammar of the protocol. It changes nothing if there are no fields. */
function heldToGrammar(fields: AgentDependencies["requestFields"]): (model: BaseChatModel) => BaseChatModel {
  let held: BaseChatModel | undefined;
  return (model) => {
    if (fields === undefined) return model;
    held ??= withRequestFields(model, fields);
    return held;
  };
}

function keep(
  state: AgentStateValues,
  id: string,
  protocol: Protocol,
  { reply, spent }: ModelAnswer,
): AgentStateUpdate {
  return { reply: { ...reply, protocol: protocol.name, id }, usage: addUsage(state.usage, spent) };
}

async function ask(
  agent: AgentDependencies,
  id: string,
  protocol: Protocol,
  model: BaseChatModel,
  state: AgentStateValues,
  config: LangGraphRunnableConfig,
): Promise<ModelAnswer> {
  const { stop: sendStop, images } = modelAbilities(model);
  const request = outputRequest(agent.output, protocol, model);
  const tooled = protocol.nativeTools ? withTools(model, agent, request) : model;
  const show = (view: PromptView) => {
    const onText = replyStream(agent, protocol, id, config);
    const reading = { stop: protocol.stop ?? [], sendStop, onText };
    return askForReply(tooled, protocol.render(view), reading, config);
  };
  const view = promptView(agent, state, request);
  try {
    return await show({ ...view, images });
  } catch (error) {
    if (isRefused(request, model, error)) return ask(agent, id, protocol, model, state, config);
    if (!images || !showsImages(state) || !refusesImages(error)) throw error;
    return await show(view);
  }
}

function showsImages({ intermediateSteps }: AgentStateValues): boolean {
  return intermediateSteps.some(({ results }) => results.some(({ content }) => imagesIn(content).length > 0));
}

function withTools(
  model: BaseChatModel,
  { tools }: AgentDependencies,
  output: OutputRequest,
): Pick<BaseChatModel, "invoke" | "stream"> {
  const all = [...tools.values(), ...output.tools];
  if (all.length === 0) return output.options ? model.withConfig(output.options) : model;
  if (model.bindTools) return model.bindTools(all, output.options);
  throw new InvalidOptionError(
    "protocol",
    'this model has no native tool calls, which "tool-calling" needs; use "auto", "react" or another text protocol.',
  );
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
