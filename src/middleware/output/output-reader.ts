import { parsePartialJson } from "@langchain/core/output_parsers";
import type { WrittenCall } from "../../core/parts/plugin.js";
import type { Protocol } from "../../core/parts/protocol.js";
import { JsonReader } from "../../protocols/reading/calls/json-reader.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import { isAnswerPlace } from "./answer-place.js";
import type { OutputFormat } from "./output-format.js";

/** The largest number of opening signs to look at. */
const mostStarts = 40;
/** The part by which a text must have grown before it is parsed again. This keeps the time for a whole reply linear. */
const growth = 1 / 64;

/**
 * Makes the reader of an output while a model writes it: in the place of the answer, or in the call of the output tool.
 *
 * @param protocol Tells whether a place in the text of a reply is that of the answer.
 * @returns A function that takes the whole text of a reply so far, and its first call. It returns the output as far as it is written,
 *   not checked, or undefined if there is nothing new of it.
 */
export function outputReader(
  output: OutputFormat,
  protocol: Pick<Protocol, "parse">,
  tools: readonly ToolSpec[],
): (text: string, call?: WrittenCall) => unknown {
  const find = jsonFinder(output, protocol, tools);
  let next = 1;
  let shown = "";
  return (text, call) => {
    const isCall = call?.name === output.toolName;
    const { length } = isCall ? call.args : text;
    if (length < next) return undefined;
    next = length + Math.ceil(length * growth);
    const part = isCall ? output.partOf(partialJson(call.args)) : find(text);
    const json = JSON.stringify(part);
    if (part === undefined || json === shown) return undefined;
    shown = json;
    return part;
  };
}

/** Makes a function that takes the whole text so far, and returns what is read of the output in it. */
function jsonFinder(output: OutputFormat, protocol: Pick<Protocol, "parse">, tools: readonly ToolSpec[]) {
  let start = -1;
  let isFound = false;
  let startsLeft = mostStarts;
  const goOn = (text: string) => {
    const distance = text.slice(start + 1).search(/[[{]/);
    if (distance < 0 || startsLeft === 0) return false;
    startsLeft -= 1;
    start += 1 + distance;
    isFound = isAnswerPlace(protocol, text.slice(0, start), tools);
    return true;
  };
  return (text: string): unknown => {
    while (isFound || goOn(text)) {
      if (!isFound) continue;
      const end = new JsonReader(text).endOf(start);
      const value = partialJson(text.slice(start, end));
      const part = output.partOf(value);
      if (part !== undefined || !(end !== undefined || output.isOther(value))) return part;
      isFound = false;
    }
    return undefined;
  };
}

/**
 * Parses JSON that breaks off. An incomplete escape is left out. Returns undefined if the text is not the beginning of JSON.
 */
function partialJson(text: string): unknown {
  const whole = text.replace(/(?<!\\)((?:\\\\)*)\\(?:u[\da-fA-F]{0,3})?$/, "$1");
  return parsePartialJson(whole) ?? undefined;
}
