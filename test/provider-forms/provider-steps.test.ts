import { AIMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { providerSteps } from "../../src/provider-forms/provider-steps.js";

/** Returns what tools of the provider did: the tool with its input, or the text of the result. */
function did(fields: Pick<Partial<AIMessage>, "content" | "additional_kwargs" | "response_metadata">): unknown[] {
  return providerSteps(new AIMessage({ content: "", ...fields }), "r1").map((step) =>
    step.type === "action" ? [step.id, step.tool, step.toolInput] : [step.id, step.status, step.text],
  );
}

const items = (...tool_outputs: unknown[]) => ({ additional_kwargs: { tool_outputs } });
const data = "A".repeat(4_000);

it.each([
  [
    "a call whose input was streamed",
    {
      content: [
        { type: "server_tool_use", index: 1, id: "s1", name: "web_search", input: "" },
        { type: "input_json_delta", index: 1, input: '{"query":' },
        { type: "input_json_delta", index: 1, input: '"x"}' },
        { type: "input_json_delta", index: 2, input: "of another call" },
      ],
    },
    [["s1", "web_search", { query: "x" }]],
  ],
  [
    "an input that is no JSON object",
    { content: [{ type: "server_tool_use", id: "s1", name: "web_search", input: "{que" }] },
    [["s1", "web_search", { input: "{que" }]],
  ],
  [
    "a tool of an MCP server that fails",
    {
      content: [
        { type: "mcp_tool_use", id: "m1", name: "pay", server_name: "bank", input: { sum: 5 } },
        { type: "mcp_tool_result", tool_use_id: "m1", is_error: true, content: [{ type: "text", text: "No money." }] },
      ],
    },
    [
      ["m1", "pay", { sum: 5 }],
      ["m1", "error", "No money."],
    ],
  ],
  [
    "the output of code",
    {
      content: [
        {
          type: "bash_code_execution_tool_result",
          tool_use_id: "s1",
          content: { type: "bash_code_execution_result", stdout: "5", return_code: 0 },
        },
      ],
    },
    [["s1", "success", '{"type":"bash_code_execution_result","stdout":"5","return_code":0}']],
  ],
  [
    "calls of OpenAI's tools",
    items(
      { type: "mcp_call", id: "m1", name: "pay", arguments: '{"sum":5}', output: "Paid.", error: null },
      { type: "mcp_call", id: "m2", name: "pay", arguments: "{}", output: null, error: "No money." },
      { type: "image_generation_call", id: "i1", status: "completed", revised_prompt: "a cat", result: data },
      {
        ...{ type: "web_search_call", id: "w1", status: "completed" },
        action: { type: "search", query: "x", sources: [{ type: "url", url: "https://example.org/" }] },
      },
    ),
    [
      ["m1", "pay", { sum: 5 }],
      ["m1", "success", "Paid."],
      ["m2", "pay", {}],
      ["m2", "error", "No money."],
      ["i1", "image_generation", { revised_prompt: "a cat" }],
      ["i1", "success", "[3 KB of data]"],
      ["w1", "web_search", { type: "search", query: "x", sources: [{ type: "url", url: "https://example.org/" }] }],
      ["w1", "success", "https://example.org/"],
    ],
  ],
  [
    "a search of Gemini without pages",
    { response_metadata: { groundingMetadata: { webSearchQueries: ["x"] } } },
    [
      ["r1-search", "googleSearch", { queries: ["x"] }],
      ["r1-search", "success", ""],
    ],
  ],
  ["metadata of Gemini without a search", { response_metadata: { groundingMetadata: {} } }, []],
  [
    "calls that the program makes",
    {
      content: [{ type: "tool_use", id: "t1", name: "look", input: {} }],
      ...items(
        { type: "computer_call", id: "c1" },
        { type: "local_shell_call", id: "c2" },
        { type: "custom_tool_call" },
      ),
    },
    [],
  ],
  ["items that are none", items(null, "x", { type: "mcp_list_tools", id: "l1" }, {}), []],
])("reads %s", (_name, fields, wanted) => {
  expect(did(fields)).toEqual(wanted);
});
