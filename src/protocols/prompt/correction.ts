import type { Reply } from "../../turn/decision.js";
import type { Protocol, ToolSpec } from "../protocol.js";
import { correctionEnd, correctionStart, withoutEchoedCorrection } from "../reading/sections/correction-frame.js";
import { cutReason } from "../reading/sections/reply-text.js";

export interface Unreadable {
  readonly protocol: Protocol;
  /** What the parser had to say: a sentence about "it", the reply. */
  readonly why: string;
  readonly reply: Reply;
  readonly tools: readonly ToolSpec[];
  /** How many unreadable replies in a row this one makes, counted from 1. */
  readonly attempt: number;
}

/**
 * What the model is shown after a reply that could not be read: what was found, what is expected, and a correct reply with
 * one of the tools there are. A reply that was cut off is told to be shorter. No two corrections in a row are the same, as
 * a model that is told the same again replies the same again.
 */
export function correction(unreadable: Unreadable): string {
  const { reply, tools } = unreadable;
  const shown = { ...unreadable, tools: mentionedFirst(tools, reply) };
  const cut = cutReason(reply.finishReason) !== undefined;
  const parts = cut ? cutCorrection(shown) : formCorrection(shown);
  return [correctionStart, ...parts, correctionEnd].join("\n");
}

function cutCorrection({ protocol, why, tools, attempt }: Unreadable): string[] {
  if (attempt === 1) {
    return [why, "Write the whole reply again and make it shorter: one short thought, then the step itself."];
  }
  return [
    `${why} That was reply number ${attempt} in a row without an end.`,
    "Leave the thought out and keep the input or the answer to one or two sentences, like this:",
    example(protocol, tools),
  ];
}

function formCorrection({ protocol, why, reply, tools, attempt }: Unreadable): string[] {
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

function expectation(protocol: Protocol, tools: readonly ToolSpec[]): string[] {
  const { exampleReply, exampleAnswer = "" } = protocol;
  const names = tools.map((tool) => tool.name).join(", ");
  if (protocol.nativeTools && names !== "") {
    return [
      `Call a tool (${names}) with one JSON object of arguments that fit it, or answer the question in plain words.`,
    ];
  }
  const call = exampleReply?.(tools);
  if (call === undefined) return exampleAnswer ? ["Reply in this form:", exampleAnswer] : [];
  const otherwise = exampleAnswer ? ["", "or, when you can answer, in this form:", exampleAnswer] : [];
  return [`To use a tool (${names}), reply in this form:`, call, ...otherwise];
}

function example(protocol: Protocol, tools: readonly ToolSpec[]): string {
  return protocol.exampleReply?.(tools) ?? protocol.exampleAnswer ?? "";
}

/** The tools with the one that the reply speaks of first, as examples are made with the first. */
function mentionedFirst(tools: readonly ToolSpec[], { text }: Reply): readonly ToolSpec[] {
  const mentioned = tools.find((tool) => text.includes(tool.name));
  return mentioned ? [mentioned, ...tools.filter((tool) => tool !== mentioned)] : tools;
}

const longestQuote = 160;

/** The reply's own words, so that the model sees what is meant: all of a short one, both ends of a long one. */
function quoted({ text }: Reply): string {
  const words = withoutEchoedCorrection(text).replaceAll(/\s+/g, " ").trim();
  if (words === "") return "";
  const half = longestQuote / 2;
  const shown = words.length > longestQuote ? `${words.slice(0, half)} … ${words.slice(-half)}` : words;
  return ` It was: ${JSON.stringify(shown)}`;
}
