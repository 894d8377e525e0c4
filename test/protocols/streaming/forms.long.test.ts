import { describe, expect, it } from "vitest";
import type { Protocol } from "../../../src/core/parts/protocol.js";
import { protocols } from "../../../src/protocols/by-name.js";
import { fencedProtocol } from "../../../src/protocols/fenced-protocol.js";
import { isFull } from "../../matrix/matrix.js";
import { exampleTools, formExamples } from "../form-examples.js";

const sizes = [1, 3, 7, Number.POSITIVE_INFINITY];

/** Returns the words of a reply that go out while it is written in pieces of a size. */
function wordsOf(protocol: Protocol, text: string, size: number): string {
  const reader = fencedProtocol(protocol).reader(exampleTools);
  let words = "";
  for (let end = 0; end < text.length; ) {
    end = Math.min(text.length, end + size);
    for (const piece of reader.push(text.slice(0, end)).pieces) words += piece.text;
  }
  return words;
}

const each = Object.entries(protocols).map(([name, protocol]) => ({ name, protocol }));
const words = ["", "I look it up. ", "Both [at 5] are < 7.\nHere:\n"];
const before = isFull ? words : words.slice(1);
const after = isFull ? ["", "\nDone."] : ["\nDone."];

/** Returns what the parser takes of a reply for words of the model. Nothing is said with a correction. */
function saidIn(protocol: Protocol, text: string): string | undefined {
  const read = protocol.parse(text, exampleTools);
  if (read.kind === "unparseable") return read.ifRepeated;
  return read.kind === "finish" ? read.output : (read.thought ?? "");
}

describe.each(each)("words around a call in a reply of $name", ({ protocol }) => {
  it.each(formExamples)("are emitted up to the call, however the reply is cut: $name", ({ text: call }) => {
    for (const words of before) {
      for (const rest of after) {
        const text = words + call + rest;
        const sent = sizes.map((size) => wordsOf(protocol, text, size));
        expect([text, ...sent]).toEqual([text, ...sizes.map(() => words.trimEnd())]);
        expect((saidIn(protocol, text) ?? words).startsWith(words.trim()), text).toBe(true);
      }
    }
  });

  it.each([
    '`search("tide tables")`',
    'search(query="tide tables")',
    '```tool_code\nprint(search(query="tide tables"))\n```',
    '```json\n{"name": "search", "arguments": {"query": "tide tables"}}\n```',
    '{"name": "search", "arguments": {"query": "tide tables"}}',
    'search: {"query": "tide tables"}',
    'search\n{"query": "tide tables"}',
    '[search(query="tide tables"), get_weather(city="Antwerp")]',
    '[{"name": "search", "arguments": {"query": "tide tables"}}]',
    '"action": "search",\n"action_input": "tide tables"',
    "<search>tide tables</search>",
    '<tool_use>\n{"name": "search", "input": {"query": "tide tables"}}\n</tool_use>',
    String.raw`get\_weather(city="Antwerp")`,
    'Get_Weather(city="Antwerp")',
  ])("are emitted up to a call without signs, however the reply is cut: %j", (call) => {
    for (const words of ["", "I look it up.\n", "I look it up. "]) {
      // The words of a text protocol go out with the end of their line.
      const text = `${words}${call}\n`;
      const sent = sizes.map((size) => wordsOf(protocol, text, size));
      const isCall = protocol.parse(text, exampleTools).kind === "action";
      expect([text, ...sent]).toEqual([text, ...sizes.map(() => (isCall ? words.trimEnd() : sent[0]))]);
      expect((saidIn(protocol, text) ?? sent[0])?.startsWith(sent[0]?.trim() ?? ""), text).toBe(true);
    }
  });
});
