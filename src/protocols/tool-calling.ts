import { type BaseMessage, SystemMessage } from "@langchain/core/messages";
import { z } from "zod";
import { ambiguousBackslash, isAmbiguous } from "../base/ambiguous-backslash.js";
import { isRecord } from "../base/is-record.js";
import { checkedOptions, give } from "../base/options.js";
import { paragraphs } from "../base/paragraphs.js";
import { shorten } from "../base/shorten.js";
import type { PromptView, Protocol } from "../core/parts/protocol.js";
import type { ParsedAction, ParsedReply, Reply } from "../core/state/decision.js";
import { type Cut, malformedCall } from "../provider-forms/finish-reason.js";
import { canOmitInput } from "./input-forms.js";
import { systemMessages } from "./prompt/prompt-parts.js";
import { findCalls } from "./reading/calls/find-call.js";
import { JsonReader } from "./reading/calls/json-reader.js";
import { unreadable } from "./reading/calls/mention.js";
import { problem } from "./reading/outcome.js";
import { cutReasons, onlyThinking } from "./reading/read-reply.js";
import { readText } from "./reading/read-text.js";
import { replyText } from "./reading/sections/reply-text.js";
import { type KnownTools, ToolNames } from "./reading/tool-names.js";

export interface ToolCallingOptions {
  /** The text in the system message after the user's instructions, if there are tools. An empty text is left out. */
  readonly wording?: string;
}

const optionsSchema = z.strictObject({ wording: z.string(give("a text")).optional() });

/**
 * Makes the protocol of native tool calls. Several calls in a reply run in parallel, and their results keep the order. Plain
 * text is the answer. A call that a local model writes into its text is read, too. If one of several calls is broken, none of
 * them runs, and the model is told to make all of them again.
 *
 * @param options.wording Replaces the default text of the system message.
 * @throws InvalidOptionError when an option does not exist or has a wrong value.
 */
export function toolCalling(options: ToolCallingOptions = {}): Protocol {
  const { wording = defaultWording } = checkedOptions("toolCalling", optionsSchema, options);
  return {
    name: "tool-calling",
    options: { ...options },
    nativeTools: true,
    render: (view) => render(view, wording),
    parse,
    exampleAnswer: "the answer to the question, in plain words",
  };
}

// The prompt

const defaultWording =
  "Answer the question as best you can. Call the tools where they help; call several at once when they do not depend on each other.";

function render(view: PromptView, wording: string): BaseMessage[] {
  const { messages = [] } = view;
  const isSystem = (message: BaseMessage) => SystemMessage.isInstance(message);
  return [
    ...systemPrompt(view, view.tools.length > 0 ? wording : "", messages.filter(isSystem)),
    ...messages.filter((message) => !isSystem(message)),
  ];
}

/** Returns one system message: servers take no other after it. System messages with blocks keep them. */
function systemPrompt(view: PromptView, wording: string, given: readonly BaseMessage[]): BaseMessage[] {
  const { examples = [], chatHistory } = view;
  const shown = examples.length > 0 ? `Examples:\n\n${examples.join("\n\n")}` : "";
  const summary = chatHistory.summary === "" ? "" : `Summary of the conversation so far: ${chatHistory.summary}`;
  const texts = given.flatMap(({ content }) => (typeof content === "string" ? [content] : []));
  const isText = texts.length === given.length;
  const own = systemMessages(view, paragraphs(wording, shown), paragraphs(...(isText ? texts : []), summary));
  if (isText) return own;
  const blocks = given.flatMap(({ content }) => (typeof content === "string" ? [textBlock(content)] : content));
  return [new SystemMessage({ content: [...own.map(({ text }) => textBlock(text)), ...blocks] })];
}

function textBlock(text: string) {
  return { type: "text" as const, text };
}

// The parser

function parse(written: Reply | string, tools: KnownTools): ParsedReply {
  const reply = typeof written === "string" ? { text: written, toolCalls: [], invalidToolCalls: [] } : written;
  const { text, cut, stillThinking } = replyText(written);
  const names = new ToolNames(tools);
  if (cut) return stillThinking ? problem(cutReasons[cut]) : readCut(reply, text, cut, names);
  if (reply.finishReason?.toLowerCase() === malformedCall) return readMalformed(reply, text, names);
  const mended = reply.invalidToolCalls.map((call) => mendCall(call, tools));
  const broken = mended.find((call) => typeof call === "string");
  if (broken !== undefined) return problem(broken);
  const calls = [...reply.toolCalls, ...mended.filter((call) => typeof call !== "string")];
  if (calls.length > 0) return act(calls, text, names);
  const read = readText(text, names);
  return stillThinking && read.kind === "finish" ? problem(onlyThinking) : read;
}

/**
 * Reads a reply that the provider cut off. A text without a call is a part of the answer. LangChain closes the arguments of a
 * call that was cut at the token limit, so a call may look complete and not be.
 */
function readCut({ toolCalls, invalidToolCalls }: Reply, text: string, cut: Cut, names: ToolNames): ParsedReply {
  const output = text.trim();
  const calls = toolCalls.length + invalidToolCalls.length > 0 || findCalls(text, names) !== undefined;
  return calls || output === "" ? problem(cutReasons[cut]) : { kind: "finish", output, cut };
}

/** Reads a reply with a call that the server could not parse. The text may contain the call, and is not the answer. */
function readMalformed({ invalidToolCalls: [call] }: Reply, text: string, names: ToolNames): ParsedReply {
  const read = readText(text, names);
  if (read.kind === "action") return read;
  const said = call?.error ? ` The server said: ${shorten(call.error, 300)}` : "";
  return problem(`${unreadable}${said}`);
}

type Call = Pick<Reply["toolCalls"][number], "name" | "args" | "id">;
type InvalidCall = Reply["invalidToolCalls"][number];

function act(calls: readonly Call[], log: string, names: ToolNames): ParsedReply {
  const unnamed = calls.some((call) => call.name.trim() === "");
  if (unnamed) return problem("One of its tool calls names no tool.");
  const actions = calls.map(
    ({ name, args, id }): ParsedAction => ({
      tool: names.match(name) ?? name,
      toolInput: args,
      log: log.trimEnd(),
      ...(id && { callId: id }),
    }),
  );
  const thought = log.trim();
  return { kind: "action", actions, ...(thought && { thought }) };
}

/**
 * Repairs an unreadable call if its JSON has only a slip, or if it has no arguments and needs none. Returns the reason
 * for all other calls, such as one that breaks off.
 */
function mendCall(call: InvalidCall, tools: KnownTools): Call | string {
  const { name, args, id } = call;
  const text = args?.trim() ?? "";
  const spec = tools.find((tool) => typeof tool !== "string" && tool.name === name);
  if (name && text === "" && spec !== undefined && canOmitInput(spec)) return { name, args: {}, id };
  const json = new JsonReader(text);
  const end = text.startsWith("{") ? json.endOf(0) : undefined;
  const value = end === text.length ? json.read(text) : undefined;
  if (!name || !isRecord(value)) return brokenCall(call);
  return isAmbiguous(text, value) ? ambiguousBackslash : { name, args: value, id };
}

function brokenCall({ name, args, error }: InvalidCall): string {
  const call = name ? `Its call of ${name}` : "One of its tool calls";
  const found = args ? ` They were: ${shorten(args, 200)}` : "";
  return `${call} has arguments that are no JSON object${error ? ` (${shorten(error, 200)})` : ""}.${found}`;
}
