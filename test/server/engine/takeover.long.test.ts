import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { bundledProgram } from "../../../bench/bundled-program.mjs";
import type { RunEngine } from "../../../src/server/engine/run-engine.js";
import { openThreads } from "../../../src/threads/open.js";
import { sharedPostgres } from "../../helpers/postgres.js";
import { lastingDatabases, postgres, sqlite } from "../../matrix/databases.js";
import { openKind } from "../../threads/open-kind.js";
import { agent, engineOn, eventsOf, Gate, order, saying, startEngine, steps } from "./open-engine.js";

const program = await bundledProgram(new URL("fixtures/killed-engine.mjs", import.meta.url));

/** An engine in a process of its own, and what its agent paid. */
async function startProcesses(url: string, { drain = 0, mostAttempts = 1_000 } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-engine-"));
  const file = join(folder, "paid");
  const children = new Set<ChildProcess>();
  onTestFinished(async () => {
    for (const child of children) child.kill("SIGKILL");
    await rm(folder, { recursive: true });
  });
  return {
    async start(): Promise<ChildProcess> {
      const given = JSON.stringify({ url, file, drain, mostAttempts });
      const child = spawn(process.execPath, [program, given], { stdio: ["ignore", "pipe", "inherit"] });
      children.add(child);
      const ended = once(child, "exit").then(() => Promise.reject(new Error("The engine ended.")));
      await Promise.race([once(createInterface(child.stdout), "line"), ended]);
      ended.catch(() => undefined);
      return child;
    },
    paid: async () => (await readFile(file, "utf8").catch(() => "")).split("\n").filter(Boolean).sort(),
  };
}

const bills = ["a", "b"].flatMap((name) => [0, 1, 2, 3, 4, 5].map((number) => `${name} ${number}`));

/** Stores two turns of two threads, one after the other: those that are stored at once follow one another in any order. */
async function enqueueTurns(reader: RunEngine): Promise<string[]> {
  const runs: string[] = [];
  for (const id of ["a 0", "b 0", "a 1", "b 1"]) {
    const place = { thread: id.slice(0, 1), graph: "agent", strategy: "enqueue" } as const;
    runs.push((await reader.enqueue(order(saying(id), place))).id);
  }
  return runs;
}

test.each(lastingDatabases)(
  "runs on $name whose process is killed at a payment, again and again, end with none made twice",
  async (kind) => {
    const { url, engine: reader } = await engineOn(kind, { agent: agent() }, { mostAtOnce: 0 });
    const processes = await startProcesses(url);
    const runs = await enqueueTurns(reader);
    const reading = runs.map((id) => eventsOf(reader, id));
    const kills = [0, 2, 4];
    for (const most of kills) {
      const child = await processes.start();
      while ((await processes.paid()).length <= most) await sleep(1);
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await processes.start();
    for (const [n, events] of (await Promise.all(reading)).entries()) {
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(await reader.get(runs[n] ?? "")).toMatchObject({ status: "success" });
    }
    // A call that was killed before its payment is not made again: nobody knows whether it took effect.
    const paid = await processes.paid();
    expect(bills).toEqual(expect.arrayContaining(paid));
    expect(new Set(paid).size).toBe(paid.length);
    expect(paid.length).toBeGreaterThanOrEqual(bills.length - 2 * kills.length);
  },
);

test.each(lastingDatabases)(
  "runs on $name go on in the next process after SIGTERM, which finishes its steps",
  async (kind) => {
    // This engine runs nothing: it stores runs, and reads their events.
    const { url, engine: reader } = await engineOn(kind, { agent: agent() }, { mostAtOnce: 0 });
    const processes = await startProcesses(url, { drain: 600_000 });
    const runs = await enqueueTurns(reader);
    const child = await processes.start();
    while ((await processes.paid()).length === 0) await sleep(10);
    child.kill("SIGTERM");
    await once(child, "exit");
    const statuses = await Promise.all(runs.map(async (id) => (await reader.get(id))?.status));
    expect(statuses).not.toContain("running");
    expect(statuses).toContain("pending");
    await processes.start();
    for (const id of runs) {
      await eventsOf(reader, id);
      expect(await reader.get(id)).toMatchObject({ status: "success" });
    }
    expect(await processes.paid()).toEqual(bills);
  },
);

test("a run is given up if it kills each process in the same step, and not if it gets further each time", async () => {
  const graphs = { stumbling: steps(), deadly: steps() };
  const { url, engine: reader } = await engineOn(sqlite, graphs, { mostAtOnce: 0 });
  const processes = await startProcesses(url, { mostAttempts: 2 });
  const ended = async (graph: string) => {
    const { id } = await reader.enqueue(order({}, { thread: graph, graph }));
    const events = eventsOf(reader, id);
    const hasEnded = events.then(() => true);
    while (!(await Promise.race([hasEnded, once(await processes.start(), "exit").then(() => false)])));
    return { run: await reader.get(id), end: JSON.parse((await events).at(-1)?.json ?? "") };
  };
  expect(await ended("stumbling")).toMatchObject({ run: { status: "success", attempt: 4 }, end: { count: 3 } });
  expect(await ended("deadly")).toMatchObject({
    run: { status: "error", attempt: 4 },
    end: { message: expect.stringContaining("was given up") },
  });
});

test.each([
  ["has it executed by another engine alone, if there is one", 100],
  ["goes on with it, if no other one takes it", 0],
])("an engine that lives but lost its sign of life %s", async (_, mostAtOnce) => {
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
  await expect.poll(async () => (await other.get(run.id))?.attempt).toBeGreaterThan(1);
  lostGate.open();
  gate.open();
  const events = await eventsOf(other, run.id);
  expect(await other.get(run.id)).toMatchObject({ status: "success" });
  const values = events.filter(({ event }) => event === "values").map(({ json }) => JSON.parse(json));
  expect(values.at(-1)).toMatchObject({ count: 3 });
  const written = await threads.checkpointer.getTuple({ configurable: { thread_id: "t" } });
  expect(written?.checkpoint.channel_values.messages).toHaveLength(4);
});
