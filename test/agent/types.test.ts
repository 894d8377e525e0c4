import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  type Agent,
  continueTurn,
  createAgent,
  createRetrievalAgent,
  edit,
  promptOf,
  type RunConfig,
  regenerate,
  replay,
  rewind,
  streamTurn,
} from "../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { allOf } from "../helpers/turn-events.js";
import { at } from "../threads/open-kind.js";

type City = { city: string } | null;
const person = z.object({ name: z.string(), role: z.enum(["guest", "admin"]).default("guest") });
const ann = { context: { name: "Ann" } };
const bob = { context: { name: "Bob" } };
const asked = { messages: "Where?" };

/** An agent whose types are those of its schemas, after a first turn that Ann asked. */
async function twice(...first: readonly ScriptedReply[]) {
  const model = scriptedModel([...first, '{"city": "Rome"}']);
  const agent = createAgent({
    model,
    limits: { maxSteps: 1, earlyStopping: "force" },
    output: z.object({ city: z.string() }),
    context: person,
    instructions: ({ context }) => `You help ${context.name}, ${context.role}.`,
    checkpointer: new MemorySaver(),
  });
  await agent.invoke(asked, { ...at("1"), ...ann });
  return { agent, last: () => model.calls.at(-1)?.prompt };
}

const oslo = '{"city": "Oslo"}';
type Twice = Awaited<ReturnType<typeof twice>>["agent"];
const look = { tool_calls: [{ name: "look", args: {} }] };
const again: Record<string, (agent: Twice) => Promise<{ readonly output: City }>> = {
  regenerate: (agent) => regenerate(agent, "1", bob),
  edit: (agent) => edit(agent, "1", "And where?", bob),
  replay: async (agent) => replay(agent, "1", (await rewind(agent, "1")).configurable?.checkpoint_id, bob),
  continueTurn: (agent) => continueTurn(agent, "1", bob),
};

it.each(Object.entries(again))("%s takes a context, and returns the output of the agent", async (name, run) => {
  const { agent, last } = await twice(...(name === "continueTurn" ? [look, look] : [oslo]));
  expect(last()).toContain("You help Ann, guest.");
  const { output } = await run(agent);
  expectTypeOf(output).toEqualTypeOf<City>();
  expect(output).toEqual({ city: "Rome" });
  expect(last()).toContain("You help Bob, guest.");
});

it("all ways to run an agent have the types of its context and of its output", async () => {
  const { agent } = await twice(oslo);
  expectTypeOf(agent).toEqualTypeOf<Agent<{ city: string }, { name: string; role?: "guest" | "admin" | undefined }>>();
  const outputs: City[] = [];
  for await (const state of await agent.stream(asked, { ...at("1"), ...ann, streamMode: "values" })) {
    expectTypeOf(state.output).toEqualTypeOf<City>();
    outputs.push(state.output);
  }
  expect(outputs.at(-1)).toEqual({ city: "Rome" });
  const [ended] = await agent.batch([null], { ...at("1"), ...ann });
  expectTypeOf(ended?.output).toEqualTypeOf<City | undefined>();
});

it("an agent with types fits every parameter of type Agent", async () => {
  const { agent } = await twice(oslo);
  expectTypeOf(agent).toExtend<Agent>();
  expectTypeOf<RunConfig<{ name: string }>>().toExtend<RunConfig>();
  expect((await promptOf(agent, "1"))?.messages[0]?.text).toContain("You help ");
  const outer = new StateGraph(MessagesAnnotation).addNode("agent", agent).addEdge(START, "agent").compile();
  expect((await outer.invoke(asked, { ...at("2"), ...ann })).messages.at(-1)?.text).toBe('{"city":"Rome"}');
});

it("a context that does not fit its schema does not compile, and is refused", async () => {
  const { agent } = await twice(oslo);
  const thread = at("1");
  const runs = [
    // @ts-expect-error: it is misspelt.
    () => agent.invoke(asked, { ...thread, context: { nmae: "Ann" } }),
    // @ts-expect-error: it is misspelt.
    () => agent.batch([asked], { ...thread, context: { nmae: "Ann" } }),
    // @ts-expect-error: it is misspelt.
    () => regenerate(agent, "1", { context: { nmae: "Ann" } }),
    // @ts-expect-error: it is misspelt.
    () => edit(agent, "1", "And where?", { context: { nmae: "Ann" } }),
    // @ts-expect-error: it is misspelt.
    () => allOf(streamTurn(agent, asked, { ...thread, context: { nmae: "Ann" } })),
    // @ts-expect-error: it is a number.
    () => agent.invoke(asked, { ...thread, context: { name: 5 } }),
    // @ts-expect-error: it is missing.
    () => regenerate(agent, "1", { context: {} }),
  ];
  for (const run of runs) await expect(run()).rejects.toThrow(/^context\.name: /);
});

it("a retrieval agent has the type of its context", async () => {
  const retriever = { invoke: async () => [] };
  const agent = createRetrievalAgent({ model: "offline", retriever, context: person });
  expectTypeOf(agent).toEqualTypeOf<Agent<unknown, z.input<typeof person>>>();
  // @ts-expect-error: it is misspelt.
  await expect(agent.invoke(asked, { context: { nmae: "Ann" } })).rejects.toThrow(/^context\.name: /);
});
