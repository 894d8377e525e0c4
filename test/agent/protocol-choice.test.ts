import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, InvalidOptionError, openThreads, type Protocol, streamTurn } from "../../src/index.js";
import { loadModel } from "../../src/model/models.js";
import { scriptedModel } from "../../src/testing/index.js";
import { type OpenAIServer, type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";
import { allOf, stepsIn } from "../helpers/turn-events.js";
import { dialects } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";

const weather = tool(async ({ city }) => `sunny in ${city}`, {
  name: "weather",
  description: "Tells the weather of a city.",
  schema: z.object({ city: z.string() }),
});
const thread = { configurable: { thread_id: "1" } };

describe("the protocol auto", () => {
  const call = { tool_calls: [{ name: "weather", args: { city: "Ulm" } }] };
  it.each([
    ["native tool calls for a model that has them", "tool-calling", [call, "Sunny."], true],
    ["react for a model that has none", "react", [" Easy.\nFinal Answer: Sunny."], false],
  ] as const)("is %s", async (_, protocol, replies, nativeTools) => {
    const model = scriptedModel(replies, { nativeTools });
    const state = await createAgent({ model, tools: [weather] }).invoke({ messages: "Weather in Ulm?" });
    expect(state).toMatchObject({ answer: "Sunny.", reply: { protocol } });
    expect(model.calls[0]?.tools).toHaveLength(nativeTools ? 1 : 0);
  });

  describe("over a server", () => {
    let server: OpenAIServer;
    afterEach(() => server.close());

    async function eventsOver(script: readonly ServerReply[]) {
      server = await startOpenAIServer(script);
      const model = await loadModel("openai:test-model", { baseUrl: server.url, apiKey: "key", maxRetries: 1 });
      const agent = createAgent({ model, tools: [weather], checkpointer: new MemorySaver() });
      return { agent, events: await allOf(streamTurn(agent, { messages: "Weather in Ulm?" }, thread)) };
    }

    it("falls back to text when the server refuses tools, says so, and stays there", async () => {
      const refusal = { status: 400, message: "registry/library/test-model does not support tools" };
      const { agent, events } = await eventsOver([
        refusal,
        ' I look.\nAction: weather\nAction Input: {"city": "Ulm"}',
        " I know.\nFinal Answer: Sunny.",
        " I know.\nFinal Answer: Rain.",
      ]);
      expect(events).toContainEqual(
        expect.objectContaining({
          type: "protocol-fallback",
          from: "tool-calling",
          to: "react",
          why: expect.stringContaining(refusal.message),
        }),
      );
      expect(stepsIn(events).at(-1)).toMatchObject({ type: "answer", text: "Sunny." });
      // Rephrasing was off when the thread began, and stays so.
      expect(await agent.invoke({ messages: "And in Bonn?" }, thread)).toMatchObject({
        answer: "Rain.",
        question: "And in Bonn?",
      });
      expect(server.requests.map(({ body }) => body.tools !== undefined)).toEqual([true, false, false, false]);
      expect(String(server.prompts().at(-1))).toMatch(/Weather in Ulm\?\nA: Sunny\.[\s\S]*Question: And in Bonn\?\n/);
    });

    it("reports a refusal of a request without tools", async () => {
      const refusal = { status: 400, message: "test-model does not support tools" };
      const act = ' I look.\nAction: weather\nAction Input: {"city": "Ulm"}';
      await expect(eventsOver([refusal, act, refusal])).rejects.toThrow(/does not support tools/);
      expect(server.requests.map(({ body }) => body.tools !== undefined)).toEqual([true, false, false]);
    });
  });
});

describe("native tool calls", () => {
  it("run in parallel when a reply has several, and keep their order", async () => {
    // The first waits until the last has run.
    const ran: string[] = [];
    const slow = tool(
      async ({ city }) => {
        if (city === "Ulm") await expect.poll(() => ran).toContain("Rom");
        ran.push(city);
        return `sunny in ${city}`;
      },
      { name: "weather", description: "Tells the weather.", schema: weather.schema },
    );
    const cities = ["Ulm", "Bonn", "Rom"];
    const model = scriptedModel([
      { tool_calls: cities.map((city) => ({ name: "weather", args: { city } })) },
      "Sunny.",
    ]);
    const agent = createAgent({ model, tools: [slow], protocol: "tool-calling" });
    const state = await agent.invoke({ messages: "Weather?" });
    const reply = state.messages[1]?.id;
    expect(state.intermediateSteps[0]?.results.map(({ action, observation }) => [action.id, observation])).toEqual(
      cities.map((city, n) => [`${reply}-${n + 1}`, `sunny in ${city}`]),
    );
    expect(state.usage.turn).toMatchObject({ modelCalls: 2, toolCalls: 3 });
    const types = model.calls[1]?.messages.map((message) => message.getType()) ?? [];
    expect(types.slice(-4)).toEqual(["ai", "tool", "tool", "tool"]);
  });

  it("are refused for a model without native tools, with the protocols that work", async () => {
    const agent = createAgent({
      model: scriptedModel([], { nativeTools: false }),
      tools: [weather],
      protocol: "tool-calling",
    });
    await expect(agent.invoke({ messages: "Weather?" })).rejects.toThrow(/no native tool calls.*"react"/);
  });

  it("that were cut off at the token limit are not run", async () => {
    const model = scriptedModel([
      { tool_calls: [{ name: "weather", args: { city: "U" } }], response_metadata: { finish_reason: "length" } },
      "Sunny.",
    ]);
    const agent = createAgent({ model, tools: [weather], protocol: "tool-calling" });
    const state = await agent.invoke({ messages: "Weather?" });
    expect(state.intermediateSteps).toMatchObject([{ decision: { kind: "unparseable" }, results: [] }]);
    expect(state.answer).toBe("Sunny.");
  });
});

describe("a thread", () => {
  it("can continue with any other protocol, turn by turn", async () => {
    const checkpointer = new MemorySaver();
    for (const [index, dialect] of dialects.entries()) {
      const model = scriptedModel([
        ...(index > 0 ? [`Question ${index} that stands alone?`] : []),
        dialect.act("weather", { city: `City ${index}` }),
        dialect.answer(`Answer ${index}.`),
      ]);
      const options = { tools: [weather], protocol: dialect.protocol, rephrase: true, checkpointer };
      const agent = createAgent({ model, ...options });
      const state = await agent.invoke({ messages: [new HumanMessage(`Question ${index}?`)] }, thread);
      const { prompt = "" } = model.calls.at(-1) ?? {};
      if (index > 0) expect(prompt).toMatch(new RegExp(`Question ${index - 1}\\?\n[^]*Answer ${index - 1}\\.`));
      if (dialect.protocol === "tool-calling") expect(prompt).toContain(`sunny in City ${index - 1}`);
      expect(state).toMatchObject({ answer: `Answer ${index}.`, turn: { number: index + 1 } });
      expect(state.messages.map((message) => message.getType()).slice(-4)).toEqual(["human", "ai", "tool", "ai"]);
      expect(state.messages).toHaveLength(4 * (index + 1));
      model.assertComplete();
    }
  });

  const pairs = dialects.map((before, index) => ({ before, after: dialects[index + 1] ?? dialects[0] ?? before }));

  it.each(matrix(pairs, ...pairs.slice(-1)))(
    "that stopped in the middle of a turn in $before.protocol can end it in $after.protocol",
    async ({ before, after }) => {
      const checkpointer = new MemorySaver();
      const down = scriptedModel([before.act("weather", { city: "Ulm" }), new Error("down")]);
      const stopped = createAgent({ model: down, tools: [weather], protocol: before.protocol, checkpointer });
      await expect(stopped.invoke({ messages: "Weather in Ulm?" }, thread)).rejects.toThrow("down");
      const model = scriptedModel([after.answer("Sunny.")]);
      const resumed = createAgent({ model, tools: [weather], protocol: after.protocol, checkpointer });
      expect((await resumed.invoke(null, thread)).answer).toBe("Sunny.");
      expect(model.calls[0]?.prompt).toContain("sunny in Ulm");
    },
  );
});

describe("a protocol of the user's own", () => {
  const shouting: Protocol = {
    name: "shouting",
    render: (view) => [
      new HumanMessage(
        [view.question, ...view.intermediateSteps.map((step) => step.results[0]?.observation ?? "?")].join("\n"),
      ),
    ],
    parse: (reply) => {
      const text = typeof reply === "string" ? reply : reply.text;
      if (text.startsWith("CALL ")) {
        return { kind: "action", actions: [{ tool: "weather", toolInput: text.slice(5), log: text }] };
      }
      return text.endsWith("!") ? { kind: "finish", output: text } : { kind: "unparseable", why: "Shout." };
    },
  };

  const ask = async (protocol: Protocol, replies: string[]) => {
    const model = scriptedModel(replies);
    const agent = createAgent({ model, tools: [weather], protocol, checkpointer: new MemorySaver() });
    const events = await allOf(streamTurn(agent, { messages: "Weather?" }, thread));
    const texts = (type: "answer-delta" | "text-delta" | "correction") =>
      events.flatMap((event) => (event.type === type ? event.text : []));
    return { model, texts, state: (await agent.getState(thread)).values };
  };

  it("can be given wherever a name can, and has its answer emitted when its parser has read the reply", async () => {
    const { model, texts, state } = await ask(shouting, ["CALL Ulm", "whisper", "SUNNY AND WARM!"]);
    expect(state.answer).toBe("SUNNY AND WARM!");
    expect(model.calls[1]?.prompt).toBe("Weather?\nsunny in Ulm");
    expect(state.intermediateSteps[1]?.decision).toMatchObject({ kind: "unparseable", why: "Shout." });
    expect(texts("answer-delta")).toEqual(["SUNNY AND WARM!"]);
  });

  it("says which part of an unfinished reply to send, and where the reply ends", async () => {
    const reader = () => {
      let read = 0;
      return {
        push: (textSoFar: string) => {
          const end = textSoFar.indexOf("!") + 1 || undefined;
          const text = textSoFar.slice(read, end);
          read += text.length;
          return { pieces: [{ kind: "answer" as const, text }], ...(end !== undefined && { end }) };
        },
      };
    };
    const { texts, state } = await ask({ ...shouting, reader }, ["SUNNY, AND, WARM! And so on"]);
    expect(texts("answer-delta")).toEqual(["SUNNY,", " AND,", " WARM!"]);
    expect(texts("text-delta")).toEqual([]);
    expect(state).toMatchObject({ answer: "SUNNY, AND, WARM!", reply: { text: "SUNNY, AND, WARM!" } });
  });

  it("writes its own corrections, in the frame of every correction", async () => {
    const render: Protocol["render"] = ({ question, intermediateSteps }) => [
      new HumanMessage(question),
      ...intermediateSteps.map(
        ({ decision }) => new HumanMessage(decision.kind === "unparseable" ? decision.correction : ""),
      ),
    ];
    const correct: Protocol["correct"] = ({ why, attempt, reply }) => `${why} ${reply.text} is ${attempt} too quiet.`;
    const { model, texts } = await ask({ ...shouting, render, correct }, ["sunny", "warm", "SUNNY!"]);
    const corrections = ["sunny is 1", "warm is 2"].map(
      (words) => `[Your reply could not be used]\nShout. ${words} too quiet.\n[Write your reply now]`,
    );
    expect(texts("correction")).toEqual(corrections);
    expect(model.calls[2]?.prompt).toBe(["Weather?", ...corrections].join("\n"));
  });

  it.each([
    ["parse", { parse: () => ({ kind: "action", actions: [] }) }],
    ["reader", { reader: () => ({ push: () => ({ pieces: "SUNNY!" }) }) }],
    ["correct", { correct: () => undefined }],
  ])("is told what its %s should have returned", async (method, wrong) => {
    const protocol: Protocol = Object.assign({}, shouting, wrong);
    const asked = createAgent({ model: scriptedModel(["whisper"]), protocol }).invoke({ messages: "Weather?" });
    await expect(asked).rejects.toThrow(InvalidOptionError);
    await expect(asked).rejects.toThrow(`protocol: its ${method} returned a wrong value.`);
  });

  it("loses no reply when its parser fails", async () => {
    await using threads = await openThreads("memory:");
    const { checkpointer } = threads;
    const failing: Protocol = { ...shouting, parse: () => JSON.parse("no JSON") };
    const broken = createAgent({ model: scriptedModel(["SUNNY!"]), protocol: failing, checkpointer });
    await expect(broken.invoke({ messages: "Weather?" }, thread)).rejects.toThrow(SyntaxError);
    const mended = createAgent({ model: scriptedModel([]), protocol: shouting, checkpointer });
    expect((await mended.getState(thread)).next).toEqual(["parse"]);
    expect((await mended.invoke(null, thread)).answer).toBe("SUNNY!");
  });
});
