import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import type { ChatOpenAIFields } from "@langchain/openai";
import { afterEach, describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  type Agent,
  type AgentOptions,
  conversational,
  createAgent,
  type Protocol,
  streamTurn,
} from "../../../src/index.js";
import { protocols } from "../../../src/protocols/by-name.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { modelAt, type OpenAIServer, type ServerReply, startOpenAIServer } from "../../helpers/openai-server.js";
import { bareTool } from "../../helpers/tools.js";
import { allOf, piecesOf } from "../../helpers/turn-events.js";
import { at } from "../../threads/open-kind.js";

const person = z.object({ name: z.string(), age: z.number() });
const ann = { name: "Ann", age: 3 };
const json = JSON.stringify(ann);
const fitting = { output: ann, answer: json, stopReason: "answered" };

let queries: string[] = [];
const search = tool(
  async ({ query }) => {
    queries.push(query);
    return `Found: ${query}`;
  },
  { name: "search", description: "Searches the web.", schema: z.object({ query: z.string() }) },
);
const lookUp: ServerReply = { toolCalls: [{ name: "search", args: { query: "Ann" } }] };
const give = (args: Record<string, unknown> | string): ServerReply => ({ toolCalls: [{ name: "final_answer", args }] });

let server: OpenAIServer;
afterEach(async () => {
  queries = [];
  await server?.close();
});

async function modelOver(script: Parameters<typeof startOpenAIServer>[0], fields: ChatOpenAIFields = {}) {
  server = await startOpenAIServer(script);
  return modelAt(server.url, fields);
}

const ask = { messages: "Who is it?" };
const toolNamesSent = () =>
  server.requests.map(({ body: { tools = [] } }) =>
    z
      .array(z.object({ function: z.object({ name: z.string() }) }))
      .parse(tools)
      .map((sent) => sent.function.name),
  );

type Script = Parameters<typeof startOpenAIServer>[0];

/** Runs a turn with a model over a server. */
async function turn(script: Script, options: Partial<AgentOptions> = {}, fields: ChatOpenAIFields = {}) {
  const model = await modelOver(script, fields);
  return createAgent({ model, tools: [search], output: person, ...options }).invoke(ask);
}

/** Runs a turn with a model that has no native tools. */
function turnInText(replies: readonly ScriptedReply[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(replies, { nativeTools: false });
  return createAgent({ model, tools: [search], output: person, ...options }).invoke(ask);
}

describe("a model without a response format answers with a call", () => {
  it("of the output tool, stored as a plain message", async () => {
    const state = await turn([lookUp, give(ann)]);
    expect(state).toMatchObject(fitting);
    expect(toolNamesSent()).toEqual(Array(2).fill(["search", "final_answer"]));
    expect(state.messages.map((message) => message.getType())).toEqual(["human", "ai", "tool", "ai"]);
    expect(state.messages.at(-1)).toMatchObject({ content: json, tool_calls: [] });
  });

  it("beside other calls comes too early: the other calls run first", async () => {
    const both: ServerReply = {
      toolCalls: [
        { name: "final_answer", args: { ...ann, age: 99 } },
        { name: "search", args: { query: "Ann" } },
      ],
    };
    const state = await turn([both, give(ann)]);
    expect(state).toMatchObject(fitting);
    expect(queries).toEqual(["Ann"]);
    const [, called] = state.messages;
    expect(called).toMatchObject({ tool_calls: [{ name: "search", args: { query: "Ann" } }] });
    const sent = server.requests[1]?.body.messages.find(({ role }) => role === "assistant");
    expect(JSON.stringify(sent)).not.toContain("final_answer");
  });

  it("that is corrected if it does not fit, with the complaint in the prompt", async () => {
    const state = await turn([give({ name: "Ann" }), give("{'name': 'Ann', 'age': 3,}")]);
    expect(state).toMatchObject(fitting);
    const [, reply, correction] = server.requests[1]?.body.messages.slice(-3) ?? [];
    expect(reply?.content).toBe("(no words)");
    expect(correction?.content).toMatch(/^You called:\nfinal_answer\(\{"name":"Ann"\}\)\n\n/);
    expect(correction?.content).toContain('"age" is missing. Its form must be: {"name": string, "age": number}.');
    expect(correction?.content).toContain('or give the answer to the question, as JSON, such as {"name":"…","age":1}.');
  });

  it.each<[string, readonly ServerReply[]]>([
    [
      "and of several calls the first that fits counts",
      [{ toolCalls: [{ name: "Bob" }, ann, { ...ann, age: 4 }].map((args) => ({ name: "final_answer", args })) }],
    ],
    ["or with JSON in its text, or is corrected", ["Ann is three.", `That is ${json}.`]],
    [
      "that may be cut off, and is then requested again",
      [{ toolCalls: [{ name: "final_answer", args: ann }], finishReason: "length" }, give(ann)],
    ],
  ])("%s", async (_what, replies) => {
    expect(await turn(replies)).toMatchObject(fitting);
    expect(server.requests).toHaveLength(replies.length);
  });
});

describe("a model with a response format", () => {
  const formats = () => server.requests.map(({ body }) => body.response_format);
  const named = { model: "gpt-4o-mini" };

  it("gets it together with the tools, in the strict form that the schema allows", async () => {
    expect(await turn([lookUp, json], {}, named)).toMatchObject(fitting);
    expect(toolNamesSent()).toEqual([["search"], ["search"]]);
    const { properties, required } = z.toJSONSchema(person);
    const schema = { type: "object", properties, required, additionalProperties: false };
    const sent = { type: "json_schema", json_schema: { name: "answer", strict: true, schema } };
    expect(formats()).toEqual([sent, sent]);
  });

  it("gets it without tools, too, with a list in an object, and not strict if a field is optional", async () => {
    const output = z.array(z.object({ name: z.string().optional() }));
    const state = await turn(['{"value": [{"name": "Ann"}]}'], { output, tools: [] }, named);
    expect(state).toMatchObject({ output: [{ name: "Ann" }], answer: '[{"name":"Ann"}]' });
    expect(formats()).toMatchObject([{ json_schema: { strict: false, schema: { required: ["value"] } } }]);
  });

  it("gets it not strict if the schema allows other keys", async () => {
    const output = z.object({ ages: z.record(z.string(), z.number()) });
    const state = await turn(['{"ages": {"Ann": 3}}'], { output }, named);
    expect(state.output).toEqual({ ages: { Ann: 3 } });
    expect(formats()).toMatchObject([{ json_schema: { strict: false } }]);
  });

  it.each([
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    "json mode cannot be combined with tool/function calling",
  ])("whose server refuses the format (%j) gets a tool from then on", async (message) => {
    const model = await modelOver([{ status: 400, message }, lookUp, give(ann), give(ann)], named);
    const agent = createAgent({ model, tools: [search], output: person });
    expect(await agent.invoke(ask)).toMatchObject(fitting);
    expect(await agent.invoke(ask)).toMatchObject(fitting);
    expect(toolNamesSent().map((names) => names.length)).toEqual([1, 2, 2, 2]);
    expect(formats().map(Boolean)).toEqual([true, false, false, false]);
  });

  it("gets a tool if it does not stream, because its package accepts only strict tools", async () => {
    expect(await turn([lookUp, give(ann)], {}, { ...named, disableStreaming: true })).toMatchObject(fitting);
    expect(formats()).toEqual([undefined, undefined]);
  });

  it("gets it beside settings that are bound to it", async () => {
    const model = (await modelOver([json], named)).withConfig({ tags: ["mine"], seed: 7 });
    expect(await createAgent({ model, tools: [search], output: person }).invoke(ask)).toMatchObject(fitting);
    expect(formats()).toMatchObject([{ type: "json_schema" }]);
    expect(server.requests[0]?.body.seed).toBe(7);
  });

  it("may be followed by a model that has no native tools", async () => {
    const first = await modelOver([{ status: 500 }], named);
    const second = scriptedModel([` I know.\nFinal Answer: ${json}`], { nativeTools: false });
    const agent = createAgent({ model: [first, second], tools: [search], output: person });
    expect(await agent.invoke(ask)).toMatchObject(fitting);
    expect(second.calls[0]?.prompt).toContain("The final answer must be JSON that fits this JSON schema");
  });

  it("falls back to a text protocol if its server refuses tools, and keeps to the output", async () => {
    const refusal = { status: 400, message: "This model does not support tools." };
    expect(await turn([refusal, ` I know.\nFinal Answer: ${json}`], {}, named)).toMatchObject(fitting);
    expect(server.prompts()[1]).toContain("Final Answer: the final answer");
  });
});

describe("an answer that is no output", () => {
  const refusal = "I cannot help with that.";
  const part = '{"name": "Ann", "ag';

  it.each<[string, readonly ServerReply[], object]>([
    [
      "stays a refusal",
      [{ text: refusal, finishReason: "refusal" }],
      { output: null, stopReason: "refused", answer: refusal },
    ],
    [
      "is the cut text if the token limit left part of it",
      [{ text: part, finishReason: "length" }],
      { output: null, stopReason: "length", answer: part },
    ],
    [
      "counts if the token limit cut only words after it",
      [{ text: `${json}\nI hope`, finishReason: "length" }],
      fitting,
    ],
    [
      "is requested again if a tool call, which looks similar, was cut off",
      [{ text: '{"name": "search", "arguments": {"que', finishReason: "length" }, json],
      fitting,
    ],
  ])("%s", async (_what, replies, state) => {
    expect(await turn(replies)).toMatchObject(state);
  });

  it("ends the turn after the number of replies that the option sets", async () => {
    const state = await turn(["Ann is three."], { limits: { maxUnreadable: 1 } });
    expect(state).toMatchObject({ output: null, stopReason: "invalid-output" });
    expect(state.answer).toContain("the model's last reply was no answer in the required form");
  });

  it.each([
    ["fits", json, ann],
    ["does not fit", "Found it.", null],
  ])("is the result of a tool that returns directly, with an output if it %s", async (_how, result, output) => {
    const find = bareTool("find", () => result, { returnDirect: true });
    const state = await turn([{ toolCalls: [{ name: "find", args: {} }] }], { tools: [find] });
    expect(state).toMatchObject({ output, answer: result, stopReason: "returned" });
  });
});

describe("JSON that looks like a call", () => {
  const looks = '{"name": "search", "age": 3}';

  it.each([
    [" I know.\nFinal Answer: ", ""],
    ["```json\n", "\n```"],
    ["Here is the answer:\n", ""],
  ])("is the answer where an answer may be, after %j", async (before, after) => {
    const state = await turnInText([`${before}${looks}${after}`]);
    expect(state).toMatchObject({ output: { name: "search", age: 3 }, stopReason: "answered" });
    expect(queries).toEqual([]);
  });

  it("is the input of a call after an action", async () => {
    const replies = [' Search.\nAction: search\nAction Input: {"query": "Ann"}', 'Final Answer: {"query": "x"}'];
    const state = await turnInText(replies, { output: z.object({ query: z.string() }) });
    expect(state.output).toEqual({ query: "x" });
    expect(queries).toEqual(["Ann"]);
  });

  it("stays a call if the schema names none of its keys", async () => {
    const call = '{"action": "search", "action_input": {"query": "Ann"}}';
    for (const output of [z.record(z.string(), z.unknown()), z.object({ note: z.string().optional() })]) {
      const state = await turnInText([call, 'Final Answer: {"note": "x"}'], { output });
      expect(state.output).toEqual({ note: "x" });
    }
    expect(queries).toEqual(["Ann", "Ann"]);
  });
});

const bob = 'Final Answer: {"name": "Bob", "age": 4}';
it.each([
  ["JSON in a thought is not the answer", [`<think>Maybe ${json}?</think>${bob}`]],
  [
    "the model is asked again if only a thought has JSON that fits",
    [`Thought: maybe ${json}?\nFinal Answer: I do not know.`, bob],
  ],
  ["the model is asked again if a list of answers is given", [`Final Answer: [${json}, ${json}]`, bob]],
])("%s", async (_what, replies) => {
  expect((await turnInText(replies)).output).toEqual({ name: "Bob", age: 4 });
});

it("a model without native tools answers in its text, even if it is asked natively", async () => {
  const model = scriptedModel([json], { nativeTools: false });
  expect(await createAgent({ model, protocol: "tool-calling", output: person }).invoke(ask)).toMatchObject(fitting);
  expect(model.calls[0]?.prompt).toContain("The final answer must be JSON that fits this JSON schema");
});

const builtIn = [...Object.values(protocols), conversational({ format: "json" })];

it.each(builtIn.filter(({ nativeTools }) => !nativeTools))(
  "the prompt has an example of an answer in its own form ($name)",
  async (protocol) => {
    const model = scriptedModel([json]);
    await createAgent({ model, protocol, output: person }).invoke(ask);
    const [, example = ""] = model.calls[0]?.messages[0]?.text.split("Such an answer looks like this:\n") ?? [];
    expect(protocol.parse(example, [])).toMatchObject({ kind: "finish", output: '{"name":"…","age":1}' });
  },
);

it("a protocol of one's own answers in the form, too", async () => {
  class Shouting implements Protocol {
    readonly name = "shouting";
    readonly exampleAnswer = "ANSWER: words";
    readonly #label = "ANSWER: ";
    render = ({ question, instructions = "" }: Parameters<Protocol["render"]>[0]) => [
      new HumanMessage(`${instructions}\n${question}`),
    ];
    parse(reply: Parameters<Protocol["parse"]>[0]): ReturnType<Protocol["parse"]> {
      const text = typeof reply === "string" ? reply : reply.text;
      return text.startsWith(this.#label)
        ? { kind: "finish", output: text.slice(this.#label.length) }
        : { kind: "unparseable", why: "It has no ANSWER." };
    }
    readonly #end = " STOP";
    reader() {
      return {
        push: (text: string) => ({ pieces: [], ...(text.includes(this.#end) && { end: text.indexOf(this.#end) }) }),
      };
    }
    correct() {
      return `Begin with ${this.#label}`;
    }
  }
  const model = scriptedModel([json, `ANSWER: ${json} STOP or not`]);
  const state = await createAgent({ model, protocol: new Shouting(), output: person }).invoke(ask);
  expect(state).toMatchObject({ ...fitting, reply: { text: `ANSWER: ${json}` } });
  expect(state.intermediateSteps[0]?.decision).toMatchObject({
    correction: expect.stringMatching(/^\[.+\]\nBegin with ANSWER: \n/),
  });
  expect(model.calls[0]?.prompt).toContain('Such an answer looks like this:\nANSWER: {"name":"…","age":1}');
});

describe("a turn with an output", () => {
  const eventsOf = (script: readonly string[], nativeTools: boolean) =>
    allOf(streamTurn(createAgent({ model: scriptedModel(script, { nativeTools }), output: person }), ask));

  it.each([
    ["a text protocol", false, ` I know.\nFinal Answer: \`\`\`json\n${json}\n\`\`\``],
    ["native calls", true, `\`\`\`json\n${json}\n\`\`\``],
  ])("of %s emits the answer as a whole, as text and as data", async (_protocol, nativeTools, reply) => {
    const told = await eventsOf([nativeTools ? "Ann." : " Hm.\nFinal Answer: Ann.", reply], nativeTools);
    const deltas = told.flatMap((event) => (event.type === "answer-delta" ? [event.text] : []));
    expect(deltas).toEqual([json]);
    const answer = { text: json, output: ann, stopReason: "answered" };
    expect(told.find(({ type }) => type === "answer")).toMatchObject(answer);
    expect(told.filter(({ type }) => type === "correction")).toHaveLength(1);
  });

  it("that has no output emits none", async () => {
    const told = await eventsOf(["No.", "No.", "No."], true);
    const answer = told.find(({ type }) => type === "answer");
    expect(answer).not.toHaveProperty("output");
    expect(answer).toMatchObject({ text: piecesOf(told) });
  });

  it("sends one whole message to LangGraph's messages stream", async () => {
    const agent = createAgent({ model: scriptedModel(["Ann.", `\`\`\`\n${json}\n\`\`\``]), output: person });
    const texts: string[] = [];
    for await (const [message] of await agent.stream(ask, { streamMode: "messages" })) texts.push(message.text);
    expect(texts).toEqual([json]);
  });

  it("that is cancelled has no partial output, and not that of the last turn", async () => {
    const checkpointer = new MemorySaver();
    const model = await modelOver([json, { text: 'It is Ben: {"name": "Ben", "age": 4}', stallAfterPieces: 3 }]);
    const agent = createAgent({ model, output: person, checkpointer, rephrase: false });
    expect((await agent.invoke(ask, at("t"))).output).toEqual(ann);
    const stopping = new AbortController();
    await expect(async () => {
      for await (const { type } of streamTurn(agent, ask, { ...at("t"), signal: stopping.signal })) {
        if (type === "text-delta") stopping.abort();
      }
    }).rejects.toThrow(/abort/i);
    const { values } = await agent.getState(at("t"));
    expect(values).toMatchObject({ output: null, answer: null, stopReason: "cancelled" });
  });

  it("has the type of its schema", async () => {
    const agent = createAgent({ model: scriptedModel([json]), output: person });
    const { output } = await agent.invoke(ask);
    expectTypeOf(output).toEqualTypeOf<{ name: string; age: number } | null>();
    expectTypeOf(agent).toExtend<Agent>();
    expectTypeOf(createAgent({ model: "offline" })).toEqualTypeOf<Agent>();
    expect(output).toEqual(ann);
  });
});
