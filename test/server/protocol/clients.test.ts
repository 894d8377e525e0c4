import { expect, onTestFinished, test } from "vitest";
import { served } from "../access/served.js";
import { graph } from "../conformance/wire-graph.js";
import { agent } from "../engine/open-engine.js";

/** The SDK of today, and the one that `@langchain/react` brings. */
const sdks = ["@langchain/langgraph-sdk", "langgraph-sdk-1.11"];

async function chatWith(sdk: string) {
  const { Client }: typeof import("@langchain/langgraph-sdk") = await import(sdk);
  const { server, send } = await served({ agents: { wire: graph, agent: agent() } });
  const fetch: typeof globalThis.fetch = async (input, init) => server.fetch(new Request(input, init));
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
