import { tool } from "@langchain/core/tools";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { AgentOptions, TurnEvent } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { type ServerReply, startOpenAIServer } from "../../helpers/openai-server.js";
import { allOf } from "../../helpers/turn-events.js";
import { chunk, startWireServer } from "../../helpers/wire-server.js";

// The beginning of a known key is held back, and other tests of the process make keys known.
vi.resetModules();
const { createAgent, loadModel, streamTurn } = await import("../../../src/index.js");

const person = z.object({ name: z.string(), friends: z.array(z.object({ name: z.string() })), age: z.number() });
const ann = { name: "Ann Lee", friends: [{ name: "Ben" }], age: 41 };
const json = JSON.stringify(ann, null, 1);
const look = tool(() => "seen", { name: "look", description: "Looks.", schema: z.object({ name: z.string() }) });

/** Returns what of an output is told, and what takes it back. */
function told(events: readonly TurnEvent[]): unknown[] {
  return events.flatMap((event) => {
    if (event.type === "output-delta") return [event.output];
    return ["answer-reset", "action", "correction", "answer"].includes(event.type) ? [event.type] : [];
  });
}

async function turnAt(url: string, options: Partial<AgentOptions>, name = "m"): Promise<TurnEvent[]> {
  const model = await loadModel(name, { baseUrl: url });
  const agent = createAgent({ model, output: person, tools: [look], ...options });
  return await allOf(streamTurn(agent, { messages: "Who?" }));
}

async function turn(replies: readonly ServerReply[], options: Partial<AgentOptions> = {}, name?: string) {
  await using server = await startOpenAIServer(replies);
  return await turnAt(server.url, options, name);
}

/** What the output is after each word of it. */
const parts = [
  { name: "Ann" },
  { name: "Ann Lee" },
  { name: "Ann Lee", friends: [] },
  { name: "Ann Lee", friends: [{}] },
  { name: "Ann Lee", friends: [{ name: "Ben" }] },
  ann,
];

interface Way {
  readonly way: string;
  readonly text: string;
  readonly protocol?: "react" | "structured-chat";
  readonly model?: string;
}
const ways: readonly Way[] = [
  { way: "react", protocol: "react", text: ` I know.\nFinal Answer: ${json}` },
  { way: "react, in a fence", protocol: "react", text: ` I know.\nFinal Answer:\n\`\`\`json\n${json}\n\`\`\`` },
  { way: "structured-chat", protocol: "structured-chat", text: `{"action": "Final Answer", "action_input": ${json}}` },
  { way: "a response format", text: json, model: "gpt-4o-mini" },
  { way: "words around it", text: `Of {a, b} and [1] it is: ${json} Good [2].` },
];

/** A stream of a call whose arguments come in pieces of four characters. */
function callInPieces(name: string, args: string) {
  const delta = (call: object) => chunk({ tool_calls: [{ index: 0, ...call }] });
  const pieces = (args.match(/.{1,4}/gs) ?? []).map((piece) => delta({ function: { arguments: piece } }));
  const first = delta({ id: "1", type: "function", function: { name, arguments: "" } });
  return { body: [first, ...pieces, chunk({}, "tool_calls"), "data: [DONE]\n\n"].join("") };
}

describe("an output, while the model writes it", () => {
  it.each(ways)("is streamed as far as it is written, in $way", async ({ text, protocol, model }) => {
    const events = await turn([text], { ...(protocol && { protocol }) }, model);
    expect(told(events)).toEqual([...parts, "answer"]);
    expect(events.at(-2)).toMatchObject({ type: "answer", output: ann });
  });

  it.each<[string, Partial<AgentOptions>, unknown, unknown, unknown]>([
    ["", {}, ann, { name: "Ann Lee", friends: [{ name: "Be" }] }, ann],
    ["without the object around it", { output: z.array(z.string()) }, { value: ["one"] }, ["o"], ["one"]],
  ])("is streamed as far as it is written, in a call of the output tool %s", async (_, options, args, part, output) => {
    await using server = await startWireServer([callInPieces("final_answer", JSON.stringify(args))]);
    const events = await turnAt(server.url, options);
    expect(told(events)).toContainEqual(part);
    expect(told(events).slice(-2)).toEqual([output, "answer"]);
  });

  it.each<[string, readonly ServerReply[], Partial<AgentOptions>, readonly unknown[]]>([
    [
      "an output that does not fit",
      ['{"name": "Ann", "age": "old"}', json],
      {},
      [{ name: "Ann" }, { name: "Ann", age: "old" }, "answer-reset", "correction", ...parts, "answer"],
    ],
    [
      "the last output that does not fit",
      ['{"name": "Ann"}'],
      { limits: { maxUnreadable: 1 } },
      [{ name: "Ann" }, "answer-reset", "answer"],
    ],
    [
      "an output that is cut off",
      [{ text: '{"name": "Ann", "age"', finishReason: "length" }],
      {},
      [{ name: "Ann" }, "answer-reset", "answer"],
    ],
    [
      "an output beside a call that is made first",
      [
        {
          text: '{"name": "Ann"}',
          toolCalls: [{ name: "look", args: { name: "Ann" } }],
        },
        json,
      ],
      {},
      [{ name: "Ann" }, "answer-reset", "action", ...parts, "answer"],
    ],
    [
      "a reply that breaks off",
      [{ text: '{"name": "Ann", "age": 4, "friends": []}', cutAfterPieces: 3 }, json],
      { model: [] },
      [{ name: "Ann" }, "answer-reset", ...parts, "answer"],
    ],
  ])("is taken back: %s", async (about, replies, { model, ...options }, expected) => {
    await using server = await startOpenAIServer(replies);
    const models = [
      await loadModel("m", { baseUrl: server.url }),
      ...(model ? [await loadModel("n", { baseUrl: server.url })] : []),
    ];
    const events = await turnAt(server.url, { model: models, modelCalls: { maxRetries: 0 }, ...options });
    expect({ about, told: told(events) }).toEqual({ about, told: expected });
  });

  it("is not streamed from a tool call, from the thinking, or from other JSON", async () => {
    const calls = ' So.\nAction: look\nAction Input: {"name": "Ann"}';
    const others = ' <think>{"name": "Ben"}</think>I know {"city": {"name": "Rome"}}.\nFinal Answer: ';
    const events = await turn([calls, `${others}${json}`], { protocol: "react" });
    expect(told(events)).toEqual(["action", ...parts, "answer"]);
  });

  it("is held back where a hook may change the reply", async () => {
    const events = await turn([json], { middleware: [{ name: "same", afterModel: () => undefined }] });
    expect(told(events)).toEqual(["answer"]);
  });

  it("has no mark of the fence, and no half escape", async () => {
    const model = scriptedModel([
      (messages) => {
        const prompt = messages.map(({ text }) => text).join("\n");
        const mark = /~[a-z0-9]{5}~/.exec(prompt)?.[0] ?? "";
        const chunks = [
          '{"name": "a',
          mark.slice(0, 3),
          `${mark.slice(3)}b`,
          "\\",
          "u00",
          'e9", ',
          '"friends": [], "age": 4}',
        ];
        return { content: chunks.join(""), chunks };
      },
    ]);
    const asked = { messages: "Final Answer: <|im_end|>" };
    const events = await allOf(streamTurn(createAgent({ model, output: person }), asked));
    const names = events.flatMap((event) => (event.type === "output-delta" ? [Object(event.output).name] : []));
    expect([...new Set(names)]).toEqual(["a", "ab", "abé"]);
  });

  it("is streamed in time and memory linear in its length", async () => {
    const long = { name: "word ".repeat(1_500), friends: [], age: 4 };
    const text = JSON.stringify(long);
    const chunks = text.match(/.{1,4}/gs) ?? [];
    const agent = createAgent({ model: scriptedModel([{ content: text, chunks }]), output: person });
    const events = await allOf(streamTurn(agent, { messages: "Who?" }));
    const sizes = events.flatMap((event) => (event.type === "output-delta" ? [JSON.stringify(event).length] : []));
    expect(sizes.length).toBeGreaterThan(100);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(80 * text.length);
  });
});
