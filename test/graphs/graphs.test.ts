import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { CompiledStateGraph, MemorySaver } from "@langchain/langgraph";
import { getConfigTypeSchema } from "@langchain/langgraph/zod/schema";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { approvalRequests, createAgent, protocolNames } from "../../src/index.js";
import { formsOf } from "../../src/langgraph/graph-forms.js";

const configSchema = z.object({ graphs: z.record(z.string(), z.string()) });
const formSchema = z.object({
  properties: z.record(
    z.string(),
    z.object({
      title: z.string(),
      description: z.string(),
      default: z.union([z.string(), z.number(), z.array(z.string())]),
    }),
  ),
});
const { graphs } = configSchema.parse(JSON.parse(readFileSync("langgraph.json", "utf8")));

describe("langgraph.json", () => {
  it("has a graph for each protocol, one whose protocol is a setting, and one that answers from documents", () => {
    expect(Object.keys(graphs).sort()).toEqual([...protocolNames, "agent", "retrieval"].sort());
  });

  it.each(Object.entries(graphs))(
    "names a graph for %s that has a form but no checkpointer, and answers offline or says that it needs a model",
    async (name, path) => {
      const graph = await graphAt(path);
      expect(graph.name).toBe(name);
      expect(graph.checkpointer).toBeUndefined();
      const { properties } = formSchema.parse(getConfigTypeSchema(graph));
      const spoken = ["model", "instructions", "memory", "memoryTurns"];
      const shown = [...spoken, "tools", "approve", "maxSteps"];
      const others = { agent: [...shown, "protocol"], retrieval: spoken };
      expect(Object.keys(properties)).toEqual({ ...others }[name] ?? shown);
      const asked = graph.invoke({ messages: "What is the world record time for solving a Rubik's cube?" });
      const answer = { stopReason: "answered", answer: expect.stringContaining("3.05") };
      if (name !== "tool-calling") await expect(asked).resolves.toMatchObject(answer);
      else await expect(asked).rejects.toThrow(/no native tool calls.*give one that has them/);
    },
  );

  it("has forms that a person can fill in: nothing is needed that has a default, and Studio knows where it counts", async () => {
    const { graph } = await import("../../graphs/agent.js");
    const { context } = formsOf(graph);
    expect(context).toMatchObject({
      properties: {
        memoryTurns: { minimum: 1, maximum: 100, default: 5 },
        instructions: { default: "", langgraph_type: "prompt", langgraph_nodes: ["plan"] },
        tools: { default: ["calculator", "documents"], langgraph_nodes: ["plan", "act"] },
      },
    });
    expect(context).not.toHaveProperty("required");
    const { graph: retrieval } = await import("../../graphs/retrieval.js");
    for (const one of [graph, retrieval]) {
      const form = JSON.stringify(formsOf(one).context);
      const named = [...form.matchAll(/"langgraph_nodes":\[(.*?)\]/g)].flatMap(([, names = ""]) => names.split(","));
      expect(named.length).toBeGreaterThan(4);
      const nodes = Object.keys(one.nodes).map((name) => `"${name}"`);
      expect(named.filter((name) => !nodes.includes(name))).toEqual([]);
    }
  });

  it("keeps what a form needs, and names that are words of JSON Schema", () => {
    const asked = z.object({
      required: z.string(),
      maximum: z.int(),
      maybe: z.object({ count: z.int() }).default({ count: 1 }),
    });
    const graph = createAgent({ model: "offline", context: asked });
    expect(formsOf(graph).context).toMatchObject({
      properties: { required: { type: "string" }, maximum: { type: "integer" }, maybe: { required: ["count"] } },
      required: ["required", "maximum"],
    });
    // A person enters a state, too, when they change it.
    const { context, state } = formsOf(graph);
    expect(JSON.stringify([context, state])).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  it("has a graph that follows its settings", async () => {
    const { graph } = await import("../../graphs/agent.js");
    const thread = { configurable: { thread_id: "1" } };
    // The server gives a graph its checkpointer in the same way.
    graph.checkpointer = new MemorySaver();
    onTestFinished(() => {
      graph.checkpointer = undefined;
    });
    const asked = { messages: "What is the square root of 25?" };
    const asking = await graph.invoke(asked, { ...thread, context: { approve: "always" } });
    expect(approvalRequests(asking)).toMatchObject([{ tool: "calculator" }]);
    graph.checkpointer = undefined;
    const alone = await graph.invoke(asked, { context: { tools: [] } });
    expect(alone.answer).toContain("no calculator");
    const misspelt = await graph.invoke(asked, { context: Object({ aprove: "always" }) }).catch(String);
    expect(misspelt).toContain('context.aprove: there is no such option; did you mean "approve"?');
    const stopped = await graph.invoke(asked, { context: { tools: ["documents"], maxSteps: 101 } }).catch(String);
    expect(stopped).toContain("context.maxSteps");
  });
});

async function graphAt(path: string): Promise<CompiledStateGraph<unknown, unknown>> {
  const [file = "", exported = ""] = path.split(":");
  expect(existsSync(file)).toBe(true);
  const module: Record<string, unknown> = await import(pathToFileURL(file).href);
  const graph = module[exported];
  if (!(graph instanceof CompiledStateGraph)) throw new Error(`${path} is no compiled graph`);
  return graph;
}
