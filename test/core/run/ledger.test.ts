import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, idempotencyKey } from "../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { matrix } from "../../matrix/matrix.js";
import { memorySaver, savers } from "../../matrix/savers.js";

const thread = { configurable: { thread_id: "t1" } };
const pay = (...amounts: number[]): ScriptedReply => ({
  content: "I pay",
  tool_calls: amounts.map((amount) => ({ name: "pay", args: { amount } })),
});

interface Call {
  readonly amount: number;
  readonly stop: AbortController;
  readonly checkpointer: BaseCheckpointSaver;
}

/** What a tool does at its next calls, in order; afterwards it just pays. */
type Behaviour = (call: Call) => unknown;

interface World {
  readonly checkpointer?: BaseCheckpointSaver;
  readonly effects?: boolean;
  readonly behaviours?: readonly Behaviour[];
  readonly replies: readonly ScriptedReply[];
}

/** An agent with a tool that pays, a record of its calls, and a way to stop a run that stands for the end of the process. */
function world({ checkpointer = new MemorySaver(), effects = true, behaviours = [], replies }: World) {
  const calls: { amount: number; key: string | undefined }[] = [];
  const model = scriptedModel([...replies, "It is done."]);
  let stop = new AbortController();
  let beforeCall = () => {};
  const payTool = tool(
    async ({ amount }, config) => {
      const behaviour = behaviours[calls.length];
      calls.push({ amount, key: idempotencyKey(config) });
      await behaviour?.({ amount, stop, checkpointer });
      return `paid ${amount}`;
    },
    { name: "pay", description: "Pays.", schema: z.object({ amount: z.number() }), metadata: { effects } },
  );
  const agent = createAgent({
    model,
    tools: [payTool],
    protocol: "tool-calling",
    rephrase: false,
    checkpointer,
    // A run that was stopped may still be ending.
    multitaskStrategy: "enqueue",
    approve: () => {
      beforeCall();
      return false;
    },
  });
  return {
    agent,
    calls,
    model,
    paid: () => calls.map(({ amount }) => amount).sort(),
    async run(input: Parameters<typeof agent.invoke>[0], config: object = thread) {
      stop = new AbortController();
      return agent.invoke(input, { ...config, signal: stop.signal });
    },
    stopBeforeTheNextCall() {
      beforeCall = () => {
        stop.abort(new Error("enough"));
        beforeCall = () => {};
      };
    },
  };
}

type Run = ReturnType<typeof world>["run"];
const results = (state: Awaited<ReturnType<Run>>) =>
  state.intermediateSteps[0]?.results.map(({ observation, status }) => [observation.slice(0, 6), status]);

/** Ends the run while the tool is at work: its result never arrives. */
const dieInside = ({ stop }: Pick<Call, "stop">) => {
  stop.abort(new Error("killed"));
  return new Promise<never>(() => {});
};

/** Ends the run once the outcome of the other call is stored. */
const dieLater: Behaviour = async (call) => {
  const written = async () => (await call.checkpointer.getTuple(thread))?.pendingWrites?.map(([, channel]) => channel);
  await expect.poll(written).toContain("__glassloop_ended");
  return dieInside(call);
};
const pass: Behaviour = () => {};

/** Asks a person about the payment of 1. */
const askAboutOne: Behaviour = ({ amount }) => (amount === 1 ? interrupt("Sure?") : undefined);

/** The checkpoint at which a step was about to run, the newest one first. */
async function stateBefore(agent: ReturnType<typeof world>["agent"], node: string) {
  for await (const state of agent.getStateHistory(thread)) if (state.next[0] === node) return state;
  throw new Error(`Nothing was before ${node}.`);
}

describe.each(matrix(savers, memorySaver))("a tool with effects, its thread kept by $kept,", ({ open }) => {
  it.each(["sync", "async", "exit"] as const)(
    "is not called again when the process died inside it, and the observation says so (%s)",
    async (durability) => {
      const behaviours = [dieInside];
      const { agent, run, calls, model } = world({ checkpointer: await open(), behaviours, replies: [pay(5)] });
      const config = { ...thread, durability };
      await expect(run({ messages: "Pay 5" }, config)).rejects.toThrow("killed");
      expect((await agent.getState(thread)).next).toEqual(["act"]);
      const state = await run(null, config);
      expect(calls).toHaveLength(1);
      expect(state.intermediateSteps[0]?.results[0]).toMatchObject({ status: "unknown" });
      expect(model.calls[1]?.prompt).toMatch(/not known whether pay took effect.*only if it did not/s);
      expect(state.messages.find((message) => message.getType() === "tool")).toMatchObject({ status: "error" });
      expect(state.answer).toBe("It is done.");
      expect(model.calls).toHaveLength(2);
    },
  );

  it("is not called again after updateState, however often", async () => {
    const { agent, run, calls } = world({ checkpointer: await open(), behaviours: [dieInside], replies: [pay(5)] });
    await expect(run({ messages: "Pay 5" })).rejects.toThrow("killed");
    await agent.updateState(thread, { question: "Pay 5, please" }, "parse");
    await agent.updateState(thread, { question: "Pay 5 now" }, "parse");
    expect(results(await run(null))).toEqual([["It is ", "unknown"]]);
    expect(calls).toHaveLength(1);
  });

  it("is not called again when its reply was parsed again after updateState, in a run that stops between", async () => {
    const { agent, run, paid } = world({ checkpointer: await open(), behaviours: [dieInside], replies: [pay(5)] });
    await expect(run({ messages: "Pay 5" })).rejects.toThrow("killed");
    await agent.updateState(thread, { question: "Pay 5, please" }, "plan");
    expect((await agent.getState(thread)).next).toEqual(["parse"]);
    await run(null, { ...thread, interruptBefore: ["act"] });
    expect(results(await run(null))).toEqual([["It is ", "unknown"]]);
    expect(paid()).toEqual([5]);
  });

  it("is called when a person changed its input, because that is a new call", async () => {
    const { agent, run, paid } = world({ checkpointer: await open(), behaviours: [dieInside], replies: [pay(5)] });
    await expect(run({ messages: "Pay 5" })).rejects.toThrow("killed");
    const { decision } = (await agent.getState(thread)).values;
    if (decision?.kind !== "action") throw new Error("There is no action.");
    const actions = decision.actions.map((action: object) => ({ ...action, toolInput: { amount: 6 } }));
    await agent.updateState(thread, { decision: { ...decision, actions } }, "parse");
    expect(results(await run(null))).toEqual([["paid 6", "success"]]);
    expect(paid()).toEqual([5, 6]);
  });

  it("is not called again when its step had ended and updateState goes back to the step", async () => {
    const { agent, run, paid } = world({ checkpointer: await open(), replies: [pay(5), "It is paid."] });
    await run({ messages: "Pay 5" });
    const { decision } = (await stateBefore(agent, "act")).values;
    await agent.updateState(thread, { decision }, "parse");
    expect((await run(null)).intermediateSteps[0]?.results[0]?.observation).toBe("paid 5");
    expect(paid()).toEqual([5]);
  });

  it("is on record for a process that lacks the tool", async () => {
    const checkpointer = await open();
    const behaviours: Behaviour[] = [pass, dieLater];
    const { run, paid } = world({ checkpointer, behaviours, replies: [pay(1, 2)] });
    await expect(run({ messages: "Pay 1 and 2" })).rejects.toThrow("killed");
    const model = scriptedModel(["It is done."]);
    const without = createAgent({ model, protocol: "tool-calling", checkpointer, multitaskStrategy: "enqueue" });
    expect(results(await without.invoke(null, thread))).toEqual([
      ["paid 1", "success"],
      ["It is ", "unknown"],
    ]);
    expect(paid()).toEqual([1, 2]);
  });

  it.each([
    { updates: false, told: ["done", "success"] },
    { updates: true, told: ["It is ", "unknown"] },
  ])("of an agent in a tool is not called again, after updateState: $updates", async ({ updates, told }) => {
    let stop = new AbortController();
    const paid: number[] = [];
    const payTool = tool(
      ({ amount }) => {
        paid.push(amount);
        return dieInside({ stop });
      },
      { name: "pay", description: "Pays.", schema: z.object({ amount: z.number() }), metadata: { effects: true } },
    );
    const native = { protocol: "tool-calling", rephrase: false } as const;
    const inner = createAgent({
      model: scriptedModel([pay(5), updates ? pay(5) : "done"]),
      tools: [payTool],
      ...native,
    });
    const handOver = async () => (await inner.invoke({ messages: "Pay 5" })).answer;
    const ask = tool(handOver, { name: "ask", description: "Asks.", schema: z.object({}) });
    const model = scriptedModel([{ content: "", tool_calls: [{ name: "ask", args: {} }] }, "It is done."]);
    const keeping = { checkpointer: await open(), multitaskStrategy: "enqueue" } as const;
    const agent = createAgent({ model, tools: [ask], ...native, ...keeping });
    await expect(agent.invoke({ messages: "Pay 5" }, { ...thread, signal: stop.signal })).rejects.toThrow("killed");
    stop = new AbortController();
    if (updates) await agent.updateState(thread, { question: "Pay 5, please" }, "parse");
    expect(results(await agent.invoke(null, thread))).toEqual([told]);
    expect(paid).toEqual([5]);
  });

  it("may be called again when the model makes a new call", async () => {
    const { run, calls } = world({ checkpointer: await open(), behaviours: [dieInside], replies: [pay(5), pay(5)] });
    await expect(run({ messages: "Pay 5" })).rejects.toThrow("killed");
    const state = await run(null);
    expect(state.intermediateSteps.map(({ results }) => results[0]?.status)).toEqual(["unknown", "success"]);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(2);
  });

  it("is called again with the resume value after an interrupt, and not again when the process died in that call", async () => {
    const behaviours = [() => interrupt("Sure?"), dieInside];
    const { run, paid } = world({ checkpointer: await open(), behaviours, replies: [pay(5)] });
    await run({ messages: "Pay 5" });
    await expect(run(new Command({ resume: "yes" }))).rejects.toThrow("killed");
    expect(results(await run(null))).toEqual([["It is ", "unknown"]]);
    expect(paid()).toEqual([5, 5]);
  });

  it("finishes before the run waits for a sibling, and is not called again, even if the state is updated", async () => {
    const behaviours = [askAboutOne, askAboutOne, askAboutOne];
    const { agent, run, paid } = world({ checkpointer: await open(), behaviours, replies: [pay(1, 2)] });
    await run({ messages: "Pay 1 and 2" });
    expect(paid()).toEqual([1, 2]);
    await agent.updateState(thread, { question: "Pay them" }, "parse");
    expect(await run(null)).toMatchObject({ __interrupt__: [{ value: "Sure?" }] });
    expect(results(await run(new Command({ resume: "yes" })))).toEqual([
      ["paid 1", "success"],
      ["paid 2", "success"],
    ]);
    expect(paid()).toEqual([1, 1, 1, 2]);
  });

  it("is called again when its step runs again from an older checkpoint, updated or not", async () => {
    const replies = [pay(5), "One.", "Two.", "Three.", "Four."];
    const { agent, run, calls } = world({ checkpointer: await open(), replies });
    await run({ messages: "Pay 5" });
    const { config } = await stateBefore(agent, "act");
    await run(null, config);
    expect(calls).toHaveLength(2);
    await run(null, { ...config, durability: "exit" });
    expect(calls).toHaveLength(3);
    await run(null, await agent.updateState(config, { question: "Pay 5, please" }, "parse"));
    expect(new Set(calls.map(({ key }) => key)).size).toBe(4);
  });

  it("is neither called nor noted as begun when the run stops before the call, and is called after the resume", async () => {
    const { run, paid, stopBeforeTheNextCall } = world({ checkpointer: await open(), replies: [pay(1, 2)] });
    stopBeforeTheNextCall();
    await expect(run({ messages: "Pay 1 and 2" })).rejects.toThrow("enough");
    expect(paid()).toEqual([]);
    const state = await run(null);
    expect(paid()).toEqual([1, 2]);
    expect(results(state)?.map(([, status]) => status)).toEqual(["success", "success"]);
  });
});

describe.each(matrix(savers, memorySaver))("a tool without effects, its thread kept by $kept,", ({ open }) => {
  it("is simply called again, with the same idempotency key", async () => {
    const behaviours = [dieInside];
    const { run, calls } = world({ checkpointer: await open(), effects: false, behaviours, replies: [pay(5)] });
    await expect(run({ messages: "Pay 5" })).rejects.toThrow("killed");
    expect(results(await run(null))).toEqual([["paid 5", "success"]]);
    const key = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(calls).toEqual([{ amount: 5, key }, calls[0]]);
  });

  it("that had finished beside another call is not called again", async () => {
    const behaviours = [pass, dieLater];
    const { run, paid } = world({ checkpointer: await open(), effects: false, behaviours, replies: [pay(1, 2)] });
    await expect(run({ messages: "Pay 1 and 2" })).rejects.toThrow("killed");
    const state = await run(null);
    expect(paid()).toEqual([1, 2, 2]);
    expect(results(state)).toEqual([
      ["paid 1", "success"],
      ["paid 2", "success"],
    ]);
  });
});

/** A saver that is slow, and gives the writes beside a checkpoint back the other way round. */
class SlowSaver extends MemorySaver {
  readonly stored: string[] = [];

  override async getTuple(...given: Parameters<MemorySaver["getTuple"]>): ReturnType<MemorySaver["getTuple"]> {
    const tuple = await super.getTuple(...given);
    return tuple?.pendingWrites && { ...tuple, pendingWrites: tuple.pendingWrites.toReversed() };
  }

  override async putWrites(...[config, writes, ...rest]: Parameters<MemorySaver["putWrites"]>): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 30));
    await super.putWrites(config, writes, ...rest);
    this.stored.push(...writes.map(([channel]) => channel));
  }
}

describe("a slow checkpointer", () => {
  it("stores the note of a call before the call begins, and its outcome before the step ends", async () => {
    const checkpointer = new SlowSaver();
    let before: string[] = [];
    const look: Behaviour = () => {
      before = [...checkpointer.stored];
    };
    const { run } = world({ checkpointer, behaviours: [look], replies: [pay(5)] });
    await run({ messages: "Pay 5" });
    expect(before.at(-1)).toBe("__glassloop_begun");
    expect(checkpointer.stored.slice(before.length, before.length + 2)).toEqual([
      "__glassloop_ended",
      expect.not.stringMatching("__glassloop"),
    ]);
  });

  it("prevents a second call, in whichever order it returns the notes", async () => {
    const behaviours = [askAboutOne, pass, dieLater];
    const { run, paid } = world({ checkpointer: new SlowSaver(), behaviours, replies: [pay(1, 2)] });
    await run({ messages: "Pay 1 and 2" });
    await expect(run(new Command({ resume: "yes" }))).rejects.toThrow("killed");
    expect(results(await run(null))).toEqual([
      ["It is ", "unknown"],
      ["paid 2", "success"],
    ]);
    expect(paid()).toEqual([1, 1, 2]);
  });
});

it("an idempotency key exists without a checkpointer, and is undefined outside an agent", async () => {
  const keys: (string | undefined)[] = [];
  const note = tool((_input, config) => keys.push(idempotencyKey(config)), { name: "pay", description: "Notes." });
  const model = scriptedModel([pay(1), "Done."]);
  await createAgent({ model, tools: [note], protocol: "tool-calling" }).invoke({ messages: "Go" });
  await note.invoke("alone");
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), undefined]);
});
