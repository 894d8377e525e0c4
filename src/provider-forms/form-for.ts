import { hash } from "node:crypto";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { blocksOf, callBlocks } from "../content/content.js";
import type { ContentBlock } from "../content/content-block.js";
import { withContent } from "../langgraph/message-form.js";
import type { ToolSpec } from "../tool-inputs/tool-spec.js";
import type { ProviderForm } from "./provider-form.js";
import { takenSchema } from "./taken-schema.js";

/** Stands for a message without words. */
export const noWords = "(no words)";

/** A prompt as its provider takes it. */
interface SentForm {
  readonly messages: BaseMessage[];
  /** The tools, in the order in which they were given. */
  readonly tools: readonly ToolSpec[];
  /** Returns the name of the tool that the model calls by a name. */
  ownName(sent: string): string;
}

/**
 * Returns a prompt in a form that a provider takes. Only what the provider refuses is changed: empty texts, ids of calls that
 * are doubled, empty or foreign, names and schemas of tools. It depends on nothing else, so a prompt of the past can be made
 * again.
 *
 * @param provider What the provider takes. A prompt of a version that did not know this is returned as it is.
 * @param messages The messages, with each result after its call.
 */
export function formFor(
  provider: ProviderForm | undefined,
  messages: readonly BaseMessage[],
  tools: readonly ToolSpec[],
): SentForm {
  if (provider === undefined) return { messages: [...messages], tools, ownName: (sent) => sent };
  const sentName = sentNames(new RegExp(provider.names), tools);
  const own = new Map(tools.map(({ name }) => [sentName(name), name]));
  return {
    messages: sentMessages(messages, sentIds(new RegExp(provider.ids)), sentName, provider),
    tools: tools.map((tool) => sentTool(tool, sentName(tool.name), provider)),
    ownName: (sent) => own.get(sent) ?? sent,
  };
}

/** Says why a provider does not take a tool in any form. Returns undefined if it does. */
export function refusalOf({ parameters = {} }: ToolSpec, { fields }: ProviderForm): string | undefined {
  const field = Object.keys(parameters.properties ?? {}).find((name) => !new RegExp(fields).test(name));
  return field && `its field ${JSON.stringify(field)} does not match ${fields}`;
}

function sentTool(tool: ToolSpec, name: string, { schemas }: ProviderForm): ToolSpec {
  const parameters = tool.parameters && takenSchema(tool.parameters, schemas);
  const isSame = name === tool.name && parameters === tool.parameters;
  return isSame ? tool : { ...tool, name, ...(parameters && { parameters }) };
}

const plain = (text: string) => text.replaceAll(/[^\w-]/g, "_");
const digest = (text: string) => hash("sha256", text).slice(0, 12);

/** Returns a function that names tools as a provider takes it. Names that would become equal are told apart by a digest. */
function sentNames(isTaken: RegExp, tools: readonly ToolSpec[]): (name: string) => string {
  const taken = (name: string) => (isTaken.test(name) ? name : plain(name).replace(/^(?![a-z_])/i, "_"));
  const own = new Set(tools.map(({ name }) => name));
  const sent = tools.map(({ name }) => taken(name));
  return (name) => {
    const short = taken(name);
    const isShared = short !== name && sent.filter((other) => other === short).length > (own.has(name) ? 1 : 0);
    return isShared || !isTaken.test(short) ? `${short.slice(0, 51)}_${digest(name)}` : short;
  };
}

/** Returns a function that gives each call of a conversation an id that is taken and that no call before it has. */
function sentIds(isTaken: RegExp): (id: string) => string {
  const sent = new Set<string>();
  const isFree = (form: string) => isTaken.test(form) && !sent.has(form);
  return (id) => {
    let form = [id, plain(id)].find(isFree);
    for (let n = 1; form === undefined; n += 1) {
      const other = digest(`${id} ${n}`);
      // The shorter one is for servers that take nine letters and digits.
      form = [`${plain(id).slice(0, 20) || "call"}_${other}`, other.slice(0, 9)].find(isFree);
    }
    sent.add(form);
    return form;
  };
}

/** Returns messages without empty texts, whose calls have ids and names that are taken. */
function sentMessages(
  messages: readonly BaseMessage[],
  sentId: (id: string) => string,
  sentName: (name: string) => string,
  provider: ProviderForm,
): BaseMessage[] {
  // The ids of the newest calls as they are sent, by the ids that they were given.
  let ids = new Map<string, string[]>();
  return messages.flatMap((given, n) => {
    const isEnd = AIMessage.isInstance(given) && ToolMessage.isInstance(messages[n - 1]);
    const message = withoutBlanks(given);
    // Mistral demands words between a result and a question.
    if (message === undefined) return isEnd ? [withContent(given, noWords)] : [];
    if (ToolMessage.isInstance(message)) {
      const { content, tool_call_id: id, name } = message;
      const sent = { tool_call_id: ids.get(id)?.shift() ?? id, name: name && sentName(name) };
      const isSame = sent.tool_call_id === id && sent.name === name;
      return [isSame ? message : Object.assign(withContent(message, content), sent)];
    }
    if (!AIMessage.isInstance(message) || !message.tool_calls?.length) return [message];
    ids = new Map();
    const calls = message.tool_calls.map(({ id = "", name, ...call }) => {
      const sent = sentId(id);
      ids.set(id, [...(ids.get(id) ?? []), sent]);
      return { ...call, id: sent, name: sentName(name) };
    });
    return [withCalls(message, calls, sentName, provider)];
  });
}

/** Returns a message with calls as they are sent. Packages send the calls in its content and its metadata, too. */
function withCalls(
  message: AIMessage,
  calls: NonNullable<AIMessage["tool_calls"]>,
  sentName: (name: string) => string,
  provider: ProviderForm,
): BaseMessage {
  const { tool_calls: given = [], response_metadata } = message;
  const isCall = ({ type }: ContentBlock) => callBlocks.has(type);
  const blocks = blocksOf(message);
  const hasIds = calls.every(({ id }, n) => id === given[n]?.id);
  const keeps = hasIds && (provider.blocks || !blocks.some(isCall));
  if (keeps && calls.every(({ name }, n) => name === given[n]?.name)) return message;
  const named = (block: ContentBlock) =>
    isCall(block) && typeof block.name === "string" ? { ...block, name: sentName(block.name) } : block;
  const sent = keeps ? blocks.map(named) : blocks.filter((block) => !isCall(block));
  const words = sent.length > 0 ? sent : message.text;
  const metadata = hasIds ? response_metadata : { ...response_metadata, output: undefined, output_version: undefined };
  return Object.assign(withContent(message, words), { tool_calls: calls, response_metadata: metadata });
}

/** Returns a message without texts that are empty. Returns undefined if nothing else is in it. */
function withoutBlanks(message: BaseMessage): BaseMessage | undefined {
  const { content } = message;
  const isResult = ToolMessage.isInstance(message);
  const isStep = isResult || (AIMessage.isInstance(message) && (message.tool_calls ?? []).length > 0);
  if (typeof content === "string") {
    if (isResult || content.trim() !== "" || (isStep && content === "")) return message;
  } else {
    const words = content.filter(({ type, text }) => type !== "text" || String(text).trim() !== "");
    if (words.length > 0) return words.length === content.length ? message : withContent(message, words);
  }
  if (isStep) return withContent(message, "");
  return ["ai", "system"].includes(message.getType()) ? undefined : withContent(message, noWords);
}
