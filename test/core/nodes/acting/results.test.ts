import { ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { Command, InMemoryStore, interrupt, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { contentText } from "../../../../src/core/state/content.js";
import { filesIn } from "../../../../src/core/state/file-block.js";
import { type AgentOptions, createAgent, documentSearch } from "../../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../../src/testing/index.js";
import { type ServerReply, startOpenAIServer } from "../../../helpers/openai-server.js";
import { matrix } from "../../../matrix/matrix.js";
import { memorySaver, savers } from "../../../matrix/savers.js";

const thread = { configurable: { thread_id: "t" } };
const noInput = z.object({});

const toolOf = (name: string, returns: () => unknown, fields = {}): StructuredToolInterface =>
  tool(async () => returns(), { name, description: `Does ${name}.`, schema: noInput, ...fields });

const native = (...names: string[]): ScriptedReply => ({
  content: "I act",
  tool_calls: names.map((name) => ({ name, args: {} })),
});

/** A call and an answer, in the words of each protocol. */
const words = {
  react: [(name: string) => `I act\nAction: ${name}\nAction Input: {}`, "Final Answer: Done."],
  "structured-chat": [
    (name: string) => `Action:\n\`\`\`json\n{"action": "${name}", "action_input": {}}\n\`\`\``,
    'Action:\n```json\n{"action": "Final Answer", "action_input": "Done."}\n```',
  ],
  "tool-calling": [(name: string) => native(name), "Done."],
} as const;
const protocols = ["react", "structured-chat", "tool-calling"] as const;

async function turnWith(returned: () => unknown, options: Partial<AgentOptions> & { fields?: object } = {}) {
  const { fields, protocol = "tool-calling", ...others } = options;
  const [call, end] = words[protocol === "react" || protocol === "structured-chat" ? protocol : "tool-calling"];
  const model = scriptedModel([call("look"), end]);
  const agent = createAgent({ model, tools: [toolOf("look", returned, fields)], protocol, ...others });
  const state = await agent.invoke({ messages: "Look." }, thread);
  return {
    state,
    model,
    result: state.intermediateSteps[0]?.results[0],
    message: state.messages.find((message) => ToolMessage.isInstance(message)),
  };
}

const withArtifact = { responseFormat: "content_and_artifact" };
const places = [
  { title: "Cats", address: "cats.md", passage: "Cats sleep." },
  { title: "Dogs", address: "dogs.md" },
];
const image = { type: "image", source_type: "base64", mime_type: "image/png", data: "iVBORw0KGgo=" };

describe("an artifact", () => {
  describe.each(protocols)("in %s", (protocol) => {
    it.each(matrix(savers, memorySaver))(
      "is in the step, in the message and in the sources, kept by $kept",
      async ({ open }) => {
        const checkpointer = await open();
        const artifact = { sources: places, rows: [["a", 1]] };
        const { model } = await turnWith(() => ["seen", artifact], { protocol, checkpointer, fields: withArtifact });
        const again = createAgent({ model, tools: [], protocol, checkpointer });
        const { values } = await again.getState(thread);
        expect(values.intermediateSteps[0].results[0]).toMatchObject({ observation: "seen", artifact });
        expect(values.messages.find((message: unknown) => ToolMessage.isInstance(message)).artifact).toEqual(artifact);
        expect(values.sources).toEqual(places);
      },
    );
  });

  it("of a tool that returns a tool message is kept, with its status", async () => {
    const { result, message } = await turnWith(
      () => new ToolMessage({ tool_call_id: "other", content: "no rights", artifact: [1], status: "error" }),
    );
    expect(result).toMatchObject({ observation: "no rights", status: "error", artifact: [1] });
    expect(message).toMatchObject({
      content: "no rights",
      status: "error",
      artifact: [1],
      tool_call_id: "call_1",
    });
  });

  it("names each passage once, and the sources stay while prompts show its turn", async () => {
    const search = toolOf("search", () => ["found", { sources: places }], withArtifact);
    const model = scriptedModel([native("search", "search"), native("search"), "Done.", "Hello."]);
    const agent = createAgent({ model, tools: [search], rephrase: false, checkpointer: new MemorySaver() });
    expect((await agent.invoke({ messages: "Search." }, thread)).sources).toEqual(places);
    expect((await agent.invoke({ messages: "Hi." }, thread)).sources).toEqual(places);
  });

  it("of the document search has the passages", async () => {
    await using search = documentSearch({ folder: "knowledge", maxResults: 1 });
    const call = { content: "", tool_calls: [{ name: "document_search", args: { query: "cube robot record" } }] };
    const agent = createAgent({ model: scriptedModel([call, "Done."]), tools: [search] });
    const { sources } = await agent.invoke({ messages: "Who?" });
    expect(sources).toMatchObject([
      { address: expect.stringMatching(/\.md$/), passage: expect.stringContaining("robot") },
    ]);
  });

  it.each(matrix(savers, memorySaver))(
    "survives a question of another call, with blocks and commands, kept by $kept",
    async ({ open }) => {
      const content = [{ type: "text", text: "seen" }, image];
      const blocks = toolOf("blocks", () => [content, { n: new Set([1]) }], withArtifact);
      let runs = 0;
      const command = toolOf("command", () => {
        runs += 1;
        return new Command({ update: { messages: [{ role: "user", content: "more" }] }, goto: "plan" });
      });
      const ask = toolOf("ask", () => `said ${interrupt("Sure?")}`);
      const model = scriptedModel([native("blocks", "command", "ask"), "Done."]);
      const agent = createAgent({ model, tools: [blocks, command, ask], checkpointer: await open() });
      await agent.invoke({ messages: "Do it." }, thread);
      const state = await agent.invoke(new Command({ resume: "yes" }), thread);
      expect(runs).toBe(1);
      const [seen] = state.intermediateSteps[0]?.results ?? [];
      expect(seen).toMatchObject({ content, artifact: { n: new Set([1]) } });
      expect(state.messages.map((message) => [message.getType(), message.text])).toEqual([
        ["human", "Do it."],
        ["ai", "I act"],
        ["tool", "seen"],
        ["tool", "command has run."],
        ["tool", "said yes"],
        ["human", "more"],
        ["ai", "Done."],
      ]);
    },
  );
});

describe("content blocks", () => {
  it.each(protocols)("stay in the tool message, and are described to the model, in %s", async (protocol) => {
    const content = [{ type: "text", text: "A cat:" }, image];
    const { result, message, model } = await turnWith(() => content, { protocol });
    expect(message?.content).toEqual(content);
    expect(result).toMatchObject({ observation: "A cat:\n[an image, image/png, 8 bytes]", content });
    expect(model.calls[1]?.prompt).toContain("A cat:\n[an image, image/png, 8 bytes]");
    expect(model.calls[1]?.prompt).not.toContain("iVBOR");
  });

  const texts: [string, Record<string, unknown>, string][] = [
    [
      "an image of OpenAI",
      { type: "image_url", image_url: { url: "data:image/jpeg;base64,AAAA" } },
      "[an image, image/jpeg, 3 bytes]",
    ],
    ["an image on the web", { type: "image_url", image_url: "https://a.org/b.png" }, "[an image, https://a.org/b.png]"],
    [
      "an image of LangChain 1",
      { type: "image", mimeType: "image/png", data: new Uint8Array(2500) },
      "[an image, image/png, 3 KB]",
    ],
    [
      "an image of Anthropic",
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      "[an image, image/png, 3 bytes]",
    ],
    [
      "a recording",
      { type: "audio", source_type: "base64", mime_type: "audio/wav", data: "A".repeat(4_000_000) },
      "[a recording, audio/wav, 3.0 MB]",
    ],
    [
      "a file",
      { type: "file", mimeType: "application/pdf", data: "AAAA", metadata: { filename: "a.pdf" } },
      "[a file, a.pdf, application/pdf, 3 bytes]",
    ],
    ["a file by its id", { type: "file", fileId: "f1" }, "[a file, f1]"],
    [
      "an MCP resource",
      { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "body" } },
      "body",
    ],
    [
      "an MCP resource of bytes",
      { type: "resource", resource: { uri: "file:///a", mimeType: "x/y", blob: "AAAA" } },
      "[a file, x/y, 3 bytes, file:///a]",
    ],
    ["an MCP link", { type: "resource_link", name: "a", uri: "file:///a" }, "[a file, a, file:///a]"],
    [
      "structured content",
      { type: "text", text: "", structuredContent: { n: 3 } },
      '{"type":"text","text":"","structuredContent":{"n":3}}',
    ],
    ["data with a type", { type: "flight", price: 3 }, '{"type":"flight","price":3}'],
    ["data with a long file in it", { type: "scan", raw: "A".repeat(2000) }, '{"type":"scan","raw":"[2 KB of data]"}'],
  ];
  it.each(texts)("have a text: %s", (_, block, text) => {
    expect(contentText([{ type: "x", ...block }])).toBe(text);
  });

  it.each([
    ["no text", () => "", {}],
    ["nothing", () => undefined, {}],
    ["an empty block", () => [{ type: "text", text: "" }], {}],
  ])("that are empty stay empty, and a text protocol says so: %s", async (_, returned, fields) => {
    expect((await turnWith(returned, { fields })).message?.text).toBe("");
    const { model } = await turnWith(returned, { fields, protocol: "react" });
    expect(model.calls[1]?.prompt).toContain("Observation: The tool returned nothing.\n");
  });

  it("that are only in the artifact are shown, as with LangChain's adapters for MCP", async () => {
    const resource = { type: "resource", resource: { uri: "file:///a.txt", text: "body" } };
    const { result } = await turnWith(() => [[], [resource]], { fields: withArtifact });
    expect(result).toMatchObject({ observation: "body", artifact: [resource] });
  });

  it("give their text as the answer of a tool that returns directly", async () => {
    const { state } = await turnWith(() => [{ type: "text", text: "A cat." }], { fields: { returnDirect: true } });
    expect(state).toMatchObject({ answer: "A cat.", stopReason: "returned" });
  });

  it("have the note about an input that a person changed", async () => {
    const content = [{ type: "text", text: "seen" }];
    const agent = createAgent({
      model: scriptedModel([native("look"), "Done."]),
      tools: [toolOf("look", () => content, { schema: z.object({ at: z.string().optional() }) })],
      approve: "always",
      checkpointer: new MemorySaver(),
    });
    const state = await agent.invoke({ messages: "Look." }, thread);
    const [{ value }] = z.object({ __interrupt__: z.tuple([z.object({ value: z.any() })]) }).parse(state).__interrupt__;
    const id: string = value.requests[0].id;
    const after = await agent.invoke(new Command({ resume: { [id]: { type: "edit", input: { at: "it" } } } }), thread);
    const message = after.messages.find((message) => ToolMessage.isInstance(message));
    expect(message?.content).toEqual([...content, { type: "text", text: expect.stringContaining("A person changed") }]);
  });

  const screenshot = () => [{ type: "text", text: "A cat:" }, image, { type: "image_url", image_url: "https://a.org" }];
  async function overHttp(model: string, script: readonly ServerReply[]) {
    const server = await startOpenAIServer(script);
    onTestFinished(() => server.close());
    const chat = new ChatOpenAI({ model, apiKey: "key", configuration: { baseURL: server.url }, maxRetries: 0 });
    const agent = createAgent({ model: chat, tools: [toolOf("look", screenshot)] });
    const { answer } = await agent.invoke({ messages: "Look." });
    return { answer, sent: server.requests.map(({ body }) => body.messages.slice(3)) };
  }
  const call = { toolCalls: [{ name: "look", args: {} }] };
  const told = { role: "tool", content: "A cat:\n[an image, image/png, 8 bytes]\n[an image, https://a.org]" };

  it("go to a model that takes images, in a message that its server takes", async () => {
    const { sent } = await overHttp("gpt-4o", [call, "A cat."]);
    const url = "data:image/png;base64,iVBORw0KGgo=";
    const shown = {
      role: "user",
      content: [
        { type: "text", text: "look returned:" },
        { type: "image_url", image_url: { url } },
      ],
    };
    expect(sent[1]).toMatchObject([told, shown]);
  });

  it("go to no model whose profile says that it does not take them", async () => {
    expect((await overHttp("gpt-3.5-turbo", [call, "A cat."])).sent[1]).toMatchObject([told]);
  });

  it("are not sent again to a server that refuses an image, and the turn goes on", async () => {
    const refusal = { status: 400, message: "Could not process image." };
    const { answer, sent } = await overHttp("gpt-4o", [call, refusal, "A cat."]);
    expect(answer).toBe("A cat.");
    expect(sent.map((messages) => messages.length)).toEqual([0, 2, 1]);
  });

  it("of other types are not sent as images", () => {
    expect(
      filesIn([{ type: "image", mimeType: "image/tiff", data: "AAAA" }], { files: ["image"], fileForm: "older" }),
    ).toEqual([]);
  });
});

describe("a tool of LangChain", () => {
  it("gets the whole runtime", async () => {
    const store = new InMemoryStore();
    const seen: unknown[] = [];
    const look = tool(
      (_, runtime) => {
        const { state, toolCallId, config, context, store, writer } = z.looseObject({}).parse(runtime);
        seen.push({ state, toolCallId, config, context, store, writer });
        return "seen";
      },
      { name: "look", description: "Looks.", schema: noInput },
    );
    const agent = createAgent({ model: scriptedModel([native("look"), "Done."]), tools: [look], store });
    await agent.invoke({ messages: "Look." }, { context: { user: "ann" }, configurable: { thread_id: "7" } });
    expect(seen).toMatchObject([
      {
        state: { question: "Look.", messages: [{ content: "Look." }, { content: "I act" }] },
        toolCallId: "call_1",
        config: { configurable: { thread_id: "7" } },
        context: { user: "ann" },
        writer: expect.any(Function),
        store: expect.objectContaining({ get: expect.any(Function) }),
      },
    ]);
  });

  it.each([
    ["a text", (): unknown => "found", "found"],
    ["an object", () => ({ hits: ["a"] }), '{"hits":["a"]}'],
    ["a message", () => new ToolMessage({ content: "found", tool_call_id: "x" }), "found"],
    ["the state of a graph", () => ({ messages: [new ToolMessage({ content: "found", tool_call_id: "x" })] }), "found"],
  ])("as a runnable may return %s", async (_, returned, observation) => {
    const look = RunnableLambda.from(async () => returned()).asTool({
      name: "look",
      description: "Looks.",
      schema: noInput,
    });
    const model = scriptedModel([native("look"), "Done."]);
    const agent = createAgent({ model, tools: [look] });
    const state = await agent.invoke({ messages: "Look." });
    expect(state.intermediateSteps[0]?.results).toMatchObject([{ observation, status: "success" }]);
  });

  it("as a runnable needs no description", async () => {
    const look = RunnableLambda.from(async () => "found").asTool({ name: "look", schema: noInput });
    const model = scriptedModel(["Final Answer: Done."]);
    await createAgent({ model, tools: [look], protocol: "react" }).invoke({ messages: "Look." });
    expect(model.calls[0]?.prompt).toContain("\nlook: ");
    expect(model.calls[0]?.prompt).not.toContain("undefined");
  });

  const inner = () =>
    createAgent({
      model: scriptedModel([native("search"), "It is 42."]),
      tools: [toolOf("search", () => ["found", { sources: places }], withArtifact)],
      name: "inner",
    });
  const question = z.object({ messages: z.string() });
  it.each([
    ["asTool()", () => inner().asTool({ name: "ask", description: "Asks.", schema: question })],
    [
      "a tool that returns its state",
      () =>
        tool((input, config) => inner().invoke(input, config), { name: "ask", description: "Asks.", schema: question }),
    ],
  ])("may be an agent, which gives its answer and its sources: %s", async (_, make) => {
    const model = scriptedModel([{ content: "", tool_calls: [{ name: "ask", args: { messages: "?" } }] }, "Done."]);
    const state = await createAgent({ model, tools: [make()] }).invoke({ messages: "Ask." });
    expect(state.intermediateSteps[0]?.results).toMatchObject([{ observation: "It is 42.", status: "success" }]);
    expect(state.sources).toEqual(places);
  });

  it.each([
    ["as text", (): unknown => JSON.stringify({ messages: [], answer: "42", stopReason: "failed" })],
    ["as an object", () => ({ messages: [], answer: "42", stopReason: "failed" })],
  ])("may return JSON that looks like the state of an agent, %s", async (_, returned) => {
    const { result } = await turnWith(returned);
    expect(result).toMatchObject({
      observation: '{"messages":[],"answer":"42","stopReason":"failed"}',
      status: "success",
    });
  });

  it("may be an agent that finds no answer, which is an error", async () => {
    const stuck = createAgent({
      model: scriptedModel([native("no"), native("no")]),
      limits: { maxSteps: 1 },
      tools: [],
    });
    const ask = stuck.asTool({ name: "ask", description: "Asks.", schema: question });
    const model = scriptedModel([{ content: "", tool_calls: [{ name: "ask", args: { messages: "?" } }] }, "Done."]);
    const state = await createAgent({ model, tools: [ask] }).invoke({ messages: "Ask." });
    expect(state.intermediateSteps[0]?.results).toMatchObject([{ status: "error" }]);
  });
});
