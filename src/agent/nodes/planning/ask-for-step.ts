import type { ToolDefinition } from "@langchain/core/language_models/base";
import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { askForReply } from "../../../model/calling/ask-model.js";
import { withTools } from "../../../model/calling/bound-tools.js";
import { isTooLong, type Room, roomIn } from "../../../model/calling/context-limit.js";
import type { NamedModel } from "../../../model/calling/named-model.js";
import { tellPrompt, tellReply } from "../../../model/calling/tell-prompt.js";
import { refusesImages } from "../../../model/model-errors.js";
import { modelAbilities } from "../../../model/models.js";
import type { Protocol, ToolSpec } from "../../../protocols/protocol.js";
import type { AgentTool } from "../../../tools/calling/tool-spec.js";
import { imagesIn } from "../../../turn/content.js";
import type { Reply } from "../../../turn/decision.js";
import { nothingShortened, type PromptRecord, promptDigest, type Shortened } from "../../../turn/prompt-record.js";
import { drawReplyId } from "../../../turn/reply-id.js";
import type { AgentStateValues } from "../../../turn/state.js";
import { tell } from "../../../turn/teller.js";
import { isRefused, outputRequest } from "../../output/output-request.js";
import { runView } from "../../run-view.js";
import type { AgentDependencies } from "../dependencies.js";
import { messagesToSend, replyToRead } from "../hooks.js";
import { replyStream } from "../reply-stream.js";
import { promptRecord, promptView, shownTools } from "./prompt-view.js";
import { shortenToFit } from "./shortened-view.js";

/** A step for which a model is asked. */
interface Step {
  readonly agent: AgentDependencies;
  readonly protocol: Protocol;
  readonly model: NamedModel;
  readonly state: AgentStateValues;
  readonly config: LangGraphRunnableConfig;
  /** The prompt leaves out images: the server refused them. */
  readonly withoutImages?: boolean;
  /** The words of the server that refused the prompt as too long. */
  readonly tooLong?: string;
}

/** The reply for a step, and what its prompt was made of. */
interface PlannedStep {
  readonly reply: Reply;
  readonly prompt: PromptRecord;
}

/**
 * Asks a model for the reply of a step. A server may refuse a part of the request: images, a response format, or a prompt
 * that is too long. It is then asked again without that part.
 */
export async function askForStep(step: Step): Promise<PlannedStep> {
  const { agent, protocol, model: named, state, config } = step;
  const { model } = named;
  const abilities = modelAbilities(model);
  const output = outputRequest(agent.output, protocol, model);
  const isNative = protocol.nativeTools && agent.tools.size > 0;
  const specs = isNative ? shownTools(agent.toolSpecs, state.turn, protocol) : [];
  const asked = withTools(model, [...specs.map((spec) => nativeTool(agent, spec)), ...output.tools], output.options);
  const tools = `${isNative ? JSON.stringify(specs) : ""}${output.definition}` || undefined;
  const images = abilities.images && !step.withoutImages;
  const sent = { model: named.name, stop: abilities.stop ? [...(protocol.stop ?? [])] : [], images };
  const prompt = await promptRecord(agent, protocol, sent, output);
  const view = runView(state, config);
  const room = roomIn(model, agent.limits.contextTokens, tools);
  const { messages: written, shortened } = fittingPrompt(step, prompt, room);
  if (shortened !== shortenedBefore(state)) {
    const [observations, turns] = [shortened.observations.length, shortened.turns];
    tell(config, { type: "shortened", observations, turns, ...(step.tooLong && { why: step.tooLong }) });
  }
  const messages = await messagesToSend(agent.hooks, { messages: written, model: named.name, ...view });
  let id = "";
  // Each try has an id of its own: chunks of the one before may have gone out.
  const begin = () => {
    id = drawReplyId();
    return replyStream(agent, protocol, id, config);
  };
  const options = { asked, tools, stop: protocol.stop ?? [], sendStop: abilities.stop, begin };
  const call = { purpose: "reply", model: named.name } as const;
  tellPrompt(config, { ...call, messages, stop: prompt.stop, tools: specs });
  try {
    const arrived = await askForReply(messages, options, { model: named, limits: agent.limits, config });
    const reply = await replyToRead(agent.hooks, { reply: arrived, ...view });
    tellReply(config, { ...call, text: reply.text, toolCalls: reply.toolCalls });
    const sha256 = promptDigest(messages, prompt);
    const kept = { protocol: protocol.name, model: named.name, id, sha256 };
    return { reply: { ...reply, ...kept, ...(shortened !== nothingShortened && { shortened }) }, prompt };
  } catch (error) {
    if (isRefused(output, model, error)) return askForStep(step);
    if (images && showsImages(state) && refusesImages(error)) return askForStep({ ...step, withoutImages: true });
    if (step.tooLong !== undefined || !isTooLong(error)) throw error;
    room.learn(error, messages);
    const again = fittingPrompt(step, prompt, room).shortened;
    if (JSON.stringify(again) === JSON.stringify(shortened)) throw error;
    return askForStep({ ...step, tooLong: error.message });
  }
}

/** Returns a tool to bind. One whose description was fenced is a definition, which LangChain takes, too. */
function nativeTool({ tools, toolSpecs }: AgentDependencies, spec: ToolSpec): AgentTool | ToolDefinition {
  const tool = tools.get(spec.name);
  if (tool !== undefined && toolSpecs.includes(spec)) return tool;
  const { name, description, parameters = {} } = spec;
  return { type: "function", function: { name, description, parameters } };
}

/** Returns the prompt for a step. The oldest parts of it are shortened if it would not fit. */
function fittingPrompt(
  { protocol, state }: Step,
  prompt: PromptRecord,
  room: Room,
): { readonly messages: BaseMessage[]; readonly shortened: Shortened } {
  const render = (shortened: Shortened) => protocol.render(promptView(prompt, state, shortened, protocol));
  const before = shortenedBefore(state);
  const messages = render(before);
  if (room.fits(messages)) return { messages, shortened: before };
  const view = promptView(prompt, state, nothingShortened, protocol);
  const shortened = shortenToFit(view, before, (more) => room.fitsWell(render(more)));
  return { messages: render(shortened), shortened };
}

/** Returns what the prompt of the step before showed only in part. It stays so, for the provider's cache. */
function shortenedBefore({ reply }: AgentStateValues): Shortened {
  return reply?.shortened ?? nothingShortened;
}

function showsImages({ intermediateSteps }: AgentStateValues): boolean {
  return intermediateSteps.some(({ results }) => results.some(({ content }) => imagesIn(content).length > 0));
}
