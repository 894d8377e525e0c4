import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createAgent, idempotencyKey } from "../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { ThreadCheckpointer } from "../../../src/threads/checkpoints/checkpointer.js";
import type { Database } from "../../../src/threads/databases/database.js";
import { openSqlite } from "../../../src/threads/databases/sqlite.js";

const thread = { configurable: { thread_id: "t1" } };
const pay = (...amounts: number[]): ScriptedReply => ({
  content: "I pay",
  tool_calls: amounts.map((amount) => ({ name: "pay", args: { amount } })),
});

let database: Database;
beforeEach(async () => {
  database = await openSqlite(":memory:");
});
afterEach(() => database.close());

/** What a tool does at its next calls, in order; afterwards it just pays. */
type Behaviour = (amount: number, stop: AbortController) => unknown;

interface World {
  readonly checkpointer?: BaseCheckpointSaver;
  readonly effects?: boolean;
  readonly behaviours?: readonly Behaviour[];
  readonly replies: readonly ScriptedReply[];
}

/** An agent with a tool that pays, a record of its calls, and a way to stop a run that stands for the end of the process. */
function world({ checkpointer = new ThreadCheckpointer(database), effects = true, behaviours = [], replies }: World) {
  const calls: { amount: number; key: string | undefined }[] = [];
  const model = scriptedModel([...replies, "It is done."]);
  let stop = new AbortController();
  const payTool = tool(
    async ({ amount }, config) => {
      const behaviour = behaviours[calls.length];
      calls.push({ amount, key: idempotencyKey(config) });
      await behaviour?.(amount, stop);
      return `paid ${amount}`;
    },
    { name: "pay", description: "Pays.", schema: z.object({ amount: z.number() }), metadata: { effects } },
  );
  const agent = createAgent({ model, tools: [payTool], protocol: "tool-calling", rephrase: false, checkpointer });
  return {
    agent,
    calls,
    model,
    paid: () => calls.map(({ amount }) => amount).sort(),
    async run(input: Parameters<typeof agent.invoke>[0], config = thread) {
      stop = new AbortController();
      return agent.invoke(input, { ...config, signal: stop.signal });
    },
  };
}

/** Ends the run while the tool is at work: its result never arrives. */
const dieInside: Behaviour = (_amount, stop) => {
  stop.abort(new Error("killed"));
  return new Promise(() => {});
};
const wait: Behaviour = () => new Promise((resolve) => setTimeout(resolve, 20));

const dieLater: Behaviour = async (amount, stop) => {
  await wait(amount, stop);
  await wait(amount, stop);
  return dieInside(amount, stop);
};

const rowsLeft = () => database.all("select * from glassloop_journal");

describe("a tool with effects", () => {
  it("is not called again when the run died inside it, and the model is told", async () => {
    const { agent, run, calls, model } = world({ behaviours: [dieInside], replies: [pay(5)] });
    await expect(run({ messages: "Pay 5" })).rejects.toThrow("killed");
    expect((await agent.getState(thread)).next).toEqual(["act"]);
    const state = await run(null);
    expect(calls).toHaveLength(1);
    expect(state.intermediateSteps[0]?.results[0]).toMatchObject({ status: "unknown" });
    expect(model.calls[1]?.prompt).toMatch(/not known whether pay took effect.*only if it did not/s);
    expect(state.messages.find((message) => message.getType() === "tool")).toMatchObject({ status: "error" });
    expect(state.answer).toBe("It is done.");
    expect(model.calls).toHaveLength(2);
  });

  it("may be called again when the model decides so, as another call", async () => {
    const { run, calls } = world({ behaviours: [dieInside], replies: [pay(5), pay(5)] });
    await expect(run({ messages: "Pay 5" })).rejects.toThrow("killed");
    const state = await run(null);
    expect(state.intermediateSteps.map(({ results }) => results[0]?.status)).toEqual(["unknown", "success"]);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(2);
  });

  it("that had finished is not called again when the run died before its step was stored", async () => {
    const behaviours: Behaviour[] = [wait, dieLater];
    const { run, paid } = world({ behaviours, replies: [pay(1, 2)] });
    await expect(run({ messages: "Pay 1 and 2" })).rejects.toThrow("killed");
    const state = await run(null);
    expect(paid()).toEqual([1, 2]);
    expect(
      state.intermediateSteps[0]?.results.map(({ observation, status }) => [observation.slice(0, 6), status]),
    ).toEqual([
      ["paid 1", "success"],
      ["It is ", "unknown"],
    ]);
  });

  it("is called again with the answer when it stopped to ask", async () => {
    const { run, paid } = world({
      behaviours: [() => interrupt("Sure?"), () => interrupt("Sure?")],
      replies: [pay(5)],
    });
    await run({ messages: "Pay 5" });
    const state = await run(new Command({ resume: "yes" }));
    expect(paid()).toEqual([5, 5]);
    expect(state.intermediateSteps[0]?.results[0]).toMatchObject({ observation: "paid 5", status: "success" });
  });

  it("whose sibling stopped to ask has finished before the run waits, and is not called again", async () => {
    const ask: Behaviour = (amount) => (amount === 1 ? interrupt("Sure?") : wait(amount, new AbortController()));
    const { run, paid } = world({ behaviours: [ask, ask, ask], replies: [pay(1, 2)] });
    await run({ messages: "Pay 1 and 2" });
    const state = await run(new Command({ resume: "yes" }));
    expect(paid()).toEqual([1, 1, 2]);
    expect(state.intermediateSteps[0]?.results.map(({ status }) => status)).toEqual(["success", "success"]);
  });

  it("leaves no record behind when a person answers, or asks something else instead", async () => {
    const ask: Behaviour = (amount) => (amount === 1 ? interrupt("Sure?") : undefined);
    const { run } = world({ behaviours: [ask, ask, ask], replies: [pay(1, 2), "Paid.", pay(1, 2)] });
    await run({ messages: "Pay 1 and 2" });
    expect(await rowsLeft()).toHaveLength(1);
    await run(new Command({ resume: "yes" }));
    expect(await rowsLeft()).toEqual([]);

    const asked = world({ behaviours: [ask, ask], replies: [pay(1, 2), "Hello!"] });
    await asked.run({ messages: "Pay 1 and 2" });
    expect(await rowsLeft()).toHaveLength(1);
    await asked.run({ messages: "Say hello instead" });
    expect(await rowsLeft()).toEqual([]);
  });

  it("keeps its record when only a checkpoint is written anew", async () => {
    const checkpointer = new ThreadCheckpointer(database);
    const { run, agent } = world({ checkpointer, behaviours: [dieInside], replies: [pay(1)] });
    await expect(run({ messages: "Pay 1" })).rejects.toThrow("killed");
    await expect.poll(() => checkpointer.guard.isRunning("t1")).toBe(false);
    const { config, parentConfig } = await agent.getState(thread);
    const tuple = await checkpointer.getTuple(config);
    if (tuple?.metadata === undefined || parentConfig === undefined) throw new Error("There is no checkpoint.");
    await checkpointer.put(parentConfig, tuple.checkpoint, tuple.metadata, {});
    expect(await rowsLeft()).toHaveLength(1);
  });

  it("is not called when the run is stopped before, nor on record as begun: it is called when the run goes on", async () => {
    const checkpointer = new ThreadCheckpointer(database);
    const { agent, paid } = world({ checkpointer, replies: [pay(1, 2)] });
    const stop = new AbortController();
    const { journal } = checkpointer;
    const open = journal.open.bind(journal);
    vi.spyOn(journal, "open").mockImplementationOnce((...given) => {
      stop.abort(new Error("enough"));
      return open(...given);
    });
    const stopped = agent.invoke({ messages: "Pay 1 and 2" }, { ...thread, signal: stop.signal });
    await expect(stopped).rejects.toThrow("enough");
    expect(paid()).toEqual([]);
    const afterwards = { configurable: { ...thread.configurable, multitask_strategy: "enqueue" } };
    const state = await agent.invoke(null, afterwards);
    expect(paid()).toEqual([1, 2]);
    expect(state.intermediateSteps[0]?.results.map(({ status }) => status)).toEqual(["success", "success"]);
  });

  it("that failed has failed: the model is told what it threw", async () => {
    const fail: Behaviour = () => {
      throw new Error("no money");
    };
    const { run } = world({ behaviours: [fail], replies: [pay(5)] });
    const state = await run({ messages: "Pay 5" });
    expect(state.intermediateSteps[0]?.results[0]).toMatchObject({ status: "error" });
    expect(state.intermediateSteps[0]?.results[0]?.observation).toContain("no money");
  });

  it("leaves nothing on record once its step is stored", async () => {
    const { run } = world({ replies: [pay(1, 2), pay(3)] });
    await run({ messages: "Pay" });
    expect(await rowsLeft()).toEqual([]);
    const dying = world({ behaviours: [dieInside], replies: [pay(5)] });
    await expect(dying.run({ messages: "Pay 5" })).rejects.toThrow("killed");
    expect(await rowsLeft()).toHaveLength(1);
    await dying.run(null);
    expect(await rowsLeft()).toEqual([]);
  });
});

describe("a tool without effects", () => {
  it("is simply called again", async () => {
    const { run, paid } = world({ effects: false, behaviours: [dieInside], replies: [pay(5)] });
    await expect(run({ messages: "Pay 5" })).rejects.toThrow("killed");
    const state = await run(null);
    expect(paid()).toEqual([5, 5]);
    expect(state.intermediateSteps[0]?.results[0]).toMatchObject({ observation: "paid 5", status: "success" });
  });

  it("that had finished beside another one is not", async () => {
    const { run, paid } = world({ effects: false, behaviours: [wait, dieLater], replies: [pay(1, 2)] });
    await expect(run({ messages: "Pay 1 and 2" })).rejects.toThrow("killed");
    const state = await run(null);
    expect(paid()).toEqual([1, 2, 2]);
    expect(state.intermediateSteps[0]?.results.map(({ observation }) => observation)).toEqual(["paid 1", "paid 2"]);
  });
});

describe("the idempotency key", () => {
  it("is the same when the call is made again", async () => {
    const { run, calls } = world({ effects: false, behaviours: [dieInside], replies: [pay(5)] });
    await expect(run({ messages: "Pay 5" })).rejects.toThrow("killed");
    await run(null);
    expect(calls.map(({ key }) => key)).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), calls[0]?.key]);
  });

  it("is another one for every call, and when an old checkpoint is replayed", async () => {
    const { agent, run, calls } = world({ replies: [pay(1, 2), "Fine.", "Fine."] });
    await run({ messages: "Pay" });
    const states = [];
    for await (const state of agent.getStateHistory(thread)) states.push(state);
    const before = states.find(({ next }) => next[0] === "act");
    await agent.invoke(null, before?.config ?? {});
    expect(calls).toHaveLength(4);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(4);
  });

  it("is the same with another checkpointer, which keeps no journal", async () => {
    const { run, calls } = world({ checkpointer: new MemorySaver(), behaviours: [dieInside], replies: [pay(5)] });
    await expect(run({ messages: "Pay 5" })).rejects.toThrow("killed");
    await run(null);
    expect(calls.map(({ key }) => key)).toEqual([calls[0]?.key, calls[0]?.key]);
  });

  it("is there without any checkpointer, and missing outside an agent", async () => {
    const keys: (string | undefined)[] = [];
    const note = tool((_input, config) => keys.push(idempotencyKey(config)), { name: "pay", description: "Notes." });
    const model = scriptedModel([pay(1), "Done."]);
    await createAgent({ model, tools: [note], protocol: "tool-calling" }).invoke({ messages: "Go" });
    await note.invoke("alone");
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), undefined]);
  });
});
