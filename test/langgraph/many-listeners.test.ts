import { Document } from "@langchain/core/documents";
import { tool } from "@langchain/core/tools";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createRetrievalAgent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";

/** More than Node lets listen without a warning. */
const many = 12;
const { signal } = new AbortController();
const warnings: Error[] = [];
const note = (warning: Error) => warnings.push(warning);

beforeEach(() => {
  warnings.length = 0;
  process.on("warning", note);
});
afterEach(() => void process.off("warning", note));

/** An agent whose model makes many calls of a tool in one reply. */
function caller(call: () => Promise<string>) {
  const look = tool(call, { name: "look", description: "Looks.", schema: z.object({}) });
  const tool_calls = Array.from({ length: many }, (_, n) => ({ id: `call-${n}`, name: "look", args: {} }));
  return createAgent({ model: scriptedModel([{ tool_calls }, "Done."]), tools: [look] });
}

/** A model whose replies all come at the same time. */
function slowModel() {
  const arrived: (() => void)[] = [];
  const reply = async () => {
    await new Promise<void>((resolve) => {
      arrived.push(resolve);
      if (arrived.length === many) for (const go of arrived) go();
    });
    return "Ann [1].";
  };
  return scriptedModel([...Array.from({ length: many }, () => reply), "Ann [1]."]);
}

it.each<[string, () => Pick<ReturnType<typeof createAgent>, "invoke">]>([
  ["a step of many calls", () => caller(async () => "seen")],
  [
    "notes on many passages",
    () => {
      const documents = Array.from({ length: many }, (_, n) => new Document({ pageContent: `Ann founded it ${n}.` }));
      const retriever = { invoke: async () => documents };
      return createRetrievalAgent({
        model: slowModel(),
        retriever,
        limits: { maxPassages: many },
        combine: "map-reduce",
      });
    },
  ],
])("%s, which all listen to the run's signal, cause no warning", async (_, agent) => {
  for (const options of [{}, { signal }]) {
    expect(await agent().invoke({ messages: "Who?" }, options)).toMatchObject({ stopReason: "answered" });
  }
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});
