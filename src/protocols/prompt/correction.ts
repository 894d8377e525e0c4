import type { Protocol, Slip, ToolSpec } from "../../core/parts/protocol.js";
import type { Reply } from "../../core/state/decision.js";
import { cutReason } from "../../core/state/finish-reason.js";
import { withoutEchoedCorrection } from "../reading/sections/correction-frame.js";

type Examples = Pick<Protocol, "nativeTools" | "exampleReply" | "exampleAnswer">;

/**
 * Writes the correction that the model is shown after an unreadable reply: what was wrong, what is expected, and a correct
 * reply with one of the tools. A model whose reply was cut off is told to write less. Consecutive corrections differ, because
 * a model that reads the same text again writes the same reply again.
 */
export function correction(protocol: Examples, slip: Slip): string {
  const { reply, tools } = slip;
  const shown = { ...slip, tools: mentionedFirst(tools, reply) };
  const isCut = cutReason(reply.finishReason) === "length";
  return (isCut ? cutCorrection(protocol, shown) : formCorrection(protocol, shown)).join("\n");
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

function cutCorrection(protocol: Examples, { why, tools, attempt }: Slip): string[] {
  if (attempt === 1) {
    return [why, "Write the whole reply again and make it shorter: one short thought, then the step itself."];
  }
  return [
    `${why} That was reply number ${attempt} in a row without an end.`,
    "Leave the thought out and keep the input or the answer to one or two sentences, like this:",
    example(protocol, tools),
  ];
}

function formCorrection(protocol: Examples, { why, reply, tools, attempt }: Slip): string[] {
  const found = `${why}${quoted(reply)}`;
  if (attempt === 1) return [found, ...expectation(protocol, tools)];
  if (attempt === 2) {
    return [
      found,
      "It is the second reply in a row of that kind. Write nothing before or after the form, and fill in values of your own.",
      ...expectation(protocol, tools),
    ];
  }
  return [
    found,
    `It is reply number ${attempt} in a row that cannot be used, and there are few left. ` +
      "If you cannot use a tool, give the best answer that you have now:",
    protocol.exampleAnswer ?? example(protocol, tools),
  ].filter((part) => part !== "");
}

function expectation(protocol: Examples, tools: readonly ToolSpec[]): string[] {
  const { exampleAnswer = "" } = protocol;
  const names = tools.map((tool) => tool.name).join(", ");
  if (protocol.nativeTools && names !== "") {
    const answer = exampleAnswer || "the answer to the question";
    return [`Call a tool (${names}) with one JSON object of arguments that fit it, or give ${answer}.`];
  }
  const call = protocol.exampleReply?.(tools);
  if (call === undefined) return exampleAnswer ? ["Reply in this form:", exampleAnswer] : [];
  const otherwise = exampleAnswer ? ["", "or, when you can answer, in this form:", exampleAnswer] : [];
  return [`To use a tool (${names}), reply in this form:`, call, ...otherwise];
}

function example(protocol: Examples, tools: readonly ToolSpec[]): string {
  return protocol.exampleReply?.(tools) ?? protocol.exampleAnswer ?? "";
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
