import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent } from "../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { startOpenAIServer } from "../../helpers/openai-server.js";
import { dialect, inReact } from "../../matrix/dialects.js";

const schema = z.object({ text: z.string() });
const forever = () => new Promise<string>(() => {});
const thread = { configurable: { thread_id: "t" } };

describe("a tool that never returns", () => {
  const call = { tool_calls: [{ name: "hang", args: { text: "x" } }] };

  it("ends at its time limit with an aborted signal, and the turn and the thread go on", async () => {
    let aborted: AbortSignal | undefined;
    const hang = tool(
      (_, { signal }) => {
        aborted = signal;
        return forever();
      },
      { name: "hang", description: "Hangs.", schema },
    );
    const model = scriptedModel([call, "It hangs.", "Fine."]);
    const agent = createAgent({ model, tools: [hang], limits: { toolTimeoutMs: 50 }, checkpointer: new MemorySaver() });
    const state = await agent.invoke({ messages: "Go" }, thread);
    expect(state).toMatchObject({ answer: "It hangs.", stopReason: "answered" });
    expect(state.intermediateSteps[0]?.results[0]).toMatchObject({
      status: "error",
      observation: expect.stringContaining("did not return within 50 ms"),
    });
    expect(aborted?.aborted).toBe(true);
    expect((await agent.invoke({ messages: "And?" }, thread)).answer).toBe("Fine.");
  });

  it("has the time limit of its own metadata, and may have taken effect with effects: true", async () => {
    const metadata = { effects: true, timeoutMs: 20 };
    const hang = tool(forever, { name: "hang", description: "Hangs.", schema, metadata });
    const agent = createAgent({ model: scriptedModel([call, "Who knows."]), tools: [hang] });
    const { intermediateSteps } = await agent.invoke({ messages: "Go" });
    expect(intermediateSteps[0]?.results[0]).toMatchObject({
      status: "unknown",
      observation: expect.stringMatching(/not known whether hang took effect: it did not return within 20 ms/),
    });
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

  /** Runs a turn whose first reply asks for too much. */
  async function refused(reply: ScriptedReply, options: Partial<AgentOptions> = {}, answer: ScriptedReply = "Fine.") {
    const model = scriptedModel([reply, answer]);
    const agent = createAgent({ model, tools: [note, free], checkpointer: new MemorySaver(), ...options });
    const { answer: given, intermediateSteps } = await agent.invoke({ messages: "Go" }, thread);
    expect([given, intermediateSteps.length, seen]).toEqual(["Fine.", 1, []]);
    return { prompt: model.calls[1]?.prompt, why: Object(intermediateSteps[0]?.decision).why };
  }

  it("makes none of 1,000 calls", async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => ({ name: "note", args: { text: `${n}` } }));
    const { prompt } = await refused({ tool_calls: many });
    expect(prompt).toContain("It makes 1000 tool calls at once");
    expect(prompt?.length).toBeLessThan(5_000);
  });

  it("does not make a call with more than half a million characters", async () => {
    const { why } = await refused({ tool_calls: [{ name: "note", args: { text: "x".repeat(500_001) } }] });
    expect(why).toContain("500000 characters");
  });

  it("makes a call whose arguments have 200 levels, and none with more", async () => {
    const call = (levels: number) => ({ tool_calls: [{ name: "free", args: { data: nested(levels) } }] });
    expect((await refused(call(201))).why).toContain("200 levels");
    const agent = createAgent({ model: scriptedModel([call(198), "Deep."]), tools: [free] });
    const { intermediateSteps } = await agent.invoke({ messages: "Go" });
    expect(intermediateSteps[0]?.results[0]).toMatchObject({ status: "success" });
  });

  it("does not make a call with arguments nested 20,000 levels deep, from a server", async () => {
    const args = `${'{"data":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    await using server = await startOpenAIServer([{ toolCalls: [{ name: "free", args }] }, "Fine."]);
    const model = new ChatOpenAI({ model: "m", apiKey: "k", configuration: { baseURL: server.url } });
    expect((await refused("", { model })).why).toContain("200 levels");
  });

  it.each([inReact, dialect("structured-chat")])(
    "does not make a call with deep arguments in $protocol",
    async ({ protocol, act, answer }) => {
      const data = `${'{"data":'.repeat(900)}1${"}".repeat(900)}`;
      const written = String(act("free", { deep: "here" })).replace(/\{\s*"deep": ?"here"\s*\}/, data);
      await refused(written, { protocol }, answer("Fine."));
    },
  );
});

it("the reply of a model whose token stream never ends is cut off, and the connection is closed", async () => {
  const text = Array(60).fill("x".repeat(20_000)).join(" ");
  await using server = await startOpenAIServer([{ text, stallAfterPieces: 55 }]);
  const model = new ChatOpenAI({ model: "m", apiKey: "k", configuration: { baseURL: server.url } });
  const { stopReason, answer } = await createAgent({ model }).invoke({ messages: "Go" });
  expect(stopReason).toBe("length");
  expect(answer?.length).toBeGreaterThan(999_000);
  expect(answer?.length).toBeLessThan(1_100_000);
  await server.requests[0]?.closed;
});
