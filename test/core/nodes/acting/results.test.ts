import { ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { Command, InMemoryStore, interrupt } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contentText } from "../../../../src/content/content.js";
import type { ContentBlock } from "../../../../src/content/content-block.js";
import { type AgentOptions, createAgent } from "../../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../../src/testing/index.js";
import { startOpenAIServer } from "../../../helpers/openai-server.js";
import { dialect } from "../../../matrix/dialects.js";
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

async function turnWith(returned: () => unknown, options: Partial<AgentOptions> & { fields?: object } = {}) {
  const { fields, ...others } = options;
  const { act, answer } = dialect(others.protocol === "react" ? "react" : "tool-calling");
  const model = scriptedModel([act("look", {}), answer("Done.")]);
  const tools = [toolOf("look", returned, fields)];
  const agent = createAgent({ model, tools, protocol: "tool-calling", ...others });
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
  it.each(matrix(savers, memorySaver))(
    "is in the step, in the message and in the sources, kept by $kept",
    async ({ open }) => {
      const checkpointer = await open();
      const artifact = { sources: places, rows: [["a", 1]] };
      const { model } = await turnWith(() => ["seen", artifact], { checkpointer, fields: withArtifact });
      const { values } = await createAgent({ model, tools: [], checkpointer }).getState(thread);
      expect(values.intermediateSteps[0].results[0]).toMatchObject({ observation: "seen", artifact });
      expect(values.messages.find((message: unknown) => ToolMessage.isInstance(message)).artifact).toEqual(artifact);
      expect(values.sources).toEqual(places);
    },
  );

  it("of a tool that returns a tool message is kept, with its status", async () => {
    const own = { content: "no rights", artifact: [1], status: "error" } as const;
    const { result, message } = await turnWith(() => new ToolMessage({ tool_call_id: "other", ...own }));
    expect(result).toMatchObject({ observation: "no rights", status: "error", artifact: [1] });
    expect(message).toMatchObject({ ...own, tool_call_id: "native" });
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
  it.each(["react", "tool-calling"] as const)(
    "stay in the tool message, and are described to the model, in %s",
    async (protocol) => {
      const content = [{ type: "text", text: "A cat:" }, image];
      const { result, message, model } = await turnWith(() => content, { protocol });
      expect(message?.content).toEqual(content);
      expect(result).toMatchObject({ observation: "A cat:\n[an image, image/png, 8 bytes]", content });
      expect(model.calls[1]?.prompt).toContain("A cat:\n[an image, image/png, 8 bytes]");
      expect(model.calls[1]?.prompt).not.toContain("iVBOR");
    },
  );

  const resource = { uri: "file:///a", mimeType: "x/y" };
  it.each<[text: string, block: ContentBlock]>([
    ["[an image, image/jpeg, 3 bytes]", { type: "image_url", image_url: { url: "data:image/jpeg;base64,AAAA" } }],
    ["[an image, image/png, 3 KB]", { type: "image", mimeType: "image/png", data: new Uint8Array(2500) }],
    [
      "[an image, image/gif, 3 bytes]",
      { type: "image", source: { type: "base64", media_type: "image/gif", data: "AAAA" } },
    ],
    ["[a file, a.pdf, x/y, 3 bytes]", { type: "file", mimeType: "x/y", data: "AAAA", metadata: { filename: "a.pdf" } }],
    ["the text of a resource", { type: "resource", resource: { ...resource, text: "the text of a resource" } }],
    ["[a file, x/y, 3 bytes, file:///a]", { type: "resource", resource: { ...resource, blob: "AAAA" } }],
    ["[a file, a, file:///a]", { type: "resource_link", name: "a", uri: "file:///a" }],
    ['{"type":"text","text":"","structuredContent":[3]}', { type: "text", text: "", structuredContent: [3] }],
    ['{"type":"flight","price":3}', { type: "flight", price: 3 }],
    ['{"type":"scan","raw":"[2 KB of data]"}', { type: "scan", raw: "A".repeat(2000) }],
  ])("have a text: %s", (text, block) => {
    expect(contentText([block])).toBe(text);
  });

  it.each([
    ["nothing", () => undefined],
    ["an empty block", () => [{ type: "text", text: "" }]],
  ])("that are empty stay empty, and a text protocol says so: %s", async (_, returned) => {
    const { message, model } = await turnWith(returned, { protocol: "react" });
    expect(message?.text).toBe("");
    expect(model.calls[1]?.prompt).toContain("Observation: The tool returned nothing.\n");
  });

  it("that are only in the artifact are shown, as with LangChain's adapters for MCP", async () => {
    const body = { type: "resource", resource: { uri: "file:///a.txt", text: "body" } };
    const { result } = await turnWith(() => [[], [body]], { fields: withArtifact });
    expect(result).toMatchObject({ observation: "body", artifact: [body] });
  });

  it("give their text as the answer of a tool that returns directly", async () => {
    const { state } = await turnWith(() => [{ type: "text", text: "A cat." }], { fields: { returnDirect: true } });
    expect(state).toMatchObject({ answer: "A cat.", stopReason: "returned" });
  });

  it("go to a model that takes images, and not again to a server that refuses them", async () => {
    const seen = [{ type: "text", text: "A cat:" }, image, { type: "image_url", image_url: "https://a.org" }];
    const call = { toolCalls: [{ name: "look", args: {} }] };
    const refusal = { status: 400, message: "Could not process image." };
    await using server = await startOpenAIServer([call, refusal, "A cat.", call, "A cat."]);
    const ask = (model: string) => {
      const chat = new ChatOpenAI({ model, apiKey: "key", configuration: { baseURL: server.url }, maxRetries: 0 });
      return createAgent({ model: chat, tools: [toolOf("look", () => seen)] }).invoke({ messages: "Look." });
    };
    expect((await ask("gpt-4o")).answer).toBe("A cat.");
    // Its profile says that it takes no images.
    await ask("gpt-3.5-turbo");
    const told = { role: "tool", content: "A cat:\n[an image, image/png, 8 bytes]\n[an image, https://a.org]" };
    const url = "data:image/png;base64,iVBORw0KGgo=";
    const shown = [
      { type: "text", text: "look returned:" },
      { type: "image_url", image_url: { url } },
    ];
    const sent = server.requests.map(({ body }) => body.messages.slice(3));
    expect(sent).toMatchObject([[], [told, { role: "user", content: shown }], [told], [], [told]]);
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
    ["an object", (): unknown => ({ hits: ["a"] }), '{"hits":["a"]}'],
    ["the state of a graph", () => ({ messages: [new ToolMessage({ content: "found", tool_call_id: "x" })] }), "found"],
  ])("as a runnable may return %s", async (_, returned, observation) => {
    const described = { name: "look", description: "Looks.", schema: noInput };
    const look = RunnableLambda.from(async () => returned()).asTool(described);
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

  const described = { name: "ask", description: "Asks.", schema: z.object({ messages: z.string() }) };
  const call = { content: "", tool_calls: [{ name: "ask", args: { messages: "?" } }] };
  const inner = () =>
    createAgent({
      model: scriptedModel([native("search"), "It is 42."]),
      tools: [toolOf("search", () => ["found", { sources: places }], withArtifact)],
      name: "inner",
    });
  it.each([
    ["asTool()", () => inner().asTool(described)],
    ["a tool that returns its state", () => tool((input, config) => inner().invoke(input, config), described)],
  ])("may be an agent, which gives its answer and its sources: %s", async (_, make) => {
    const model = scriptedModel([call, "Done."]);
    const state = await createAgent({ model, tools: [make()] }).invoke({ messages: "Ask." });
    expect(state.intermediateSteps[0]?.results).toMatchObject([{ observation: "It is 42.", status: "success" }]);
    expect(state.sources).toEqual(places);
  });

  it("may return JSON that looks like the state of an agent", async () => {
    const { result } = await turnWith(() => ({ messages: [], answer: "42", stopReason: "failed" }));
    const observation = '{"messages":[],"answer":"42","stopReason":"failed"}';
    expect(result).toMatchObject({ observation, status: "success" });
  });

  it("may be an agent that finds no answer, which is an error", async () => {
    const stuck = scriptedModel([native("no"), native("no")]);
    const ask = createAgent({ model: stuck, limits: { maxSteps: 1 } }).asTool(described);
    const model = scriptedModel([call, "Done."]);
    const state = await createAgent({ model, tools: [ask] }).invoke({ messages: "Ask." });
    expect(state.intermediateSteps[0]?.results).toMatchObject([{ status: "error" }]);
  });
});
