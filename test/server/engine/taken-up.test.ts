import { interrupt, MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { ThreadsDatabaseError } from "../../../src/base/errors.js";
import { REWIND_KEY } from "../../../src/graph/rewound-turn.js";
import { change } from "../../../src/threads/databases/database.js";
import type { Threads } from "../../../src/threads/open.js";
import { memory } from "../../matrix/databases.js";
import { allOf, at, checkpointerOf } from "../../threads/open-kind.js";
import { agent, ended, endOf, engineOn, eventsOf, Gate, order, startEngine, steps } from "./open-engine.js";

const Said = new StateSchema({ messages: MessagesValue, said: z.array(z.string()).default([]) });

/** A graph with a node that asks a person. */
const asks = () => new StateGraph(Said).addNode("ask", ({ said }) => ({ said: [...said, String(interrupt("Well?"))] }));

/** Makes a run what it is if its process ended before it could note the end. */
async function forgetEnd(threads: Threads, id: string): Promise<void> {
  const { database } = checkpointerOf(threads);
  await change(database, "update glassloop_runs set status = 'pending' where id = $1 returning id", [id]);
}

describe("a run whose process ended before it could note the end", () => {
  test.each([
    { given: {}, count: 3 },
    { given: { interruptBefore: ["step"] }, count: 0 },
    { given: { interruptAfter: "*" as const }, count: 1 },
  ])("does nothing more when it is taken up: $given", async ({ given, count }) => {
    let done = 0;
    const graph = steps(async () => {
      done += 1;
    });
    const { threads, engine } = await engineOn(memory, { steps: graph });
    const run = await engine.enqueue(order(given));
    const before = await eventsOf(engine, run.id);
    expect(done).toBe(count);
    await forgetEnd(threads, run.id);
    await expect.poll(async () => (await engine.get(run.id))?.status).toBe("success");
    expect(await engine.get(run.id)).toMatchObject({ attempt: 2 });
    expect(done).toBe(count);
    const after = await eventsOf(engine, run.id, before.length);
    expect(after.map(({ seq, event }) => `${seq - before.length} ${event}`)).toEqual(["1 metadata", "2 values"]);
    expect(JSON.parse(after[1]?.json ?? "")).toMatchObject({ messages: [{ id: "q" }, ...Array(count).fill({})] });
  });

  test.each([0, 1, 2, 3])(
    "goes on after checkpoint %i, whose node's writes were stored before it was lost",
    async (lost) => {
      const { threads, engine } = await engineOn(memory, { steps: steps() });
      const { put } = threads.checkpointer;
      const puts = vi.spyOn(threads.checkpointer, "put").mockImplementation(async function (this: unknown, ...given) {
        if (given[2].step !== lost) return put.apply(threads.checkpointer, given);
        puts.mockRestore();
        throw new ThreadsDatabaseError("unreachable", "a file");
      });
      const run = await engine.enqueue(order());
      expect(await endOf(engine, run.id)).toMatchObject({ count: 3 });
      expect(await engine.get(run.id)).toMatchObject({ status: "success", attempt: 2 });
      expect(await threads.get("t")).toMatchObject({ status: "idle" });
    },
  );

  test("goes on where it stands, also if its client had said where to begin", async () => {
    const gate = new Gate();
    gate.open();
    const { threads, engine: first } = await engineOn(memory, { steps: steps(gate.pass) });
    await ended(first, order());
    const ids = (await allOf(threads.checkpointer.list(at("t")))).map(({ checkpoint }) => checkpoint.id);
    gate.close();
    const configurable = { checkpoint_id: ids.at(-2), checkpoint_ns: "" };
    const run = await first.enqueue(order({ input: undefined, config: { configurable } }));
    await gate.reached(0);
    const closing = first.close(600_000);
    gate.open();
    await closing;
    const begun: number[] = [];
    const second = await startEngine(threads, { steps: steps(async (step) => void begun.push(step)) });
    await eventsOf(second, run.id);
    expect(await second.get(run.id)).toMatchObject({ status: "success" });
    expect(begun).toEqual([1, 2]);
  });

  test("begins the last turn again only once", async () => {
    const gate = new Gate();
    const calculates = " I calculate\nAction: calculator\nAction Input: 2 + 2";
    const slowly = (step: number) => async () => {
      await gate.pass(step, undefined);
      return step === 1 ? calculates : " I know\nFinal Answer: It is 4.";
    };
    const agents = { agent: agent(" I know\nFinal Answer: It is 5.", slowly(1), slowly(2), slowly(2)) };
    const { threads, engine: first } = await engineOn(memory, agents);
    await ended(first, order({}, { graph: "agent" }));
    const again = order({ input: undefined, config: { configurable: { [REWIND_KEY]: {} } } }, { graph: "agent" });
    await first.enqueue(again);
    await gate.reached(1);
    gate.open();
    gate.close();
    await gate.reached(2);
    await first.close(0);
    gate.open();
    const second = await startEngine(threads, agents);
    await eventsOf(second, again.id);
    expect(await second.get(again.id)).toMatchObject({ status: "success", attempt: 2 });
    const { turns, branches } = await threads.history("t");
    expect(turns).toMatchObject([{ number: 1, answer: "It is 4." }]);
    expect(branches).toMatchObject([{ answer: "It is 5." }]);
  });

  test.each(["kill", "drain"])(
    "fails after a %s if its graph has a checkpointer of others, which knows no runs",
    async (end) => {
      const gate = new Gate();
      const graph = steps(gate.pass);
      graph.checkpointer = new MemorySaver();
      const { threads, engine: first } = await engineOn(memory, { steps: graph });
      const run = await first.enqueue(order());
      await gate.reached(0);
      if (end === "drain") await first.close(0);
      else await forgetEnd(threads, run.id);
      gate.open();
      const second = await startEngine(threads, { steps: graph });
      await eventsOf(second, run.id);
      const message = expect.stringMatching(/process/);
      expect(await second.get(run.id)).toMatchObject({ status: "error", error: { message } });
    },
  );

  test("uses the answer of a person once", async () => {
    const { threads, engine } = await engineOn(memory, { asking: asks().addEdge(START, "ask").compile() });
    await ended(engine, order({}, { graph: "asking" }));
    const answer = { input: undefined, command: { resume: "yes" } };
    const answered = await ended(engine, order(answer, { graph: "asking" }));
    await forgetEnd(threads, answered.id);
    await expect.poll(async () => (await engine.get(answered.id))?.status).toBe("success");
    expect(await endOf(engine, answered.id)).toMatchObject({ said: ["yes"] });
  });

  test.each(["a graph", "a subgraph"])(
    "asks again if the run that brought the answer is rolled back, in %s",
    async (place) => {
      const ask = asks()
        .addNode("wait", async (_, { signal }) => {
          await new Gate().pass(0, signal);
          return {};
        })
        .addEdge(START, "ask")
        .addEdge("ask", "wait")
        .compile();
      const asking =
        place === "a graph" ? ask : new StateGraph(Said).addNode("child", ask).addEdge(START, "child").compile();
      const { threads, engine } = await engineOn(memory, { asking });
      const answer = async (resume: string) => {
        const given = { input: undefined, command: { resume }, subgraphs: true };
        const { id } = await engine.enqueue(order(given, { graph: "asking" }));
        for await (const { event, json } of engine.stream(id, 0))
          if (event.startsWith("values") && json.includes(resume)) return id;
        throw new Error("The answer was not used.");
      };
      await ended(engine, order({}, { graph: "asking" }));
      const answered = await answer("yes");
      await engine.cancel(answered, "rollback");
      expect(await threads.get("t")).toMatchObject({ status: "waiting", interrupts: [{ value: "Well?" }] });
      expect(await engine.get(answered)).toBeUndefined();
      await engine.cancel(await answer("no"), "rollback");
    },
  );
});
