import type { BaseChatModelCallOptions } from "@langchain/core/language_models/chat_models";
import { type AIMessage, SystemMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { InvalidOptionError } from "../../../base/errors.js";
import { toolSpec } from "../../../tool-inputs/tool-spec.js";
import { inOrder } from "../../model/failures.js";
import type { AgentParts } from "../../parts/agent-parts.js";
import type { NamedModels } from "../../parts/models.js";
import type { AgentTool, ToolOption } from "../../parts/tools.js";
import { runOf } from "../../run/run.js";
import type { Draft } from "../../seams/draft.js";
import { asGiven, copyOf } from "../../seams/draft.js";
import * as seams from "../../seams/seams.js";
import { type ModelRequest, wrapModelCall } from "../../seams/wrap-model-call.js";
import type { Reply } from "../../state/decision.js";
import type { PromptRecord } from "../../state/prompt-record.js";
import { drawReplyId } from "../../state/reply-id.js";
import type { AgentStateValues } from "../../state/state.js";
import { decide } from "../parsing/decide.js";
import { type ReadReply, readAnew, readMessage } from "../parsing/hooked-reply.js";

/** A reply, and what its prompt was made of. */
interface Asked {
  readonly reply: Reply;
  readonly prompt: PromptRecord | null;
}

/** What a request says beside the models: the parts of the agent, the state, and settings for the call. */
interface Request {
  readonly agent: AgentParts;
  readonly models: NamedModels;
  readonly state: AgentStateValues;
  readonly settings?: BaseChatModelCallOptions;
}

/**
 * Asks for the reply of a step through the plug-ins that wrap the request. They get what was read in the reply as a message: its
 * words and its calls, in every protocol. What one changed or made counts as it is.
 */
export function askWrapped(request: Request, draft: Draft, config: LangGraphRunnableConfig, ask: Ask): Promise<Asked> {
  const isWrapped = seams.hasHook(request.agent.plugins, "wrapModelCall");
  return isWrapped ? askThrough(request, draft, config, ask) : ask(request, config);
}

type Ask = (request: Request, config: LangGraphRunnableConfig) => Promise<Asked>;

async function askThrough(
  { agent, models, state }: Request,
  draft: Draft,
  config: LangGraphRunnableConfig,
  ask: Ask,
): Promise<Asked> {
  const { byName, ofProvider } = agent.tools;
  const systemPrompt = await agent.prompt.instructions();
  const [current] = inOrder(models, config);
  const first: ModelRequest = {
    model: current.model,
    messages: state.messages.map(copyOf),
    systemPrompt,
    systemMessage: new SystemMessage(systemPrompt),
    tools: [...byName.values(), ...ofProvider.map(({ definition }) => definition)],
    modelSettings: {},
  };
  const answers: { readonly asked: Asked; readonly read: ReadReply; readonly message: AIMessage }[] = [];
  const answer = async (given: ModelRequest): Promise<AIMessage> => {
    const { modelSettings: settings, toolChoice: tool_choice, model } = given;
    const messages = given.messages.map(asGiven);
    const own = agentFor(agent, first, given);
    const named = model === first.model ? models : agent.models.named(model);
    const all = { ...settings, ...(tool_choice !== undefined && { tool_choice }) };
    const asked = await ask({ agent: own, models: named, state: { ...state, messages }, settings: all }, config);
    const { reply } = asked;
    const read = { reply, decision: decide(own, { ...state, reply }, reply, config) };
    const by = { id: reply.id ?? "", name: agent.answers.name, outside: runOf(config).outside };
    const message = readMessage(read, by, own.tools.specs);
    answers.push({ asked, read, message });
    return copyOf(message);
  };
  const message = await wrapModelCall(agent.plugins, draft, config, answer)(first);
  const found = answers.findLast((one) => one.message.id === message.id) ?? answers.at(-1);
  if (found === undefined) return { reply: madeReply(message, current.name), prompt: state.prompt };
  const { asked, read } = found;
  const { reply, decision } = readAnew(read, found.message, message, agent.tools.specs, () => read.decision);
  if (reply === read.reply) return asked;
  // What could not be read is read again by `parse`.
  return { ...asked, reply: decision === read.decision ? reply : { ...reply, isRead: true } };
}

/** Returns the agent with the tools and the instructions of a request. */
function agentFor(agent: AgentParts, before: ModelRequest, { tools, systemPrompt }: ModelRequest): AgentParts {
  const isSame = tools.length === before.tools.length && tools.every((tool, n) => tool === before.tools[n]);
  const prompt = { ...agent.prompt, instructions: () => systemPrompt };
  if (isSame) return { ...agent, prompt };
  const own = tools.filter(isTool);
  const others = tools.flatMap((tool) => (isTool(tool) ? [] : [tool]));
  if (others.length > 0 && !(agent.protocols.native ?? agent.protocols.text).nativeTools) {
    const why = `${agent.protocols.text.name} has no way to a tool of the provider, such as ${JSON.stringify(others[0])}`;
    throw new InvalidOptionError("middleware", `${why}; leave it out, or use a protocol with native calls.`);
  }
  const specOf = (tool: AgentTool) => agent.tools.specs.find(({ name }) => name === tool.name) ?? toolSpec(tool);
  const ofProvider = others.map((definition) => ({ name: String(definition.name ?? definition.type), definition }));
  const byName = new Map(own.map((tool) => [tool.name, tool]));
  return { ...agent, prompt, tools: { ...agent.tools, byName, specs: own.map(specOf), ofProvider } };
}

function isTool(tool: ToolOption): tool is AgentTool {
  return "invoke" in tool && typeof tool.invoke === "function";
}

/** Returns the reply of a plug-in that asked no model. */
function madeReply(message: AIMessage, model: string): Reply {
  const { text, tool_calls: toolCalls = [] } = message;
  return { id: drawReplyId(), model, text, toolCalls, invalidToolCalls: [], changed: true, isRead: true };
}
