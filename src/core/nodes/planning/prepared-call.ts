import type { BaseMessage } from "@langchain/core/messages";
import type { ServerTool, StructuredToolParams } from "@langchain/core/tools";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { withTools } from "../../../langgraph/chat-models.js";
import { type Room, roomIn } from "../../model/context-limit.js";
import type { AskedModel } from "../../model/model-call.js";
import type { AgentParts } from "../../parts/agent-parts.js";
import type { OutputRequest } from "../../parts/answers.js";
import type { NamedModel } from "../../parts/models.js";
import type { FencedProtocol, ToolSpec } from "../../parts/protocol.js";
import type { AgentTool } from "../../parts/tools.js";
import { hasFiles } from "../../state/content.js";
import type { LastCall } from "../../state/decision.js";
import type { FileKind } from "../../state/file-block.js";
import { nothingShortened, type PromptRecord, type Shortened } from "../../state/prompt-record.js";
import type { AgentStateValues } from "../../state/state.js";
import { placeOf } from "../remember.js";
import { promptMessages, promptRecord, promptView } from "./prompt-view.js";
import { shortenToFit } from "./shortened-view.js";

/** A step for which a model is asked. */
export interface Step {
  readonly agent: AgentParts;
  readonly protocol: FencedProtocol;
  readonly model: NamedModel;
  readonly state: AgentStateValues;
  readonly config: LangGraphRunnableConfig;
  /** The prompt names files and does not show them: the server refused them. */
  readonly withoutFiles?: boolean;
  /** The words of the server that refused the prompt as too long. */
  readonly tooLong?: string;
  /** The limit at which the turn ends. The model is asked for its last reply. */
  readonly last?: LastCall | undefined;
}

/** A model call as it is about to be made. */
export interface PreparedCall {
  /** The model with its tools and settings. */
  readonly asked: AskedModel;
  /** The definitions of the tools as JSON, if the model gets them natively. */
  readonly tools: string | undefined;
  readonly output: OutputRequest;
  /** The tools that the model gets natively, in the form in which it gets them. */
  readonly specs: readonly ToolSpec[];
  readonly sendStop: boolean;
  readonly prompt: PromptRecord;
  readonly room: Room;
  readonly messages: BaseMessage[];
  readonly shortened: Shortened;
}

const noRequest: OutputRequest = { instructions: "", definition: "", tools: [] };

/** Prepares the model call of a step. The oldest parts of its prompt are shortened if it would not fit. */
export async function prepareCall(step: Step): Promise<PreparedCall> {
  const { agent, protocol, model: named, state, last } = step;
  const { model, abilities } = named;
  const responseFormat = abilities.responseFormat && !agent.models.refusals.has(named, "response-format");
  const output = agent.answers.output?.request(protocol, { ...abilities, responseFormat }) ?? noRequest;
  const isNative = protocol.nativeTools === true && agent.tools.specs.length > 0;
  const specs = isNative ? protocol.shownTools(agent.tools.specs, state.turn.mark) : [];
  const definitions = agent.tools.ofProvider.map(({ definition }) => definition);
  const native = [...specs.map((spec) => nativeTool(agent, spec)), ...definitions];
  const tools =
    `${native.length > 0 ? JSON.stringify([...specs, ...definitions]) : ""}${output.definition}` || undefined;
  const sent = {
    model: named.name,
    refuses: [...abilities.refuses],
    stop: abilities.stop ? [...(protocol.stop ?? [])] : [],
    files: shownKinds(step),
    fileForm: abilities.fileForm,
  };
  const prompt = await promptRecord(agent, protocol, sent, output);
  const room = roomIn(named, agent.models.limits.contextTokens, tools);
  const asked =
    isNative && last
      ? withoutCalls(step, native, output)
      : withTools(model, [...native, ...output.tools], output.options);
  const call = { asked, tools, output, specs, sendStop: abilities.stop, prompt, room };
  return { ...call, ...(await fittingPrompt(step, prompt, room)) };
}

/**
 * Returns the kinds of files that a prompt shows. After a refusal there are none, until a question with files comes or another
 * model is asked.
 */
function shownKinds({ agent, model, state, withoutFiles }: Step): FileKind[] {
  const { name, abilities } = model;
  if (withoutFiles) return [];
  const { prompt, messages, turn, intermediateSteps } = state;
  const question = messages[placeOf(turn.message.id, messages)];
  const isNew = intermediateSteps.length === 0 && question !== undefined && hasFiles(question);
  return prompt !== null && prompt.model === name && !isNew
    ? prompt.files
    : abilities.files.filter((kind) => !agent.models.refusals.has(model, kind));
}

type NativeTool = AgentTool | StructuredToolParams | ServerTool;

/**
 * Returns a tool to bind. It is bound by what describes it, which LangChain takes, too: LangChain's own description lists fields
 * with a default as required, and has no bigints. A tool of one text has no other description.
 */
function nativeTool({ tools: { byName, specs } }: AgentParts, spec: ToolSpec): NativeTool {
  const tool = byName.get(spec.name);
  if (tool !== undefined && specs.includes(spec) && spec.parameters === undefined) return tool;
  const { name, description, parameters } = spec;
  const extras = tool && "extras" in tool ? tool.extras : undefined;
  return { name, description, schema: { type: "object", ...parameters }, ...(extras && { extras }) };
}

/**
 * Returns the model for the last reply of a turn. The tools stay bound, because servers demand the tools of earlier calls,
 * but the model may call none. With an output tool, that tool alone is bound.
 */
function withoutCalls({ model: { model } }: Step, native: NativeTool[], output: OutputRequest): AskedModel {
  if (output.tools.length > 0) return withTools(model, [...output.tools], output.options);
  return withTools(model, native, { ...output.options, tool_choice: "none" });
}

/** Returns the prompt for a step. The oldest parts of it are shortened if it would not fit. */
export async function fittingPrompt(
  { protocol, state, last }: Step,
  prompt: PromptRecord,
  room: Room,
): Promise<Pick<PreparedCall, "messages" | "shortened">> {
  const render = (shortened: Shortened) => promptMessages(protocol, prompt, state, shortened, last?.request);
  const before = shortenedBefore(state);
  const messages = render(before);
  await room.findWindow(messages);
  if (room.fits(messages)) return { messages, shortened: before };
  const view = promptView(protocol, prompt, state, { ...nothingShortened, turns: before.turns });
  const shortened = shortenToFit(view, state.messages, before, prompt, (more) => room.fitsWell(render(more)));
  return { messages: render(shortened), shortened };
}

/** Returns what the last prompt showed only in part. This stays shortened, so that the provider's prompt cache matches. */
export function shortenedBefore({ reply, chatHistory }: AgentStateValues): Shortened {
  return reply?.shortened ?? chatHistory.shortened ?? nothingShortened;
}
