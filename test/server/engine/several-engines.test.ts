import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import type { EngineOptions } from "../../../src/server/engine/process-engine.js";
import { openThreads } from "../../../src/threads/open.js";
import { sharedPostgres } from "../../helpers/postgres.js";
import { postgres } from "../../matrix/databases.js";
import { openKind } from "../../threads/open-kind.js";
import { eventsOf, Gate, order, startEngine, steps } from "./open-engine.js";

/** Looks at the rows would come too late for these tests: only signals are in time. */
const never = 3_600_000;

async function startTwo(gate: Gate, options: EngineOptions = { pollMs: never }) {
  const { threads, url } = await openKind(postgres);
  const others = await openThreads(url);
  onTestFinished(() => others.close());
  const server = await startEngine(threads, { steps: steps() }, { ...options, mostAtOnce: 0 });
  const worker = await startEngine(others, { steps: steps(gate.pass) }, options);
  return { server, worker, threads: others };
}

describe("two engines on one Postgres", () => {
  test("tell each other of a run to take, and of each of its events", async () => {
    const gate = new Gate();
    const { server, worker } = await startTwo(gate);
    for (let round = 0; round < 4; round += 1) {
      const run = await server.enqueue(order({ streamMode: ["values"] }, { thread: `t${round}` }));
      const counts: number[] = [];
      for await (const { event, json } of server.stream(run.id, 0)) {
        if (event !== "values") continue;
        counts.push(JSON.parse(json).count);
        // Each step waits until the reader on the other engine has the event of the step before it.
        if (counts.length <= 3) await gate.reached(counts.length - 1);
        gate.open();
        gate.close();
      }
      expect(counts).toEqual([0, 1, 2, 3]);
    }
    expect([server.activeRuns, server.endedRuns.get("success"), worker.endedRuns.get("success")]).toEqual([0, 0, 4]);
  });

  test("stop a run that the other one executes", async () => {
    const gate = new Gate();
    const { server } = await startTwo(gate);
    const run = await server.enqueue(order());
    await gate.reached(0);
    await server.cancel(run.id, "interrupt");
    expect(await server.get(run.id)).toMatchObject({ status: "interrupted" });
  });

  test("stop a run for another one with the strategy interrupt", async () => {
    const gate = new Gate();
    const { server } = await startTwo(gate);
    const first = await server.enqueue(order());
    await gate.reached(0);
    const second = await server.enqueue(order({ input: { count: 0 } }, { strategy: "interrupt" }));
    await eventsOf(server, first.id);
    expect(await server.get(first.id)).toMatchObject({ status: "interrupted" });
    gate.open();
    await eventsOf(server, second.id);
    expect(await server.get(second.id)).toMatchObject({ status: "success" });
  });

  test.each([
    ["let one alone execute a run, if the other one lives but lost its sign of life", undefined],
    ["let one that lost its sign of life go on with its run, if no other one takes it", 0],
  ])("%s", async (_, mostAtOnce = 100) => {
    const { threads, url } = await openKind(postgres);
    const name = `lost-${randomUUID()}`;
    const ownThreads = await openThreads(`${url}&application_name=${name}`);
    onTestFinished(() => ownThreads.close());
    const [lostGate, gate] = [new Gate(), new Gate()];
    const lost = await startEngine(ownThreads, { steps: steps(lostGate.pass) });
    const run = await lost.enqueue(order());
    await lostGate.reached(0);
    const other = await startEngine(threads, { steps: steps(gate.pass) }, { mostAtOnce });
    await sharedPostgres().query(`select pg_terminate_backend(a.pid) from pg_stat_activity a
      join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' where application_name = '${name}'`);
    await expect.poll(async () => (await other.get(run.id))?.attempt, { timeout: 10_000 }).toBeGreaterThan(1);
    lostGate.open();
    gate.open();
    const events = await eventsOf(other, run.id);
    expect(await other.get(run.id)).toMatchObject({ status: "success" });
    const values = events.filter(({ event }) => event === "values").map(({ json }) => JSON.parse(json));
    expect(values.at(-1)).toMatchObject({ count: 3 });
    const written = await threads.checkpointer.getTuple({ configurable: { thread_id: "t" } });
    expect(written?.checkpoint.channel_values.messages).toHaveLength(4);
  });
});
