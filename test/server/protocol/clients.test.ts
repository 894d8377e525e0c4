import { AsyncLocalStorage } from "node:async_hooks";
import { Command, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { RemoteGraph } from "@langchain/langgraph/remote";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { calculator, createAgent } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { served } from "../access/served.js";
import { graph } from "../conformance/wire-graph.js";
import { agent } from "../engine/open-engine.js";

const contentSchema = z.object({ content: z.unknown() });
const chainEventSchema = z.object({
  event: z.string(),
  name: z.string(),
  data: z.object({ chunk: contentSchema, output: contentSchema, input: z.unknown() }).partial(),
});

/** An agent that asks before it calculates. */
const careful = () =>
  createAgent({
    model: scriptedModel([" I calculate\nAction: calculator\nAction Input: 2 + 2", " I know\nFinal Answer: It is 4."]),
    tools: [calculator()],
    protocol: "react",
    rephrase: false,
    approve: "always",
  });

/** The SDK of today, and the one that `@langchain/react` brings. */
const sdks = ["@langchain/langgraph-sdk", "langgraph-sdk-1.11"];

async function chatWith(sdk: string) {
  const { Client }: typeof import("@langchain/langgraph-sdk") = await import(sdk);
  const { server, send } = await served({ agents: { wire: graph, agent: agent(), careful: careful() } });
  // Over a wire a request comes without the context of its sender.
  const elsewhere = AsyncLocalStorage.snapshot();
  const fetch: typeof globalThis.fetch = (input, init) => elsewhere(async () => server.fetch(new Request(input, init)));
  const client = new Client({ apiUrl: "http://127.0.0.1", apiKey: null, callerOptions: { maxRetries: 0, fetch } });
  const open = (assistantId: string, thread: string = crypto.randomUUID()) => {
    const chat = client.threads.stream(thread, { assistantId, fetch });
    onTestFinished(() => chat.close());
    return chat;
  };
  return { client, open, send };
}

const say = (word: string) => ({ input: { do: word, messages: [{ role: "user", content: "Hi" }] } });

test.each(sdks)("%s gets the words as they come, and the state, of one turn after the other", async (sdk) => {
  const { open } = await chatWith(sdk);
  const chat = open("wire");
  await chat.run.start(say("talk"));
  const words: string[][] = [];
  for await (const message of chat.messages) {
    const pieces: string[] = [];
    for await (const piece of message.text) pieces.push(piece);
    words.push(pieces);
  }
  expect(words).toEqual([["H", "e", "l", "l", "o", "."]]);
  expect(await chat.output).toMatchObject({ log: ["first", "second"], messages: [{}, { content: "Hello." }] });
  const again = open("wire", chat.threadId);
  await again.run.start(say("plain"));
  expect(await again.output).toMatchObject({ log: ["first", "second", "first", "second"] });
});

test.each(sdks)("%s sees the calls of tools, with their results", async (sdk) => {
  const { open } = await chatWith(sdk);
  const chat = open("agent");
  await chat.run.start({ input: { messages: [{ role: "user", content: "What is 2 + 2?" }] } });
  const calls = new Map<string, unknown>();
  for await (const call of chat.toolCalls) calls.set(call.name, [call.input, await call.output]);
  expect([...calls]).toEqual([["calculator", [{ expression: "2 + 2" }, "4"]]]);
});

test.each(sdks)("%s answers questions, two at once as well, and only those that wait", async (sdk) => {
  const { open, client } = await chatWith(sdk);
  const chat = open("wire");
  await chat.run.start(say("ask twice"));
  await chat.output;
  expect(chat.interrupted).toBe(true);
  expect(chat.interrupts.map(({ payload }) => payload)).toEqual(["One?", "Two?"]);
  const responses = chat.interrupts.map(({ interruptId, namespace }, at) => ({
    ...{ namespace: [...namespace], interrupt_id: interruptId },
    response: at,
  }));
  const unknown = { namespace: [], interrupt_id: "none", response: 1 };
  await expect(chat.input.respond(unknown)).rejects.toMatchObject({ code: "no_such_interrupt" });
  await chat.input.respond({ responses });
  const logOf = async () => Object((await client.threads.getState(chat.threadId)).values).log;
  await expect.poll(logOf).toEqual(["first", "one: 0", "two: 1", "second"]);
});

test("the mode events has the words as they come, calls with their arguments and results, and whole messages", async () => {
  const { client } = await chatWith("@langchain/langgraph-sdk");
  const eventsOf = async (assistant: string, input: Readonly<Record<string, unknown>>) => {
    const made = [];
    for await (const { event, data } of client.runs.stream(null, assistant, { input, streamMode: ["events"] }))
      if (event === "events") made.push(chainEventSchema.parse(data));
    return made.map(({ event, name, data }) => [event, name, data.chunk?.content ?? data.output ?? data]);
  };
  const model = (event: string, said: unknown) => [`on_chat_model_${event}`, "talk", said];
  expect(await eventsOf("wire", say("talk").input)).toEqual([
    ...[
      model("start", {}),
      ..."Hello.".split("").map((word) => model("stream", word)),
      model("end", { content: "Hello." }),
    ],
  ]);
  const asked = await eventsOf("agent", { messages: [{ role: "user", content: "What is 2 + 2?" }] });
  const input = { expression: "2 + 2" };
  expect(asked.filter(([event]) => /^on_tool/.test(String(event)))).toEqual([
    ["on_tool_start", "calculator", { input }],
    ["on_tool_end", "calculator", { content: "4" }],
  ]);
});

test("joinStream follows a thread over its runs, and misses nothing when it comes back", async () => {
  const { client } = await chatWith("@langchain/langgraph-sdk");
  const { thread_id } = await client.threads.create();
  const read = async (most: number, lastEventId?: string) => {
    const events: { readonly id: string | undefined; readonly event: string }[] = [];
    for await (const { id, event } of client.threads.joinStream(thread_id, lastEventId ? { lastEventId } : {})) {
      events.push({ id, event });
      if (events.length === most) break;
    }
    return events;
  };
  await client.runs.wait(thread_id, "wire", say("plain"));
  const first = await read(4);
  await client.runs.wait(thread_id, "wire", say("plain"));
  const second = await read(4);
  expect([first, second].map((events) => events.map(({ event }) => event))).toEqual(
    Array(2).fill(["metadata", "values", "values", "values"]),
  );
  expect(await read(6, first[1]?.id)).toEqual([...first.slice(2), ...second]);
  await expect(client.threads.joinStream(thread_id, { streamMode: "lifecycle" }).next()).rejects.toThrow("run_modes");
});

test("a RemoteGraph node stops for the approval of its agent, and gets the answer when a person has decided", async () => {
  const { client } = await chatWith("@langchain/langgraph-sdk");
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("support", new RemoteGraph({ graphId: "careful", client }))
    .addEdge(START, "support")
    .compile({ checkpointer: new MemorySaver() });
  const thread = { configurable: { thread_id: "outer" } };
  const status = expect.poll(async () => (await client.threads.get("outer")).status);
  const asked = { __interrupt__: [{ value: { requests: [{ tool: "calculator" }] } }] };
  expect(await graph.invoke({ messages: [{ role: "user", content: "What is 2 + 2?" }] }, thread)).toMatchObject(asked);
  await status.toBe("interrupted");
  expect(await graph.invoke(new Command({ resume: "too early" }), thread)).toMatchObject(asked);
  await status.toBe("interrupted");
  await client.runs.wait("outer", "careful", { command: { resume: { decisions: [{ type: "approve" }] } } });
  const ended = await graph.invoke(new Command({ resume: "decided" }), thread);
  expect(ended.messages.at(-1)?.text).toBe("It is 4.");
});
