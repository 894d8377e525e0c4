import { DynamicStructuredTool, DynamicTool, tool } from "@langchain/core/tools";
import type { InteropZodType } from "@langchain/core/utils/types";
import { Command, INTERRUPT, isInterrupted, MemorySaver } from "@langchain/langgraph";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import {
  type AgentOptions,
  type ApprovalDecision,
  approvalRequests,
  createAgent,
  decide,
  openThreads,
  streamTurn,
} from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { allOf } from "../../helpers/turn-events.js";

const thread = { configurable: { thread_id: "t" } };
let ran: unknown[] = [];
beforeEach(() => {
  ran = [];
});

type Schema = InteropZodType<object, Arguments>;
type Arguments = Record<string, unknown>;

function payWith(schema: Schema) {
  const func = async (input: unknown) => {
    ran.push(input);
    return "paid";
  };
  return new DynamicStructuredTool({ name: "pay", description: "Pays.", schema, func, metadata: { effects: true } });
}

function agentWith(schema: Schema, args: Arguments | "none", options: Partial<AgentOptions> = {}) {
  const replies = [...(args === "none" ? [] : [{ tool_calls: [{ name: "pay", args }] }]), "Done."];
  const model = scriptedModel(replies);
  const checkpointer = new MemorySaver();
  return createAgent({ model, tools: [payWith(schema)], approve: "effects", checkpointer, ...options });
}

type Agent = ReturnType<typeof agentWith>;

async function askedBy(agent: Agent, input: Parameters<Agent["invoke"]>[0] = { messages: "Pay." }) {
  const [request] = approvalRequests(await agent.invoke(input, thread));
  return request ?? expect.fail("nobody was asked");
}

function answer({ id, digest }: { id: string; digest: string }, decision: ApprovalDecision | "approve" = "approve") {
  return decide({ [id]: decision === "approve" ? { type: "approve", digest } : decision });
}

const { object, number, string } = z;

describe("the input of a call that a person decides about", () => {
  it.each<[string, Schema, Arguments, Arguments]>([
    ["a default", object({ to: string(), amount: number().default(1e6) }), { to: "Ann" }, { to: "Ann", amount: 1e6 }],
    ["a default of zod 3", z3.object({ amount: z3.number().default(7) }), {}, { amount: 7 }],
    ["a field that is dropped", object({ to: string() }), { to: "Ann", cc: "Eve" }, { to: "Ann" }],
    ["a check that takes its time", object({ to: string().default("A") }).refine(async () => true), {}, { to: "A" }],
    [
      "a new date each time",
      object({ at: string().default(() => `${performance.now()}`) }),
      {},
      { at: expect.anything() },
    ],
    ["a sum", object({ n: number() }).transform(({ n }) => ({ n: n + 1 })), { n: 1 }, { n: 2 }],
    ["a list of a text", object({ to: string().transform((to) => to.split(",")) }), { to: "a,b" }, { to: ["a", "b"] }],
  ])("is what the tool gets: %s", async (_name, schema, args, shown) => {
    const agent = agentWith(schema, args);
    const request = await askedBy(agent);
    const note = expect.stringContaining(`made this of ${JSON.stringify(args)}.`);
    expect(request).toMatchObject({ input: shown, note });
    expect(await askedBy(agent, null)).toEqual(request);
    const state = await agent.invoke(answer(request), thread);
    expect([state.answer, ran]).toEqual(["Done.", [request.input]]);
    // What the model gave stays as it is.
    expect(state.intermediateSteps[0]?.results[0]?.action.toolInput).toEqual(args);
    expect(state.messages[1]).toMatchObject({ tool_calls: [{ args }] });
  });

  it.each<[Schema, Arguments, Arguments, Arguments?]>([
    [object({ amount: number() }), { amount: "5" }, { amount: 5 }],
    [object({ to: string().optional() }), { to: null }, {}],
    [object({ id: z.bigint() }), { id: "9007199254740993" }, { id: "9007199254740993" }, { id: 9007199254740993n }],
    [z3.object({ ids: z3.array(z3.bigint()) }), { ids: [5] }, { ids: ["5"] }, { ids: [5n] }],
  ])("has no note if the tool gets it unchanged (%#)", async (schema, args, input, given = input) => {
    const agent = agentWith(schema, args);
    const request = await askedBy(agent);
    expect([request.input, request.note]).toEqual([input, undefined]);
    await agent.invoke(answer(request), thread);
    expect(ran).toEqual([given]);
  });

  it("is one text for a tool with a text input", async () => {
    const func = async (input: string) => `${ran.push(input)}`;
    const tools = [new DynamicTool({ name: "pay", description: "Pays.", func, metadata: { effects: true } })];
    const agent = agentWith(object({}), { input: "5 to Ann" }, { tools });
    const request = await askedBy(agent);
    expect([request.input, request.note]).toEqual([{ input: "5 to Ann" }, undefined]);
    await agent.invoke(answer(request), thread);
    expect(ran).toEqual(["5 to Ann"]);
  });

  it("is the model's input, with a note, if JSON cannot express the parsed input", async () => {
    const schema = object({ at: string().transform((at) => new Date(at)), amount: number().default(1e6) });
    const agent = agentWith(schema, { at: "2026-11-25" });
    const request = await askedBy(agent);
    expect(request.input).toEqual({ at: "2026-11-25" });
    expect(request.note).toBe("pay gets this as { at: 2026-11-25T00:00:00.000Z, amount: 1000000 }.");
    await agent.invoke(answer(request), thread);
    expect(ran).toEqual([{ at: new Date("2026-11-25"), amount: 1e6 }]);
  });

  it.each([
    ["no number", object({ a: string().transform(Number) })],
    ["a circle", object({ a: string() }).transform((a) => Object.assign(a, { a }))],
  ])("is raw for %s, and runs", async (_name, schema) => {
    const agent = agentWith(schema, { a: "x" });
    const request = await askedBy(agent);
    expect(request).toMatchObject({ input: { a: "x" }, note: expect.stringContaining("pay gets this as ") });
    await agent.invoke(answer(request), thread);
    expect(ran).toEqual([await schema.parseAsync({ a: "x" })]);
  });

  it("is kept for an agent of another process, whose schema has another default", async () => {
    await using threads = await openThreads("memory:");
    const { checkpointer } = threads;
    const request = await askedBy(agentWith(object({ amount: number().default(1) }), {}, { checkpointer }));
    const other = agentWith(object({ amount: number().default(1e6) }), "none", { checkpointer, approve: "never" });
    await other.invoke(answer(request), thread);
    expect(ran).toEqual([{ amount: 1 }]);
  });

  it("is shown in its new form, if the schema of another process makes something else of it", async () => {
    await using threads = await openThreads("memory:");
    const { checkpointer } = threads;
    const priced = (price: number) => object({ n: number() }).transform(({ n }) => ({ total: n * price }));
    const first = await askedBy(agentWith(priced(1), { n: 2 }, { checkpointer }));
    const dear = agentWith(priced(100), "none", { checkpointer });
    const second = await askedBy(dear, answer(first));
    expect([first.input, second.input, ran]).toEqual([{ total: 2 }, { total: 200 }, []]);
    expect(second.complaint).toContain("would now get another input than the one you were shown");
    const state = await dear.invoke(answer(second), thread);
    expect([state.answer, ran]).toEqual(["Done.", [{ total: 200 }]]);
  });

  it("is asked about twice, and then refused, if the schema makes another input each time", async () => {
    let drawn = 0;
    const schema = object({ n: number() }).transform(() => ({ n: ++drawn }));
    const agent = agentWith(schema, { n: 1 });
    const first = await askedBy(agent);
    const second = await askedBy(agent, answer(first));
    expect(second.input).not.toEqual(first.input);
    const state = await agent.invoke(answer(second), thread);
    expect([state.answer, ran]).toEqual(["Done.", []]);
    expect(state.intermediateSteps[0]?.results[0]).toMatchObject({
      status: "error",
      observation: expect.stringContaining("A person has to approve its input, and its schema makes another"),
    });
  });

  it("is not parsed again, if a check of the schema refuses it before a person was asked, and would accept it later", async () => {
    let checks = 0;
    const agent = agentWith(object({ to: string().refine(async () => ++checks > 2, "Unknown") }), { to: "Ann" });
    const state = await agent.invoke({ messages: "Pay." }, thread);
    expect(ran).toEqual([]);
    expect(state.intermediateSteps[0]?.results[0]?.observation).toMatch(/pay was not run, .* "to": Unknown/);
  });

  it("is refused, if a check of the schema no longer accepts it", async () => {
    let isOpen = true;
    const agent = agentWith(object({ to: string().refine(() => isOpen, "Closed") }), { to: "Ann" });
    const request = await askedBy(agent);
    isOpen = false;
    const state = await agent.invoke(answer(request), thread);
    expect([state.answer, ran]).toEqual(["Done.", []]);
    expect(state.intermediateSteps[0]?.results[0]?.observation).toMatch(/pay was not run, .* "to": Closed/);
  });
});

describe("an input that a person wrote", () => {
  const schema = object({ to: string(), amount: number().default(1e6) });
  const edit = (input: Arguments) => ({ type: "edit" as const, input });

  it("runs at once, if the schema leaves it unchanged", async () => {
    const agent = agentWith(schema, { to: "Ann", amount: 5 });
    const state = await agent.invoke(answer(await askedBy(agent), edit({ amount: "6", to: "Bob" })), thread);
    expect(ran).toEqual([{ to: "Bob", amount: 6 }]);
    expect(state.intermediateSteps[0]?.results[0]).toMatchObject({ decision: edit({ to: "Bob", amount: 6 }) });
  });

  it("that equals the shown input is an approval, also if the schema does not accept its own result", async () => {
    const agent = agentWith(object({ to: string().transform((to) => to.split(",")) }), { to: "a,b" });
    const request = await askedBy(agent);
    expect(await agent.invoke(answer(request, edit(request.input)), thread)).toMatchObject({ answer: "Done." });
    expect(ran).toEqual([{ to: ["a", "b"] }]);
  });

  it("is shown again with the additions of the schema, and runs when it is approved", async () => {
    const agent = agentWith(schema, { to: "Ann", amount: 5 });
    const first = await askedBy(agent);
    const second = await askedBy(agent, answer(first, edit({ to: "Bob" })));
    expect([second.id, second.input, ran]).toEqual([first.id, { to: "Bob", amount: 1e6 }, []]);
    expect(second.complaint).toContain("would get another input than the one you wrote");
    const events = await allOf(streamTurn(agent, answer(second), thread));
    const edited = edit({ to: "Bob", amount: 1e6 });
    expect(events.find(({ type }) => type === "decision")).toMatchObject({ decision: edited });
    const { intermediateSteps } = (await agent.getState(thread)).values;
    expect([intermediateSteps[0]?.results[0]?.decision, ran]).toEqual([edited, [{ to: "Bob", amount: 1e6 }]]);
    expect(intermediateSteps[0]?.results[0]?.note).toContain('You called pay with {"to":"Ann","amount":5}.');
  });

  it("can be written in the form that the schema takes, also in LangChain's form", async () => {
    const agent = agentWith(object({ amount: string().transform(Number) }), { amount: "5" });
    await askedBy(agent);
    const edited = { type: "edit", edited_action: { name: "pay", args: { amount: "7" } } };
    const shown = await agent.invoke(new Command({ resume: { decisions: [edited] } }), thread);
    expect(isInterrupted(shown) && shown[INTERRUPT]).toMatchObject([
      { value: { action_requests: [{ args: { amount: 7 } }] } },
    ]);
    await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }), thread);
    expect(ran).toEqual([{ amount: 7 }]);
  });
});

describe("a function that approves", () => {
  const schema = object({ to: string(), amount: number().default(1e6) });

  it("judges the input that the tool gets, in the schema's output type", async () => {
    const agent = agentWith(schema, { to: "Ann" }, { approve: ({ input }) => input.amount > 100 });
    expect((await askedBy(agent)).input).toEqual({ to: "Ann", amount: 1e6 });
  });

  it("makes the tool run with the input that it judged", async () => {
    let amount = 1;
    const approve: AgentOptions["approve"] = ({ input }) => {
      amount = 1e6;
      return input.amount > 100;
    };
    const agent = agentWith(object({ amount: number().default(() => amount) }), {}, { approve });
    await agent.invoke({ messages: "Pay." }, thread);
    expect(ran).toEqual([{ amount: 1 }]);
  });

  it("cannot change the shown input", async () => {
    const approve: AgentOptions["approve"] = ({ input }) => Object.assign(input, { to: "Eve" }) !== undefined;
    const agent = agentWith(object({ to: string() }), { to: "Ann" }, { approve });
    const request = await askedBy(agent);
    expect(request.input).toEqual({ to: "Ann" });
    await agent.invoke(answer(request), thread);
    expect(ran).toEqual([{ to: "Ann" }]);
  });

  it("gets the tool's name and definition, and reading tool throws", async () => {
    // @ts-expect-error: it has no tool.
    const old = agentWith(schema, { to: "Ann" }, { approve: ({ tool }) => tool === "pay" });
    await expect(old.invoke({ messages: "Pay." }, thread)).rejects.toThrow(
      'approve: its call has no "tool"; read "name", the name of the tool, or "definition", the tool itself.',
    );
    const seen: unknown[] = [];
    const approve: AgentOptions["approve"] = (call) => {
      seen.push({ ...call }, call.name, call.definition.description, JSON.stringify(Object.keys(call)));
      return "tool" in call;
    };
    const agent = agentWith(schema, { to: "Ann" }, { approve });
    await askedBy(agent);
    expect(seen.slice(1)).toEqual(["pay", "Pays.", '["context","state","name","definition","input"]']);
    expect(ran).toEqual([]);
  });

  it.each([undefined, 0, {}])("asks if it returns %j", async (returned) => {
    const approve = (() => returned) as unknown as AgentOptions["approve"];
    await askedBy(agentWith(schema, { to: "Ann" }, { approve }));
    expect(ran).toEqual([]);
  });

  it("lets nothing run if it throws", async () => {
    const look = tool(() => "looked", { name: "look", description: "Looks.", schema: object({}) });
    const tool_calls = [{ name: "look", args: {} } as const, { name: "pay", args: { to: "Ann" } } as const];
    const approve: AgentOptions["approve"] = ({ name }) => {
      if (name === "pay") throw new Error("The rules are lost.");
      return false;
    };
    const model = scriptedModel([{ tool_calls }, "Done."]);
    const agent = agentWith(schema, "none", { model, tools: [look, payWith(schema)], approve });
    await expect(agent.invoke({ messages: "Pay." }, thread)).rejects.toThrow("The rules are lost.");
    await expect(agent.invoke(null, thread)).rejects.toThrow("The rules are lost.");
    expect(ran).toEqual([]);
  });
});
