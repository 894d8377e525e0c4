import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { BaseMessage } from "@langchain/core/messages";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { Run, RunEngine, RunEvent } from "../../../src/server/engine/run-engine.js";
import type { Threads } from "../../../src/threads/open.js";
import { ThreadDirectory } from "../../../src/threads/runs/thread-directory.js";
import { randomFrom } from "../../helpers/random.js";
import { lastingDatabases, sqlite } from "../../matrix/databases.js";
import { checkpointerOf, openKind } from "../../threads/open-kind.js";
import { agent, order, startEngine, steps } from "./open-engine.js";

const program = fileURLToPath(new URL("fixtures/killed-engine.mjs", import.meta.url));
const kinds = lastingDatabases;

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

/** Reads a run until its end, and goes away and comes back now and then. */
async function readAll(engine: RunEngine, id: string, random: () => number): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const leaving = new AbortController();
    const leaves = random() < 0.5;
    for await (const event of engine.stream(id, events.at(-1)?.seq ?? 0, leaving.signal)) {
      events.push(event);
      if (leaves && random() < 0.2) break;
    }
    const run = await engine.get(id);
    if (run?.status !== "pending" && run?.status !== "running" && (await isAtEnd(engine, id, events))) return events;
  }
}

async function isAtEnd(engine: RunEngine, id: string, events: readonly RunEvent[]): Promise<boolean> {
  for await (const _ of engine.stream(id, events.at(-1)?.seq ?? 0)) return false;
  return true;
}

function orders() {
  const ask = (thread: string, graph: string, n: number) =>
    order(
      {
        input: { messages: [{ role: "user", content: `Go ${n}`, id: `${thread}-${n}` }] },
        streamMode: ["values", "updates", "messages-tuple"],
      },
      { thread, graph, strategy: "enqueue" },
    );
  return [0, 1].flatMap((n) => [ask("a", "agent", n), ask("b", "agent", n), ask("c", "counting", n)]);
}

/** Stores the runs one after the other: those that are stored at once follow one another in any order. */
async function enqueueAll(engine: RunEngine): Promise<Run[]> {
  const runs: Run[] = [];
  for (const one of orders()) runs.push(await engine.enqueue(one));
  return runs;
}

const bills = ["a", "b"].flatMap((thread) => [0, 1, 2, 3, 4, 5].map((number) => `${thread} ${number}`));

/** Returns the results of a thread's calls of which nobody knows whether they took effect. */
async function unknownOutcomes({ checkpointer }: Threads, thread: string): Promise<string[]> {
  const tuple = await checkpointer.getTuple({ configurable: { thread_id: thread } });
  const messages = z.array(z.instanceof(BaseMessage)).parse(tuple?.checkpoint.channel_values.messages);
  return messages
    .filter((message) => message.type === "tool")
    .map(({ text }) => text)
    .filter((text) => /It is not known whether/.test(text));
}

describe.each(kinds)("runs on $name whose process is killed again and again", (kind) => {
  test.each([1])("end, with no effect twice, and each event once (seed %i)", async (seed) => {
    const random = randomFrom(seed);
    const { threads, url } = await openKind(kind);
    // This engine runs nothing: it stores runs, and reads their events.
    const reader = await startEngine(threads, { agent: agent(), counting: steps() }, { mostAtOnce: 0 });
    const processes = await startProcesses(url);
    const runs = await enqueueAll(reader);
    const reading = Promise.all(runs.map(({ id }) => readAll(reader, id, random)));
    for (let kill = 0; kill < 4; kill += 1) {
      const child = await processes.start();
      await sleep(random() * 400);
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await processes.start();
    for (const [n, events] of (await reading).entries()) {
      const run = await reader.get(runs[n]?.id ?? "");
      expect(run).toMatchObject({ status: "success" });
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      const last = JSON.parse(events.findLast(({ event }) => event === "values")?.json ?? "{}");
      expect(run?.graph === "agent" ? last.answer : last.count % 3).toBe(run?.graph === "agent" ? "All paid." : 0);
    }
    const paid = await processes.paid();
    expect(new Set(paid).size).toBe(paid.length);
    // A kill before the bill was paid leaves a call whose outcome is unknown. It is not made again, and the model is told.
    const told = await Promise.all(["a", "b"].map((thread) => unknownOutcomes(threads, thread)));
    expect(bills.length - paid.length).toBeLessThanOrEqual(told.flat().length);
    const states = await new ThreadDirectory(checkpointerOf(threads)).search(
      { owner: undefined },
      { limit: 9, offset: 0 },
    );
    expect(states.map(({ id, status }) => `${id} ${status}`).sort()).toEqual(["a idle", "b idle", "c idle"]);
    const { turns } = await threads.history("a");
    expect(turns.map(({ asked }) => asked)).toEqual(["Go 0", "Go 1"]);
  });

  test("go on in the next process after SIGTERM, which finishes its steps", async () => {
    const { threads, url } = await openKind(kind);
    const reader = await startEngine(threads, { agent: agent(), counting: steps() }, { mostAtOnce: 0 });
    const processes = await startProcesses(url, { drain: 5_000 });
    const runs = await enqueueAll(reader);
    const child = await processes.start();
    while ((await processes.paid()).length === 0) await sleep(10);
    child.kill("SIGTERM");
    await once(child, "exit");
    const statuses = await Promise.all(runs.map(async ({ id }) => (await reader.get(id))?.status));
    expect(statuses).not.toContain("running");
    expect(statuses).toContain("pending");
    await processes.start();
    for (const { id } of runs) await readAll(reader, id, () => 1);
    for (const { id } of runs) expect(await reader.get(id)).toMatchObject({ status: "success" });
    expect(await processes.paid()).toEqual(bills);
  });
});

test("a run is given up if it kills each process in the same step, and not if it gets further each time", async () => {
  const { threads, url } = await openKind(sqlite);
  const graphs = { stumbling: steps(), deadly: steps() };
  const reader = await startEngine(threads, graphs, { mostAtOnce: 0 });
  const processes = await startProcesses(url, { mostAttempts: 2 });
  const ended = async (graph: string) => {
    const { id } = await reader.enqueue(order({}, { thread: graph, graph }));
    const events = readAll(reader, id, () => 1);
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
