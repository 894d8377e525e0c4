import { MemorySaver, StateSchema } from "@langchain/langgraph";
import { getConfigTypeSchema, getInputTypeSchema, getUpdateTypeSchema } from "@langchain/langgraph/zod/schema";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";

const context = z.object({
  name: z.string().default("Ann").meta({ title: "Name", description: "Who asks." }),
  role: z.enum(["guest", "admin"]).default("guest").meta({ title: "Role" }),
});
const agent = createAgent({ model: scriptedModel(["Hello."]), context });

describe("the forms of an agent", () => {
  it("show the context with titles, descriptions and defaults", () => {
    expect(getConfigTypeSchema(agent)).toMatchObject({
      type: "object",
      properties: {
        name: { type: "string", title: "Name", description: "Who asks.", default: "Ann" },
        role: { enum: ["guest", "admin"], title: "Role", default: "guest" },
      },
    });
  });

  it("show the input as messages, and the state", () => {
    expect(getInputTypeSchema(agent)).toMatchObject({ properties: { messages: { langgraph_type: "messages" } } });
    expect(getUpdateTypeSchema(agent)).toMatchObject({ properties: { answer: {}, intermediateSteps: {} } });
  });

  // The dev server's test sees the forms themselves. This tells with which release of LangGraph they would go.
  it.each(["_schemaRuntimeDefinition", "_inputRuntimeDefinition", "_outputRuntimeDefinition"])(
    "come from a schema that LangGraph treats as a StateSchema, and the LangGraph server does not (%s)",
    (name) => {
      const schema: unknown = Reflect.get(agent.builder, name);
      if (!StateSchema.isInstance(schema)) throw new Error(`${name} is no StateSchema`);
      expect("getJsonSchema" in schema).toBe(false);
      expect(schema.getJsonSchema()).toMatchObject({ type: "object" });
    },
  );

  it("leave the checks of LangGraph unchanged", async () => {
    const kept = createAgent({ model: scriptedModel(["Hello."]), context, checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: "1" } };
    await expect(kept.invoke(Object({ question: "Hi" }), thread)).rejects.toThrow("no messages, only question");
    await kept.invoke({ messages: "Hi" }, thread);
    await expect(kept.updateState(thread, { question: 5 }, "plan")).rejects.toThrow('field "question"');
    await kept.updateState(thread, { question: "Ho" }, "plan");
    expect((await kept.getState(thread)).values).toMatchObject({ question: "Ho", answer: "Hello." });
  });
});
