import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { CompiledStateGraph, MemorySaver } from "@langchain/langgraph";
import { getConfigTypeSchema } from "@langchain/langgraph/zod/schema";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { approvalRequests, protocolNames } from "../../src/index.js";

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
    "names a graph for %s that compiles, without a checkpointer of its own, and has a form",
    async (name, path) => {
      const graph = await graphAt(path);
      expect(graph.name).toBe(name);
      expect(graph.checkpointer).toBeUndefined();
      const { properties } = formSchema.parse(getConfigTypeSchema(graph));
      const spoken = ["model", "instructions", "memory", "memoryTurns"];
      const shown = [...spoken, "tools", "approve", "maxSteps"];
      const others = { agent: [...shown, "protocol"], retrieval: spoken };
      expect(Object.keys(properties)).toEqual({ ...others }[name] ?? shown);
    },
  );

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

  it.each(Object.entries(graphs))(
    "has a graph for %s that answers offline, or says that it needs a model",
    async (name, path) => {
      const graph = await graphAt(path);
      const asked = graph.invoke({ messages: "What is the world record time for solving a Rubik's cube?" });
      const answer = { stopReason: "answered", answer: expect.stringContaining("3.05") };
      if (name !== "tool-calling") await expect(asked).resolves.toMatchObject(answer);
      else await expect(asked).rejects.toThrow(/no native tool calls.*give one that has them/);
    },
  );
});

async function graphAt(path: string): Promise<CompiledStateGraph<unknown, unknown>> {
  const [file = "", exported = ""] = path.split(":");
  expect(existsSync(file)).toBe(true);
  const module: Record<string, unknown> = await import(pathToFileURL(file).href);
  const graph = module[exported];
  if (!(graph instanceof CompiledStateGraph)) throw new Error(`${path} is no compiled graph`);
  return graph;
}
