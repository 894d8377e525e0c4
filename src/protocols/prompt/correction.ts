import type { Protocol, Slip } from "../../core/parts/protocol.js";
import type { Reply } from "../../core/state/decision.js";
import { cutReason } from "../../provider-forms/finish-reason.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import { withoutEchoedCorrection } from "../reading/sections/correction-frame.js";

type Examples = Pick<Protocol, "nativeTools" | "exampleReply" | "exampleAnswer">;

/**
 * Writes the correction that the model is shown after an unreadable reply: what was wrong, what is expected, and a correct
 * reply with one of the tools. A model whose reply was cut off is told to write less. Consecutive corrections differ, because
 * a model that reads the same text again writes the same reply again.
 */
export function correction(protocol: Examples, { why, reply, tools, attempt }: Slip): string {
  const shown = mentionedFirst(tools, reply);
  const isCut = cutReason(reply.finishReason) === "length";
  const again = `It is reply number ${attempt} in a row that cannot be used.`;
  return [
    isCut ? why : `${why}${quoted(reply)}`,
    ...(attempt > 1 ? [again] : []),
    ...(isCut ? shorter(protocol, shown, attempt) : expectation(protocol, shown, attempt)),
  ].join("\n");
}

/**
 * Writes the text that asks a model for its last reply in a turn: the best answer from what was observed, as with LangChain's
 * AgentExecutor.
 *
 * @param why The limit that ends the turn.
 */
export function lastRequest({ exampleAnswer = "" }: Examples, why: string): string {
  const lines = [
    `No more calls will be made: ${why}.`,
    "Give the best answer to the question now, from what you know and have observed. Say what is missing in it.",
    ...(exampleAnswer && ["Reply in this form:", exampleAnswer]),
  ];
  return lines.join("\n");
}

function shorter(protocol: Examples, tools: readonly ToolSpec[], attempt: number): string[] {
  if (attempt === 1)
    return ["Write the whole reply again and make it shorter: one short thought, then the step itself."];
  const line = "Leave the thought out and keep the input or the answer to one or two sentences, like this:";
  return [line, protocol.exampleReply?.(tools) ?? protocol.exampleAnswer ?? ""];
}

/** The number of the reply after which the model is asked for the best answer that it has. */
const lastForm = 2;

function expectation(protocol: Examples, tools: readonly ToolSpec[], attempt: number): string[] {
  const { exampleAnswer = "", nativeTools, exampleReply } = protocol;
  const call = exampleReply?.(tools);
  if (attempt > lastForm)
    return ["If you cannot use a tool, give the best answer that you have now:", exampleAnswer || (call ?? "")];
  const names = tools.map((tool) => tool.name).join(", ");
  if (nativeTools && names !== "")
    return [`Call a tool (${names}) with one JSON object of arguments that fit it, or give ${exampleAnswer}.`];
  return [
    ...(call === undefined ? [] : [`To use a tool (${names}), reply in this form:`, call]),
    ...(exampleAnswer && ["", "When you can answer, reply in this form:", exampleAnswer]),
  ];
}

/** Puts the tool that the reply mentions first. Examples use the first tool. */
function mentionedFirst(tools: readonly ToolSpec[], { text }: Reply): readonly ToolSpec[] {
  const mentioned = tools.find((tool) => text.includes(tool.name));
  return mentioned ? [mentioned, ...tools.filter((tool) => tool !== mentioned)] : tools;
}

const longestQuote = 160;

/** Quotes the reply, so that the model sees which text is meant. A long reply is quoted only at both ends. */
function quoted({ text }: Reply): string {
  const words = withoutEchoedCorrection(text).replaceAll(/\s+/g, " ").trim();
  if (words === "") return "";
  const half = longestQuote / 2;
  const shown = words.length > longestQuote ? `${words.slice(0, half)} … ${words.slice(-half)}` : words;
  return ` It was: ${JSON.stringify(shown)}`;
}
