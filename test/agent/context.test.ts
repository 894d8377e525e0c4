import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tool } from "@langchain/core/tools";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readContext } from "../../src/graph/read-context.js";
import { approvalRequests, createAgent, InvalidOptionError, window } from "../../src/index.js";
import { protocolNames } from "../../src/protocols/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { sqlite } from "../matrix/databases.js";
import { openKind } from "../threads/open-kind.js";

const thread = { configurable: { thread_id: "1" } };
const person = z.object({ name: z.string(), role: z.enum(["guest", "admin"]).default("guest") });
const toolNamed = (name: string, metadata = {}) =>
  tool((_, { context }) => `${name} for ${context?.name}`, {
    name,
    description: `The tool ${name}.`,
    schema: z.object({}),
    metadata,
  });
const calls = (name: string) => ({ tool_calls: [{ name, args: {} }] });

describe("the context of a run", () => {
  it("can determine instructions, tools, examples and the model", async () => {
    const models = {
      guest: scriptedModel([calls("drop"), "Hello."]),
      admin: scriptedModel([calls("drop"), "Dropped."]),
    };
    const agent = createAgent({
      context: person,
      model: ({ context }) => models[context.role],
      instructions: async ({ context }) => `You help ${context.name}.`,
      examples: async ({ context, state }) => [`An example for ${context.role} who asks ${state.question}`],
      tools: ({ context }) => (context.role === "admin" ? [toolNamed("look"), toolNamed("drop")] : [toolNamed("look")]),
    });
    const asked = { messages: "Go?" };
    const { answer, intermediateSteps } = await agent.invoke(asked, { context: { name: "Ann" } });
    expect(answer).toBe("Hello.");
    expect(intermediateSteps[0]?.results[0]?.observation).toMatch(/no tool named "drop"\. The tools are: look\./);
    expect(models.guest.calls[0]).toMatchObject({ tools: [{ name: "look" }] });
    expect(models.guest.calls[0]?.prompt).toMatch(/^You help Ann\.\n.*An example for guest who asks Go\?/s);
    const state = await agent.invoke(asked, { context: { name: "Bob", role: "admin" } });
    expect(state.answer).toBe("Dropped.");
    expect(state.intermediateSteps[0]?.results[0]).toMatchObject({ observation: "drop for Bob", status: "success" });
  });

  it("is passed to a function for the protocol", async () => {
    const model = scriptedModel([calls("look"), "Native.", "Final Answer: In text."]);
    const protocol = z.enum(["tool-calling", "react"]);
    const agent = createAgent({
      context: z.object({ protocol }),
      model,
      tools: [toolNamed("look")],
      protocol: ({ context }) => context.protocol,
    });
    expect(await agent.invoke({ messages: "Go?" }, { context: { protocol: "tool-calling" } })).toMatchObject({
      answer: "Native.",
      intermediateSteps: [{ results: [{ status: "success" }] }],
    });
    expect((await agent.invoke({ messages: "Go?" }, { context: { protocol: "react" } })).answer).toBe("In text.");
    expect(model.calls.map(({ prompt }) => prompt.includes("Begin!"))).toEqual([false, false, true]);
  });

  it("can determine the limit of steps, also above LangGraph's own limit", async () => {
    const model = scriptedModel([...Array(21).fill(calls("look")), "Found."]);
    const tools = [toolNamed("look", { polls: true })];
    const limits = z.object({ steps: z.int() });
    const agent = createAgent({
      context: limits,
      model,
      tools,
      limits: { maxSteps: ({ context }) => context.steps, earlyStopping: "force" },
    });
    const few = await agent.invoke({ messages: "Go?" }, { context: { steps: 2 } });
    expect(few).toMatchObject({ stopReason: "step-limit", intermediateSteps: { length: 2 } });
    const many = await agent.invoke({ messages: "Go?" }, { context: { steps: 20 } });
    expect(many).toMatchObject({ stopReason: "answered", answer: "Found.", intermediateSteps: { length: 18 } });
  });

  it("is passed to a function for the memory", async () => {
    const agent = createAgent({
      context: z.object({ turns: z.int() }),
      model: scriptedModel(["One.", "Two.", "Three.", "Four."]),
      rephrase: false,
      memory: ({ context }) => window(context),
      checkpointer: new MemorySaver(),
    });
    const turnsBefore = async (turns: number) =>
      (await agent.invoke({ messages: "Go." }, { ...thread, context: { turns } })).chatHistory.turns.length;
    expect([await turnsBefore(2), await turnsBefore(2), await turnsBefore(2), await turnsBefore(1)]).toEqual([
      0, 1, 2, 1,
    ]);
  });

  it("is validated before a model call and before a write", async () => {
    const model = scriptedModel(["never"]);
    const checkpointer = new MemorySaver();
    const agent = createAgent({ context: person, model, checkpointer });
    // @ts-expect-error: callers without a compiler
    const run = agent.invoke({ messages: "Go." }, { ...thread, context: { name: 5 } });
    await expect(run).rejects.toThrow(InvalidOptionError);
    await expect(run).rejects.toThrow(/^context\.name: /);
    await expect(agent.invoke({ messages: "Go." }, thread)).rejects.toThrow(/^context\.name: /);
    expect(await checkpointer.getTuple(thread)).toBeUndefined();
  });

  const asking = (context: z.ZodObject) =>
    createAgent({
      context,
      model: scriptedModel([calls("look"), "Seen."]),
      tools: [toolNamed("look")],
      approve: ({ context }) => context.approve === "always",
      checkpointer: new MemorySaver(),
    });
  const policy = z.object({ approve: z.enum(["never", "always"]).default("never"), user_id: z.string().default("") });

  it("is read from configurable, where LangGraph's server puts it, without the keys of the server", async () => {
    const ofServer = { user_id: "u", graph_id: "agent", "x-approve": "never", langgraph_auth_user: {} };
    const config = { configurable: { ...thread.configurable, ...ofServer, approve: "always" } };
    const state = await asking(policy).invoke({ messages: "Go." }, config);
    expect(approvalRequests(state)).toMatchObject([{ tool: "look" }]);
    expect(readContext({ context: policy, contextNames: [] }, {}, config.configurable)).toEqual({
      approve: "always",
      user_id: "",
    });
    expect(
      readContext({ context: policy, contextNames: [] }, { approve: "always" }, config.configurable),
    ).toMatchObject({ approve: "always" });
    const both = asking(policy).invoke({ messages: "Go." }, { ...config, context: { approve: "never" } });
    await expect(both).rejects.toThrow("context.approve: configurable has another value for it; give it in one place.");
    const wrong = { configurable: { ...thread.configurable, approve: "allways" } };
    await expect(asking(policy).invoke({ messages: "Go." }, wrong)).rejects.toThrow(/^context\.approve: /);
  });

  it("may be bound to the agent with withConfig; the context of a run replaces it", async () => {
    const bound = asking(policy).withConfig({ context: { approve: "always" } });
    expect(approvalRequests(await bound.invoke({ messages: "Go." }, thread))).toMatchObject([{ tool: "look" }]);
    const run = asking(policy).withConfig({ context: { approve: "always" } });
    expect(await run.invoke({ messages: "Go." }, { ...thread, context: {} })).toMatchObject({ answer: "Seen." });
  });

  it("is not read from the configurable of an outer graph", async () => {
    const outer = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("agent", asking(policy))
      .addEdge(START, "agent")
      .compile();
    const state = await outer.invoke({ messages: "Go." }, { configurable: { thread_id: "1", approve: "wrong" } });
    expect(state.messages.at(-1)?.text).toBe("Seen.");
  });

  it("has no unknown key, if its schema is strict", async () => {
    const agent = asking(z.strictObject(policy.shape));
    const run = agent.invoke({ messages: "Go." }, { ...thread, context: { aprove: "always" } });
    await expect(run).rejects.toThrow(
      'context.aprove: there is no such option; did you mean "approve"? The options are: approve, user_id.',
    );
  });

  it("is never stored", async () => {
    const { threads, url } = await openKind(sqlite);
    const folder = dirname(url.slice("sqlite:".length));
    const agent = createAgent({
      context: person.extend({ key: z.string() }),
      model: scriptedModel([calls("look"), "Seen."]),
      tools: () => [toolNamed("look")],
      checkpointer: threads.checkpointer,
    });
    const state = await agent.invoke({ messages: "Go." }, { ...thread, context: { name: "Ann", key: "sesame-4711" } });
    expect(state.intermediateSteps[0]?.results[0]?.observation).toBe("look for Ann");
    await threads.close();
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
    expect(files.join("")).toContain("look for Ann");
    expect(files.join("")).not.toContain("sesame-4711");
  });
});

it.each(protocolNames)("examples of the agent replace those of the protocol (%s)", async (protocol) => {
  const model = scriptedModel(["Final Answer: 4"]);
  const tools = [toolNamed("look")];
  await createAgent({ model, protocol, tools, examples: ["An example of mine."] }).invoke({ messages: "2 + 2?" });
  expect(model.calls[0]?.prompt).toContain("An example of mine.");
  expect(model.calls[0]?.prompt).not.toContain("Muhammad Ali");
});

it.each([
  [{ tools: () => "none" }, /^tools: .*give a list of LangChain tools/],
  [{ tools: () => [toolNamed("a"), toolNamed("a")] }, /^tools: two tools are named "a"/],
  [{ instructions: () => 5 }, /^instructions: 5 is not possible; give a text/],
  [{ examples: () => "one" }, /^examples: .*give a list of texts/],
  [{ model: () => ({}) }, /^model: .*give a LangChain chat model/],
  [{ protocol: () => "nonsense" }, /^protocol: "nonsense" is not possible; give one of "auto"/],
  [{ memory: () => ({}) }, /^memory: .*give buffer\(\)/],
  [{ limits: { maxSteps: () => 0 } }, /^limits.maxSteps: 0 is not possible; give a whole number/],
])("what a function returns is checked: %s", async (options, message) => {
  const agent = Reflect.apply(createAgent, undefined, [{ model: scriptedModel(["never"]), ...options }]);
  await expect(agent.invoke({ messages: "Go." })).rejects.toThrow(message);
});

it.each([
  [{ context: { name: "string" } }, /^context: .*give a zod schema of an object/],
  [{ context: z.string() }, /^context: .*give a zod schema of an object/],
  [
    { tools: () => [], modelCalls: { constrainedDecoding: "llama.cpp" }, protocol: "react" },
    /^tools: a function is not possible together/,
  ],
  [
    { protocol: () => "react", modelCalls: { constrainedDecoding: "vllm" } },
    /^protocol: a function is not possible together/,
  ],
])("options that do not go together are refused: %s", (options, message) => {
  expect(() => Reflect.apply(createAgent, undefined, [{ model: "openai:m", ...options }])).toThrow(message);
});
