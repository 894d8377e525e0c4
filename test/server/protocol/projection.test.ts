import { expect, test } from "vitest";
import type { Run, RunEvent } from "../../../src/server/engine/run-engine.js";
import { Projection } from "../../../src/server/protocol/projection.js";
import { order } from "../engine/open-engine.js";

const run: Run = { ...order(), id: "r", number: 2, status: "success", attempt: 1, createdAt: "", updatedAt: "" };
const chunk = (fields: object, id = "m") =>
  [
    "messages",
    [
      { type: "AIMessageChunk", id, content: "", ...fields },
      { langgraph_node: "n", langgraph_checkpoint_ns: "n:1" },
    ],
  ] as const;
const piece = (index: number, args: string, call: object = {}) =>
  chunk({ tool_call_chunks: [{ index, args, ...call }] });
const state = (...ids: string[]) => ["values", { messages: ids.map((id) => ({ id })) }] as const;

/** What the events of stored ones say, in a few words. */
function said(stored: readonly (readonly [string, unknown])[], status: Run["status"] = "success"): unknown[] {
  const projection = new Projection(run);
  const events = stored.flatMap(([event, data], index): RunEvent[] => [
    { seq: index + 1, event, json: JSON.stringify(data), at: 5 },
  ]);
  const made = [...events.flatMap((event) => projection.of(event)), ...projection.end({ ...run, status })];
  return made.map(({ method, params: { data } }) => {
    const { event = method, delta, content, reason: _, ...rest } = Object(data);
    return [
      event,
      (typeof delta === "string" ? delta : delta?.text) ??
        delta?.reasoning ??
        delta?.fields?.args ??
        content ??
        rest.message ??
        rest.usage,
    ].filter((one) => one !== undefined);
  });
}

const start = ["message-start"];
const finish = ["message-finish"];
const block = (content: object, ...deltas: string[]) =>
  [deltas.map((text) => ["content-block-delta", text]), [["content-block-finish", content]]].flat();
const done = ["completed"];

test.each([
  [
    "thoughts, words and calls follow one another as blocks",
    [
      chunk({ content: [{ type: "thinking", thinking: "Hm", index: 0 }] }),
      chunk({ content: "I " }),
      chunk({ content: "ask" }),
      piece(0, "", { id: "c", name: "f" }),
      piece(0, '{"a":'),
      piece(0, "1"),
      piece(0, "}"),
      piece(1, "no", { id: "d", name: "g" }),
      chunk({ usage_metadata: { total_tokens: 7 } }),
      state("m"),
    ],
    [
      ...[
        start,
        ["content-block-start", { type: "reasoning", reasoning: "" }],
        ...block({ type: "reasoning", reasoning: "Hm" }, "Hm"),
      ],
      ...[["content-block-start", { type: "text", text: "" }], ...block({ type: "text", text: "I ask" }, "I ", "ask")],
      ...[
        ["content-block-start", { type: "tool_call_chunk", id: "c", name: "f", args: "" }],
        ...block({ type: "tool_call", id: "c", name: "f", args: { a: 1 } }, '{"a":'),
      ],
      ...[
        ["content-block-start", { type: "tool_call_chunk", id: "d", name: "g", args: "no" }],
        ...block({ type: "invalid_tool_call", id: "d", name: "g", args: "no", error: "The arguments are no JSON." }),
      ],
      ...[["message-finish", { total_tokens: 7 }], ["values"], done],
    ],
  ],
  [
    "a message that was not streamed has its calls and media whole, and its result is known from the state",
    [
      chunk({
        type: "ai",
        content: [
          { type: "image", url: "u" },
          { type: "tool_use", id: "c" },
        ],
        tool_calls: [{ id: "c", name: "f", args: { a: 1 } }],
      }),
      ["messages", [{ type: "tool", id: "t", content: "x" }, {}]],
    ],
    [
      ...[
        start,
        ["content-block-start", { type: "image", url: "u" }],
        ["content-block-finish", { type: "image", url: "u" }],
      ],
      ...[
        ["content-block-start", { type: "tool_call_chunk", id: "c", name: "f", args: '{"a":1}' }],
        ...block({ type: "tool_call", id: "c", name: "f", args: { a: 1 } }),
      ],
      ...[finish, done],
    ],
  ],
  [
    "words that an attempt left have no end, and what the state has is not said again",
    [["metadata", {}], chunk({ content: "lost" }, "old"), ["metadata", {}], state("m"), chunk({ content: "late" })],
    [
      ["running"],
      start,
      ["content-block-start", { type: "text", text: "" }],
      ["content-block-delta", "lost"],
      ["running"],
      ["values"],
      done,
    ],
  ],
  [
    "tools say how they went",
    [
      ["tools", { event: "on_tool_start", toolCallId: "c", name: "f", input: "{}" }],
      ["tools", { event: "on_tool_event", toolCallId: "c", data: { a: 1 } }],
      ["tools", { event: "on_tool_end", toolCallId: "c", output: "x" }],
      ["tools", { event: "on_tool_error", toolCallId: "c", error: { name: "Error", message: "It broke." } }],
    ],
    [["tool-started"], ["tool-output-delta", '{"a":1}'], ["tool-finished"], ["tool-error", "It broke."], done],
  ],
] as const)("%s", (_, stored, expected) => {
  expect(said(stored)).toEqual(expected);
});

test("words that were cut off with their run have no end", () => {
  const cut = [chunk({ content: "cut" })];
  for (const [status, end] of [
    ["interrupted", "interrupted"],
    ["error", "failed"],
  ] as const)
    expect(said(cut, status).slice(-2)).toEqual([["content-block-delta", "cut"], [end]]);
});
