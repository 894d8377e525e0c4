import { tool } from "@langchain/core/tools";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent, createRetrievalAgent, describeAgent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { served } from "./access/served.js";

const secret = "sk-aaaaaaaaaaaaaaaaaaaaaaaa";
const schema = z.object({ amount: z.number() });
const pay = tool(() => "paid", {
  name: "pay",
  description: `Pays with ${secret}.`,
  schema,
  metadata: { effects: true },
});
const amount = { properties: { amount: { type: "number" } }, required: ["amount"] };
const context = z.object({ tone: z.enum(["kind", "short"]).default("kind"), tenant: z.string().default(secret) });
const priced = { input: 1, output: 2 };

function agentOf(options: Partial<AgentOptions>) {
  return createAgent({ model: scriptedModel([]), ...options });
}

/** Serves an agent beside others. Returns what the server tells of it. */
async function told(agent: ReturnType<typeof agentOf>): Promise<unknown> {
  const other = agentOf({});
  const { send } = await served({ agents: { agent, other }, clientSettings: ["tone"] });
  return (await send("GET", "/glassloop/about?from=0")).json();
}

test.each<[string, Partial<AgentOptions>, object]>([
  [
    "its models in their order, with the protocol and the price of each",
    { model: ["offline", scriptedModel([])], limits: { prices: { "glassloop-scripted": priced } } },
    {
      models: [
        { name: "glassloop-offline-rules", price: { input: 0 } },
        { name: "glassloop-scripted", price: priced },
      ],
    },
  ],
  [
    "a model that cannot be loaded, and why",
    { model: "anthropic:claude-x" },
    { models: [{ name: "anthropic:claude-x" }], problem: expect.stringContaining("Models of anthropic need") },
  ],
  [
    "its tools with schemas, those of the provider by name, and the agent in a tool",
    { tools: [pay, { type: "web_search", key: "k" }, agentOf({ tools: [pay] }).asTool({ name: "helper" })] },
    {
      tools: [
        { name: "pay", description: "Pays with [secret].", parameters: amount, effects: true },
        { name: "helper", agent: { tools: [{ name: "pay", parameters: amount }] } },
        { name: "web_search", by: "provider" },
      ],
    },
  ],
  [
    "limits with their defaults, and the policies of approval",
    { limits: { maxDollars: 2, stopWhen: () => false }, approve: "effects", taint: "approve" },
    { limits: { maxSteps: 15, maxDollars: 2, earlyStopping: "generate" }, approve: "effects", taint: "approve" },
  ],
  [
    "settings that clients may give, with their values, and no other",
    { context },
    { settings: { tone: { enum: ["kind", "short"], default: "kind" } } },
  ],
])("a server tells of an agent %s", async (_, options, expected) => {
  const about = await told(agentOf(options));
  expect(about).toMatchObject({ agents: [{ name: "agent", ...expected }, { name: "other" }], next: null });
  expect(JSON.stringify(about)).not.toMatch(/sk-a|tenant|"k"/);
});

test("what a function of the run decides is not told, of a retrieval agent its searches, and of other graphs their names", async () => {
  const open = agentOf({
    model: () => "offline",
    tools: () => [pay],
    limits: { maxSteps: () => 3 },
    approve: () => true,
  });
  const retriever = { name: "wiki", description: "All of it.", retriever: { invoke: async () => [] } };
  const finds = createRetrievalAgent({ model: "offline", retriever: [retriever], check: true });
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("a", () => ({}))
    .addEdge(START, "a");
  const authenticate = () => ({ owner: "ann", by: "Ann", may: ["read" as const] });
  const { send } = await served({ agents: { open, finds, plain: graph.compile() }, authenticate });
  expect(await (await send("GET", "/glassloop/about")).json()).toEqual({
    version: expect.any(String),
    caller: { owner: "ann", by: "Ann", sees: [], may: ["read"] },
    clientSettings: [],
    agents: [
      { name: "open", settings: {}, limits: expect.not.objectContaining({ maxSteps: 3 }), taint: "ignore" },
      expect.objectContaining({
        limits: expect.objectContaining({ maxPassages: 6 }),
        retrieval: expect.objectContaining({ retrievers: [{ name: "wiki", description: "All of it." }], check: true }),
      }),
      { name: "plain", settings: {} },
    ],
    count: 3,
    next: null,
  });
  expect(await describeAgent(finds.withConfig({ tags: ["a"] }))).toMatchObject({
    tools: [],
    retrieval: { check: true },
  });
  expect(await describeAgent(graph.compile())).toBeUndefined();
});

test("an answer has at most about 256 KB, and the next one goes on", async () => {
  const many = Array.from({ length: 9 }, (_, n) =>
    tool(() => "", { name: `t${n}`, description: "d".repeat(19_000), schema }),
  );
  const { send } = await served({
    agents: { a: agentOf({ tools: many }), b: agentOf({ tools: many }), c: agentOf({}) },
  });
  const read = async (from: number) => (await send("GET", `/glassloop/about?from=${from}`)).json();
  expect(await read(0)).toMatchObject({ agents: [{ name: "a" }], count: 3, next: 1 });
  expect(await read(1)).toMatchObject({ agents: [{ name: "b" }, { name: "c" }], next: null });
});
