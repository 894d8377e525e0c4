import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { createAgent, streamTurn } from "../../src/index.js";
import { protocols } from "../../src/protocols/by-name.js";
import { scriptedModel } from "../../src/testing/index.js";
import type { ToolSpec } from "../../src/tool-inputs/tool-spec.js";
import { allOf, piecesOf } from "../helpers/turn-events.js";
import { tools as formTools, slips } from "./forms.js";

const tools: readonly ToolSpec[] = ["get_weather", "read_file", "bash", "search", "Ask a co-worker"].map((name) => ({
  name,
  description: "",
  parameters: { type: "object", properties: { query: { type: "string" } } },
}));

const read = (text: string) => protocols["tool-calling"].parse(text, tools);

const alike = [
  ["the name of read_file", "I use read_file {path: a.txt} for that."],
  ["the name of get_weather", 'Let me see: [get_weather(city="Os'],
  ["the name of search", "First search query=cats then we will know."],
  ["the name of search", "So I look with Search[cats and dogs] at it."],
  ["the name of read_file", "Here: <use>read_file</use> it is."],
  ["the name of bash", "```bash\nls\n```"],
  ["the name of search", '{"service": "search", "query": "cats"}'],
  ["the name of search", '{"search": "cats", "limit": 12}'],
  ["the name of get_weather", "I write:\n```tool\n{“name”: “get_weather”, “city”: “Oslo”}\n```\nand wait."],
  ["the name of get_weather", 'The price is {"name": "get_weather", "arguments": {}} kroner.'],
  ["the name of search", "['search', {'query': 'cats'}]"],
  ["the name of search", "['search', {'query': 'cats'}),\n('search', {'query': 'dogs'})]"],
  ["the name of search", '```home {"service": "search", "query": "cats"} ```'],
  ["the name of search", '[Tool Use: search]\n<parameter name="query">cats</parameter>'],
  ["the name of search", "It failed.\n\nAction: Call the 'search' function with the number 7."],
  ["the name of search", '"action": "search",\n"action_input": "cats"'],
  ["a code fence ```function_call", 'I look.\n\n```function_call\n{"id": 1}\n```'],
  ["a code fence ```tool_output", '```tool_output\n{"result": 4}\n```'],
  ["the name of Ask a co-worker", 'I write Ask a co-worker(query="x") now.'],
  ["Its arguments break off", '{"name": "search", "arguments": "{\\"query\\": \\"x\\""}'],
  ["the sign </tool_call>", "I look.</tool_call> Then I tell you."],
  ["cannot be read", "[TOOL_CALLS] not JSON at all"],
  ["in the tag <execute_bash>", "I look.\n<execute_bash>\nls -l\n</execute_bash>"],
  ["only the result", "Observation: 42"],
] as const;

describe("words that look like a call", () => {
  it.each(alike)("are not the answer, and the correction says what was seen: %s", (seen, text) => {
    expect(read(text)).toMatchObject({ kind: "unparseable", why: expect.stringContaining(seen) });
  });

  it.each([
    "I used the search tool (twice) and read_file() to find it.",
    "`search(query)` looks something up; see [search](https://example.org/search).",
    'The JSON of it is "{"name": "get_weather"}" then, as you see.',
    'In JSON a call is `{"name": "get_weather", "arguments": {}}` here.',
    "Run this:\n```sh\nsearch --query=cats\n```\nIt prints `<result>`.",
    "The search [1] found <b>two</b> files: {a, b}.",
    '[{"name": "search", "description": "looks things up"}]',
    "get_weather(city: string) returns the weather.",
  ])("are the answer if they only name or show a tool: %s", (text) => {
    expect(read(text)).toEqual({ kind: "finish", output: text });
  });

  it.each(["tool-calling", "react"] as const)("are taken back before the correction in %s", async (name) => {
    const { parse, exampleAnswer = "" } = protocols[name];
    const replies = [
      ...alike.map(([, text]) => ({ text, specs: tools })),
      ...slips.map(({ text }) => ({ text, specs: formTools })),
    ];
    let resets = 0;
    for (const { text, specs } of replies) {
      const written = `I look it up.\n${text}`.replace(/\nObservation:.*/, "\n<tool_call>");
      if (parse(written, specs).kind !== "unparseable") continue;
      const offered = specs.map(({ name, parameters = {} }) => tool(() => "", { name, schema: parameters }));
      const agent = createAgent({ model: scriptedModel([written, exampleAnswer]), tools: offered, protocol: name });
      const events = await allOf(streamTurn(agent, { messages: "?" }));
      const corrected = events.findIndex(({ type }) => type === "correction");
      expect([written, piecesOf(events.slice(0, corrected))]).toEqual([written, ""]);
      resets += events.filter(({ type }) => type === "answer-reset").length;
    }
    expect(resets > 0).toBe(protocols[name].nativeTools === true);
  });
});
