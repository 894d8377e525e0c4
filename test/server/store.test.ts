import { tool } from "@langchain/core/tools";
import { END, InMemoryStore, type LangGraphRunnableConfig, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/agent/create-agent.js";
import { scriptedModel } from "../../src/testing/index.js";
import { as, authenticate, makeThread, type Send, served } from "./access/served.js";

const State = new StateSchema({ seen: z.string().optional() });
type Config = LangGraphRunnableConfig;

/** A graph that counts in its store how often it ran. */
const counting = (store?: BaseStore) =>
  new StateGraph(State)
    .addNode("count", async (_: unknown, config: Config) => {
      const n = Number((await config.store?.get(["runs"], "n"))?.value.n ?? 0) + 1;
      await config.store?.put(["runs"], "n", { n });
      return { seen: String(n) };
    })
    .addNode("more", () => ({}))
    .addEdge(START, "count")
    // An edge reads the store, too.
    .addConditionalEdges("count", async (_, config) => ((await config.store?.get(["stop"], "s")) ? END : "more"), [
      "more",
      END,
    ])
    .compile({ store });

async function run(send: Send, assistant_id: string, thread?: string): Promise<unknown> {
  const path = thread === undefined ? "/runs/wait" : `/threads/${thread}/runs/wait`;
  return (await send("POST", path, { body: { assistant_id, input: { seen: "" } } })).json();
}

test("nobody sees or changes the items of another owner, over HTTP or in a run", async () => {
  const { send } = await served({ agents: { counting: counting() }, authenticate });
  const [ann, bob] = [as("ann", send), as("bob", send)];
  expect(await run(ann, "counting")).toEqual({ seen: "1" });
  expect(await run(ann, "counting")).toEqual({ seen: "2" });
  expect(await run(bob, "counting")).toEqual({ seen: "1" });
  const item = { namespace: ["runs"], key: "n" };
  await bob("PUT", "/store/items", { body: { ...item, value: { n: 40 } } });
  expect(await run(bob, "counting")).toEqual({ seen: "41" });
  await bob("DELETE", "/store/items", { body: item });
  await bob("PUT", "/store/items", { body: { namespace: ["ann", "runs"], key: "n", value: {} } });
  const ofAnn = await (await ann("GET", "/store/items?namespace=runs&key=n")).json();
  expect(ofAnn).toMatchObject({ ...item, value: { n: 2 } });
  expect(await (await bob("GET", "/store/items?namespace=runs&key=n")).json()).toBeNull();
  const list = async (user: Send) => (await user("POST", "/store/namespaces", { body: {} })).json();
  expect([await list(ann), await list(bob)]).toEqual([{ namespaces: [["runs"]] }, { namespaces: [["ann", "runs"]] }]);
  const found = await ann("POST", "/store/items/search", { body: { namespace_prefix: [] } });
  expect(z.object({ items: z.array(z.unknown()) }).parse(await found.json()).items).toEqual([ofAnn]);
});

test("a graph with a store of its own keeps it", async () => {
  const store = new InMemoryStore();
  const { send } = await served({ agents: { counting: counting(store) } });
  await run(send, "counting");
  expect((await store.get(["runs"], "n"))?.value).toEqual({ n: 1 });
  expect(await (await send("GET", "/store/items?namespace=runs&key=n")).json()).toBeNull();
});

test("an update of a state that leads over an edge with a store finds it", async () => {
  const { send } = await served({ agents: { counting: counting() }, authenticate });
  const ann = as("ann", send);
  const thread = await makeThread(ann);
  await run(ann, "counting", thread);
  const next = async () => {
    await ann("POST", `/threads/${thread}/state`, { body: { values: { seen: "mine" }, as_node: "count" } });
    return Object(await (await ann("GET", `/threads/${thread}/state`)).json()).next;
  };
  expect(await next()).toEqual(["more"]);
  await ann("PUT", "/store/items", { body: { namespace: ["stop"], key: "s", value: {} } });
  expect(await next()).toEqual([]);
});

test("the tools of an agent find the store, also in an agent that is a tool", async () => {
  const remember = tool(
    async ({ what }, { store }: Config) => {
      await store?.put(["memories"], what, { what });
      return "Remembered.";
    },
    { name: "remember", description: "Remembers.", schema: z.object({ what: z.string() }) },
  );
  const calls = (name: string, args: Record<string, unknown>) => ({ tool_calls: [{ name, args }] });
  const inner = createAgent({
    model: scriptedModel([calls("remember", { what: "inner" }), "Done."]),
    tools: [remember],
    name: "inner",
  });
  const outer = createAgent({
    model: scriptedModel([calls("remember", { what: "outer" }), calls("inner", { question: "Remember it" }), "Done."]),
    tools: [remember, inner.asTool()],
  });
  const { send } = await served({ agents: { outer } });
  const input = { messages: [{ role: "user", content: "Remember it" }] };
  await (await send("POST", "/runs/wait", { body: { assistant_id: "outer", input } })).text();
  const found = await send("POST", "/store/items/search", { body: { namespace_prefix: ["memories"] } });
  expect(Object(await found.json()).items.map(({ key }: { key: string }) => key)).toEqual(["outer", "inner"]);
});
