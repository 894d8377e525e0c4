import type { BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import type { StructuredToolParams } from "@langchain/core/tools";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { ModelError } from "../../../base/errors.js";
import { hasFiles } from "../../../content/content.js";
import type { FileKind } from "../../../content/file-block.js";
import { withTools } from "../../../langgraph/chat-models.js";
import { formFor, refusalOf } from "../../../provider-forms/form-for.js";
import { type ToolSpec, toolSpec } from "../../../tool-inputs/tool-spec.js";
import { roomIn } from "../../model/context-limit.js";
import type { AskedModel } from "../../model/model-call.js";
import type { AgentParts } from "../../parts/agent-parts.js";
import type { NamedModel } from "../../parts/models.js";
import type { Addition } from "../../parts/plugin.js";
import type { Room, WrittenPrompt } from "../../parts/prompts.js";
import type { FencedProtocol } from "../../parts/protocol.js";
import type { AgentTool } from "../../parts/tools.js";
import * as seams from "../../seams/seams.js";
import type { LastCall } from "../../state/decision.js";
import type { PromptRecord } from "../../state/prompt-record.js";
import type { AgentStateValues } from "../../state/state.js";
import { placeOf } from "../remember.js";

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
  /** Settings for the call beside those of its tools. */
  readonly settings?: BaseChatModelCallOptions | undefined;
  /** The limit at which the turn ends. The model is asked for its last reply. */
  readonly last?: LastCall | undefined;
}

/** A model call as it is about to be made. */
export interface PreparedCall extends Step, WrittenPrompt {
  /** The model with its tools and settings. */
  readonly asked: AskedModel;
  /** The definitions of the tools as JSON, if the model gets them natively. */
  readonly tools: string | undefined;
  /** What plug-ins add to the request. */
  readonly added: Addition;
  /** The tools that the model gets natively, in the form in which it gets them. */
  readonly specs: readonly ToolSpec[];
  /** Returns the name of the tool that the model calls by a name. */
  ownName(sent: string): string;
  readonly sendStop: boolean;
  readonly prompt: PromptRecord;
  readonly room: Room;
}

/** Prepares the model call of a step. The oldest parts of its prompt are shortened if it would not fit. */
export async function prepareCall(step: Step): Promise<PreparedCall> {
  const { agent, protocol, model: named, state } = step;
  const { abilities } = named;
  const responseFormat = abilities.responseFormat && !agent.models.refusals.has(named, "response-format");
  const added = seams.request(agent.plugins, { protocol, abilities: { ...abilities, responseFormat } });
  const isNative = protocol.nativeTools === true && agent.tools.specs.length > 0;
  const sent = {
    model: named.name,
    refuses: [...abilities.refuses],
    form: abilities.form,
    stop: abilities.stop ? [...(protocol.stop ?? [])] : [],
    files: shownKinds(step),
    fileForm: abilities.fileForm,
  };
  const prompt = await promptRecord(agent, protocol, sent, added);
  const { tools: formed, ownName } = formFor(prompt.form, [], protocol.shownTools(prompt.tools, state.turn.mark));
  const specs = isNative ? formed.slice(0, agent.tools.specs.length) : [];
  const definitions = agent.tools.ofProvider.map(({ definition }) => definition);
  const shown = [...specs, ...definitions];
  const tools = `${shown.length > 0 ? JSON.stringify(shown) : ""}${added.definition}` || undefined;
  const room = roomIn(named, agent.models.limits.contextTokens, tools);
  const asked = withNativeTools(step, specs, added);
  const call = { ...step, asked, tools, added, specs, ownName, sendStop: abilities.stop, prompt, room };
  return { ...call, ...(await writtenIn(call)) };
}

/** Returns what a prompt is made of, beside the state. */
async function promptRecord(
  { prompt, tools, answers }: AgentParts,
  protocol: FencedProtocol,
  asked: Pick<PromptRecord, "model" | "refuses" | "form" | "stop" | "files" | "fileForm">,
  added: Addition,
): Promise<PromptRecord> {
  const instructions = await prompt.instructions();
  const examples = await prompt.examples();
  return {
    ...asked,
    ...(answers.name && { name: answers.name }),
    protocol: protocol.name,
    ...(Object.keys(protocol.options ?? {}).length > 0 && { options: protocol.options }),
    instructions: instructions.trim(),
    outputInstructions: added.instructions,
    ...(examples && { examples: [...examples] }),
    tools: [...tools.specs, ...tools.ofProvider.map(({ name }) => ({ name, description: "" }))],
    outputSchema: added.definition,
    currentDate: prompt.currentDate,
    ...(prompt.observationCharacters !== undefined && { observationCharacters: prompt.observationCharacters }),
  };
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

/**
 * Returns the model with its tools, each in the form in which it is sent. For the last reply of a turn the tools stay bound,
 * because servers demand the tools of earlier calls, but the model may call none. If plug-ins add tools, those alone are bound.
 *
 * @throws ModelError if the provider takes a tool in no form.
 */
function withNativeTools(
  { agent, model, last, settings = {} }: Step,
  specs: readonly ToolSpec[],
  added: Addition,
): AskedModel {
  const { byName, specs: own, ofProvider } = agent.tools;
  const [ofPlugins, { tools }] = [added.tools.map(toolSpec), added];
  const { maxRetries, tool_choice, ...others } = settings;
  const chosen = { ...others, ...(specs.length > 0 && tool_choice !== undefined && { tool_choice }) };
  const options = Object.keys(chosen).length > 0 ? { ...added.options, ...chosen } : added.options;
  const known = new Map([...byName, ...tools.map((tool) => [tool.name, tool] as const)]);
  const isLast = last !== undefined && specs.length > 0;
  const isAlone = isLast && tools.length > 0;
  const given = [...(isAlone || specs.length === 0 ? [] : own), ...ofPlugins];
  const sent = [...(isAlone ? [] : specs), ...formFor(model.abilities.form, [], ofPlugins).tools];
  const definitions = isAlone ? [] : ofProvider.map(({ definition }) => definition);
  const native = given.map((spec, n) => nativeTool(model, known.get(spec.name), spec, sent[n] ?? spec));
  const all = [...(model.server.definitions(sent) ?? native), ...definitions];
  return withTools(model.model, all, isLast && !isAlone ? { ...options, tool_choice: "none" } : options);
}

type NativeTool = AgentTool | StructuredToolParams;

/**
 * Returns a tool to bind. It is bound by what describes it, which LangChain takes, too: LangChain's own description lists fields
 * with a default as required, and has no bigints. A tool of one text has no other description.
 */
function nativeTool(
  { server, abilities: { form } }: NamedModel,
  tool: AgentTool | undefined,
  given: ToolSpec,
  sent: ToolSpec,
): NativeTool {
  const why = refusalOf(sent, form);
  if (why)
    throw new ModelError("refused", `${server.name()} does not take the tool "${given.name}": ${why}.`, { advice });
  if (tool !== undefined && given === sent && sent.parameters === undefined) return tool;
  const { name, description, parameters = plainText } = sent;
  const extras = tool && "extras" in tool ? tool.extras : undefined;
  return { name, description, schema: { type: "object", ...parameters }, ...(extras && { extras }) };
}

const advice = "Change the tool, leave it out, or use a model of another provider.";

/** The schema of a tool of one plain string, as LangChain has it. */
const plainText = { properties: { input: { type: "string" } } };

/** Returns the prompt of a step, as far as there is room for it. */
export function writtenIn({
  agent,
  protocol,
  state,
  last,
  prompt: record,
  room,
}: Step & Pick<PreparedCall, "prompt" | "room">): Promise<WrittenPrompt> {
  return agent.prompt.write({ protocol, record, state, request: last?.request, room });
}
