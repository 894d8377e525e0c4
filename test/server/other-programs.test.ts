import { expect, test } from "vitest";
import { calculator, createAgent, openThreads } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { makeThread, question, served } from "./access/served.js";
import { agent } from "./engine/open-engine.js";

test("a thread of another program is found by the graph of its agent, and read", async () => {
  await using threads = await openThreads("memory:");
  const model = scriptedModel([" I know\nFinal Answer: It is 4."]);
  const options = { model, tools: [calculator()], protocol: "react", rephrase: false } as const;
  const support = createAgent({ ...options, name: "support", checkpointer: threads.checkpointer });
  await support.invoke({ messages: "What is 2 + 2?" }, { configurable: { thread_id: "mine" } });

  const agents = {
    sales: createAgent({ ...options, name: "sales" }),
    help: createAgent({ ...options, name: "support" }),
  };
  const { send, server } = await served({ agents, threads });
  const find = async (metadata: object) => (await send("POST", "/threads/search", { body: { metadata } })).json();
  const found = [{ thread_id: "mine", metadata: { graph_id: "help" }, values: { answer: "It is 4." } }];
  expect(await find({ graph_id: "help" })).toMatchObject(found);
  expect(await find({ assistant_id: Object(await find({}))[0].metadata.assistant_id })).toMatchObject(found);
  expect(await find({ graph_id: "sales" })).toEqual([]);
  expect(await (await send("GET", "/threads/mine/state")).json()).toMatchObject({ values: { answer: "It is 4." } });
  await server.close(0);
});

test("an agent of LangChain's createAgent is served by the graph that it has", async () => {
  const none = (): never => {
    throw new Error("This is not the graph.");
  };
  const agentAround = { graph: agent(), stream: none, getState: none, updateState: none };
  const { send } = await served({ agents: { agent: agentAround } });
  const thread = await makeThread(send);
  const ended = await send("POST", `/threads/${thread}/runs/wait`, { body: question });
  expect(await ended.json()).toMatchObject({ answer: "It is 4." });
});
