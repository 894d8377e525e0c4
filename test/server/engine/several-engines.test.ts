import { describe, expect, onTestFinished, test } from "vitest";
import type { EngineOptions } from "../../../src/server/engine/process-engine.js";
import { openThreads } from "../../../src/threads/open.js";
import { postgres } from "../../matrix/databases.js";
import { engineOn, Gate, order, startEngine, steps } from "./open-engine.js";

/** Looks at the rows would come too late for these tests: only signals are in time. */
const never = 3_600_000;

async function startTwo(gate: Gate, options: EngineOptions = { pollMs: never }) {
  const { url, engine: server } = await engineOn(postgres, { steps: steps() }, { ...options, mostAtOnce: 0 });
  const others = await openThreads(url);
  onTestFinished(() => others.close());
  const worker = await startEngine(others, { steps: steps(gate.pass) }, options);
  return { server, worker };
}

describe("two engines on one Postgres", () => {
  test("tell each other of a run to take, and of each of its events", async () => {
    const gate = new Gate();
    const { server, worker } = await startTwo(gate);
    for (let round = 0; round < 2; round += 1) {
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
    expect([server.activeRuns, server.endedRuns.get("success"), worker.endedRuns.get("success")]).toEqual([0, 0, 2]);
  });

  test("stop a run that the other one executes", async () => {
    const gate = new Gate();
    const { server } = await startTwo(gate);
    const run = await server.enqueue(order());
    await gate.reached(0);
    await server.cancel(run.id, "interrupt");
    expect(await server.get(run.id)).toMatchObject({ status: "interrupted" });
  });
});
