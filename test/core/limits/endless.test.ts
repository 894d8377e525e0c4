import { createServer } from "node:http";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { startOpenAIServer } from "../../helpers/openai-server.js";
import { dialects, inReact, inToolCalls } from "../../matrix/dialects.js";
import { matrix } from "../../matrix/matrix.js";

const schema = z.object({ text: z.string() });
const forever = () => new Promise<string>(() => {});
const thread = { configurable: { thread_id: "t" } };

describe.each(matrix(dialects, inReact, inToolCalls))(
  "a tool that never returns, called in $protocol",
  ({ protocol, act, answer }) => {
    it("ends at its time limit with an aborted signal, and the turn and the thread go on", async () => {
      let isAborted = false;
      const hang = tool(
        (_, { signal }) => {
          signal.addEventListener("abort", () => {
            isAborted = true;
          });
          return forever();
        },
        { name: "hang", description: "Hangs.", schema },
      );
      const model = scriptedModel([act("hang", { text: "x" }), answer("It hangs."), answer("Fine.")]);
      const agent = createAgent({
        model,
        tools: [hang],
        protocol,
        limits: { toolTimeoutMs: 50 },
        checkpointer: new MemorySaver(),
        rephrase: false,
      });
      const state = await agent.invoke({ messages: "Go" }, thread);
      expect(state).toMatchObject({ answer: "It hangs.", stopReason: "answered" });
      const [result] = state.intermediateSteps[0]?.results ?? [];
      expect(result).toMatchObject({
        status: "error",
        observation: expect.stringContaining("did not return within 50 ms"),
      });
      expect(isAborted).toBe(true);
      expect((await agent.invoke({ messages: "And?" }, thread)).answer).toBe("Fine.");
    });
  },
);

describe("a tool that never returns", () => {
  const hangs = (metadata = {}) => tool(forever, { name: "hang", description: "Hangs.", schema, metadata });
  const call = { tool_calls: [{ name: "hang", args: { text: "x" } }] };

  it("may have taken effect, if it has metadata effects: true", async () => {
    const model = scriptedModel([call, "Who knows."]);
    const agent = createAgent({ model, tools: [hangs({ effects: true })], limits: { toolTimeoutMs: 30 } });
    const { intermediateSteps } = await agent.invoke({ messages: "Go" });
    expect(intermediateSteps[0]?.results[0]).toMatchObject({
      status: "unknown",
      observation: expect.stringMatching(/not known whether hang took effect: it did not return within 30 ms/),
    });
  });

  it("has the time limit of its own metadata", async () => {
    const model = scriptedModel([call, "It hangs."]);
    const { intermediateSteps } = await createAgent({ model, tools: [hangs({ timeoutMs: 20 })] }).invoke({
      messages: "Go",
    });
    expect(intermediateSteps[0]?.results[0]?.observation).toContain("within 20 ms");
  });

  it("still ends at once when the caller cancels", async () => {
    const stop = new AbortController();
    const hang = tool(
      () => {
        stop.abort(new Error("enough"));
        return forever();
      },
      { name: "hang", description: "Hangs.", schema },
    );
    const agent = createAgent({ model: scriptedModel([call]), tools: [hang] });
    await expect(agent.invoke({ messages: "Go" }, { signal: stop.signal })).rejects.toThrow("enough");
  });
});

describe("a reply that asks for too much", () => {
  const seen: string[] = [];
  const note = tool(({ text }) => String(seen.push(text)), { name: "note", description: "Notes.", schema });
  const free = tool(() => "ok", { name: "free", description: "Takes all.", schema: z.object({ data: z.any() }) });
  const nested = (levels: number) => {
    let value: unknown = 1;
    for (let n = 0; n < levels; n += 1) value = { a: value };
    return value;
  };

  it("makes none of 10,000 calls, but makes fewer", async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({ name: "note", args: { text: `${n}` } }));
    const model = scriptedModel([{ tool_calls: many }, { tool_calls: many.slice(0, 32) }, "Noted."]);
    const agent = createAgent({ model, tools: [note] });
    const { answer, intermediateSteps } = await agent.invoke({ messages: "Go" });
    expect([answer, seen.length, intermediateSteps.length]).toEqual(["Noted.", 32, 2]);
    expect(model.calls[1]?.prompt).toContain("It makes 10000 tool calls at once");
    expect(model.calls[1]?.prompt.length).toBeLessThan(5_000);
  }, 120_000);

  it.each([201, 1_000])("does not make a call with arguments nested %i levels deep", async (levels) => {
    const model = scriptedModel([{ tool_calls: [{ name: "free", args: { data: nested(levels) } }] }, "Flat."]);
    const agent = createAgent({ model, tools: [free], checkpointer: new MemorySaver() });
    const { answer, intermediateSteps } = await agent.invoke({ messages: "Go" }, thread);
    expect(answer).toBe("Flat.");
    expect(intermediateSteps[0]?.decision).toMatchObject({
      kind: "unparseable",
      why: expect.stringContaining("200 levels"),
    });
  });

  it.each([5_000, 20_000])(
    "does not make a call with arguments nested %i levels deep, from a server",
    async (levels) => {
      const args = `${'{"data":'.repeat(levels)}1${"}".repeat(levels)}`;
      await using server = await startOpenAIServer([{ toolCalls: [{ name: "free", args }] }, "Flat."]);
      const model = new ChatOpenAI({ model: "m", apiKey: "k", configuration: { baseURL: server.url } });
      const agent = createAgent({ model, tools: [free], checkpointer: new MemorySaver() });
      const { answer, intermediateSteps } = await agent.invoke({ messages: "Go" }, thread);
      expect(answer).toBe("Flat.");
      expect(intermediateSteps[0]?.decision).toMatchObject({ why: expect.stringContaining("200 levels") });
    },
  );

  it.each(dialects.filter(({ protocol }) => ["react", "structured-chat", "conversational"].includes(protocol)))(
    "does not make a call with deep arguments in $protocol",
    async ({ protocol, answer }) => {
      const data = `${'{"data":'.repeat(900)}1${"}".repeat(900)}`;
      const blob = `Action:\n\`\`\`json\n{"action": "free", "action_input": ${data}}\n\`\`\``;
      const written = protocol === "structured-chat" ? blob : ` Yes\nAction: free\nAction Input: ${data}`;
      const agent = createAgent({ model: scriptedModel([written, answer("Flat.")]), tools: [free], protocol });
      const state = await agent.invoke({ messages: "Go" });
      expect(state.answer).toBe("Flat.");
      expect(state.intermediateSteps[0]?.decision).toMatchObject({ kind: "unparseable" });
    },
  );

  it("makes a call whose arguments have the highest number of levels", async () => {
    const model = scriptedModel([{ tool_calls: [{ name: "free", args: { data: nested(198) } }] }, "Deep."]);
    const { intermediateSteps } = await createAgent({ model, tools: [free] }).invoke({ messages: "Go" });
    expect(intermediateSteps[0]?.results[0]).toMatchObject({ status: "success" });
  });

  it("does not make a call with more than half a million characters", async () => {
    const model = scriptedModel([{ tool_calls: [{ name: "note", args: { text: "x".repeat(500_001) } }] }, "Short."]);
    const { answer, intermediateSteps } = await createAgent({ model, tools: [note] }).invoke({ messages: "Go" });
    expect(answer).toBe("Short.");
    expect(intermediateSteps[0]?.decision).toMatchObject({ why: expect.stringContaining("500000 characters") });
  });
});

it("the reply of a model whose token stream never ends is cut off, and the connection is closed", async () => {
  const piece = `data: ${JSON.stringify({
    id: "x",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: { role: "assistant", content: "word ".repeat(4_000) }, finish_reason: null }],
  })}\n\n`;
  let sent = 0;
  let closed: (value: unknown) => void = () => {};
  const isClosed = new Promise((resolve) => {
    closed = resolve;
  });
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const write = () => {
      if (response.destroyed) return;
      sent += 1;
      response.write(piece, () => setImmediate(write));
    };
    response.on("close", closed);
    write();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const model = new ChatOpenAI({ model: "m", apiKey: "k", configuration: { baseURL: `http://127.0.0.1:${port}/v1` } });
  const { stopReason, answer } = await createAgent({ model }).invoke({ messages: "Go" });
  expect(stopReason).toBe("length");
  expect(answer?.length).toBeGreaterThan(999_000);
  expect(answer?.length).toBeLessThan(1_100_000);
  await isClosed;
  expect(sent).toBeLessThan(1_000);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
