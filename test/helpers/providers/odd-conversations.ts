import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { type DynamicStructuredTool, tool } from "@langchain/core/tools";
import type { Schema } from "./refusals.js";

const text = { type: "string" };
const either = [
  { type: "object", properties: { id: text }, required: ["id"] },
  { type: "object", properties: { url: text }, required: ["url"] },
];
const plain = { type: "object", properties: { q: text } };

/** Tools as MCP servers have them, whose names or schemas some provider refuses, with input that their schemas take. */
export const oddTools: readonly (readonly [name: string, schema: Schema, input: Record<string, unknown>])[] = [
  ["calendar.read", plain, { q: "x" }],
  ["calendar/read", plain, { q: "x" }],
  ["n".repeat(140), plain, { q: "x" }],
  ["no_properties", { type: "object" }, {}],
  ["no_items", { type: "object", properties: { names: { type: "array" } } }, { names: ["a"] }],
  ["choice", { type: "object", anyOf: either }, { url: "x" }],
  ["no_type", { oneOf: either }, { id: "x" }],
  ["reference", { $ref: "#/$defs/Page", $defs: { Page: either[0] } }, { id: "x" }],
  ["both", { type: "object", properties: { a: text }, allOf: either }, { id: "x", url: "y" }],
  [
    "pair",
    { type: "object", properties: { at: { type: "array", items: [text, { type: "number" }] } } },
    { at: ["a", 1] },
  ],
  ["nested", { type: "object", properties: { to: { type: "object", required: ["a"] } } }, { to: { a: 1 } }],
  [
    "tree",
    {
      type: "object",
      properties: { kind: { const: "t" }, of: { $ref: "#" }, n: { type: "integer", exclusiveMinimum: 0 } },
    },
    { kind: "t", of: { kind: "t" }, n: 1 },
  ],
];

/** Makes the odd tools. Each notes its calls. */
export function makeOddTools(note: (name: string, input: unknown) => void): DynamicStructuredTool[] {
  return oddTools.map(([name, schema]) =>
    tool(
      (input: unknown) => {
        note(name, input);
        return [
          { type: "text", text: "" },
          { type: "text", text: `${name} is done.` },
        ];
      },
      { name, description: "A tool.", schema },
    ),
  );
}

const asks = (...ids: string[]) =>
  new AIMessage({ content: "", tool_calls: ids.map((id, n) => ({ id, name: "look", args: { q: `${n}` } })) });
const gives = (tool_call_id: string, content = "5") => new ToolMessage({ tool_call_id, name: "look", content });
const said = [new AIMessage("Five."), new HumanMessage("And?")];

/** Conversations of other programs, whose texts or ids some provider refuses. */
export const oddHistories: Readonly<Record<string, readonly BaseMessage[]>> = {
  "ids that are doubled": [
    ...[new HumanMessage("How many?"), asks("a", "a"), gives("a", "5"), gives("a", "6"), asks("a"), gives("a", "7")],
    ...said,
  ],
  "ids that are empty": [new HumanMessage("How many?"), asks("", ""), gives("", "5"), gives("", "6"), ...said],
  "ids of other servers": [
    ...[new HumanMessage("How many?"), asks("functions.look:0"), gives("functions.look:0")],
    ...[asks("functions_look:0"), gives("functions_look:0"), asks("x".repeat(60)), gives("x".repeat(60)), ...said],
  ],
  "messages of white space": [
    ...[new HumanMessage("a"), new AIMessage(" "), new HumanMessage(" \n"), new AIMessage("b"), new HumanMessage("c")],
  ],
  "empty blocks of text": [
    new HumanMessage({
      content: [
        { type: "text", text: " " },
        { type: "text", text: "How many?" },
      ],
    }),
    new AIMessage({
      content: [
        { type: "text", text: "Five." },
        { type: "text", text: "\n\n" },
      ],
    }),
    new HumanMessage("And?"),
  ],
};
