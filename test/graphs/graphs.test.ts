import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { CompiledStateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { protocolNames } from "../../src/index.js";

const configSchema = z.object({ graphs: z.record(z.string(), z.string()) });
const { graphs } = configSchema.parse(JSON.parse(readFileSync("langgraph.json", "utf8")));

describe("langgraph.json", () => {
  it("has a graph for each protocol", () => {
    expect(Object.keys(graphs).sort()).toEqual([...protocolNames].sort());
  });

  it.each(Object.entries(graphs))(
    "names a graph for %s that compiles, without a checkpointer of its own",
    async (name, path) => {
      const [file = "", exported = ""] = path.split(":");
      expect(existsSync(file)).toBe(true);
      const module: Record<string, unknown> = await import(pathToFileURL(file).href);
      const graph = module[exported];
      if (!(graph instanceof CompiledStateGraph)) throw new Error(`${path} is no compiled graph`);
      expect(graph.name).toBe(name);
      expect(graph.checkpointer).toBeUndefined();
    },
  );

  it("has a graph that answers offline", async () => {
    const { graph } = await import("../../graphs/react.js");
    const state = await graph.invoke({ messages: "What is the square root of 25?" });
    expect(state).toMatchObject({ stopReason: "answered", answer: expect.stringContaining("5") });
  });
});
