import { describe, expect, test } from "vitest";
import { createAgent } from "../../../src/agent/create-agent.js";
import { RunError, ThreadError, ThreadInUseError } from "../../../src/base/errors.js";
import type { RunStrategy } from "../../../src/server/engine/run-engine.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { openThreads } from "../../../src/threads/open.js";
import { cancelRun } from "../../../src/threads/runs/run-rows.js";
import { runProgram } from "../../cli/fake-io.js";
import { bareTool } from "../../helpers/tools.js";
import { databases, lastingDatabases, memory, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { allOf, at, checkpointerOf } from "../../threads/open-kind.js";
import { agent, ended, endOf, engineOn, eventsOf, Gate, order, saying, startEngine, steps } from "./open-engine.js";

describe.each(matrix(databases, sqlite))("runs on one thread in $name", (kind) => {
  test("follow one another in the order of their storing, also when they are stored at once", async () => {
    const { engine } = await engineOn(kind, { steps: steps() });
    const orders = Array.from({ length: 4 }, () => order({}, { strategy: "enqueue" }));
    const runs = await Promise.all(orders.map((one) => engine.enqueue(one)));
    const counts = await Promise.all(runs.map(async ({ id }) => (await endOf(engine, id)).count));
    expect([...counts].sort((a, b) => a - b)).toEqual([3, 6, 9, 12]);
    const listed = await engine.list("t", { limit: 2, offset: 1 });
    expect(listed.map(({ id }) => counts[orders.findIndex((one) => one.id === id)])).toEqual([9, 6]);
  });

  test("refuse a second one, unless the first has ended", async () => {
    const gate = new Gate();
    const { engine } = await engineOn(kind, { steps: steps(gate.pass) });
    const first = await engine.enqueue(order());
    const second = order();
    await expect(engine.enqueue(second)).rejects.toThrow(ThreadInUseError);
    expect(await engine.get(second.id)).toBeUndefined();
    gate.open();
    await eventsOf(engine, first.id);
    await ended(engine, second);
    expect(await engine.get(second.id)).toMatchObject({ status: "success" });
    await expect(engine.enqueue(second)).rejects.toThrow(new RunError("run-exists", second.id));
  });

  test("are interrupted by one that says so, and those that wait do not begin", async () => {
    const gate = new Gate();
    const { engine } = await engineOn(kind, { steps: steps(gate.pass) });
    const first = await engine.enqueue(order());
    await gate.reached(0);
    const waiting = await engine.enqueue(order({}, { strategy: "enqueue" }));
    const last = await engine.enqueue(order({}, { strategy: "interrupt" }));
    gate.open();
    await eventsOf(engine, last.id);
    const statuses = await Promise.all([first, waiting, last].map(async ({ id }) => (await engine.get(id))?.status));
    expect(statuses).toEqual(["interrupted", "interrupted", "success"]);
  });

  test("are undone by one that says so: their checkpoints and their rows go", async () => {
    const gate = new Gate();
    const { threads, engine } = await engineOn(kind, { steps: steps(gate.pass) });
    gate.open();
    const kept = await ended(engine, order());
    gate.close();
    const undone = await engine.enqueue(order(saying("no")));
    await gate.reached(3);
    const last = await engine.enqueue(order(saying("yes"), { strategy: "rollback" }));
    gate.open();
    const { messages } = await endOf(engine, last.id);
    const ids = messages.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(["q", ...[0, 1, 2].map((n) => `step-${n}`), "yes", ...[3, 4, 5].map((n) => `step-${n}`)]);
    expect(await engine.get(undone.id)).toBeUndefined();
    const written = await allOf(threads.checkpointer.list(at("t")));
    const writers = new Set(written.map(({ metadata }) => Reflect.get(metadata ?? {}, "run_id")));
    expect(writers).toEqual(new Set([kept.id, last.id]));
  });

  test("are undone, too, if they end before their engine knows that they have to be", async () => {
    const gate = new Gate();
    const { threads, engine } = await engineOn(kind, { steps: steps(gate.pass) }, { pollMs: 60_000 });
    const run = await engine.enqueue(order());
    await gate.reached(0);
    await cancelRun(checkpointerOf(threads).database, run.id, "rollback");
    gate.open();
    await eventsOf(engine, run.id).catch(() => undefined);
    await expect.poll(() => engine.get(run.id)).toBeUndefined();
    expect(await threads.checkpointer.getTuple(at("t"))).toBeUndefined();
  });

  test("are undone, but not what their tools did: the history tells of that", async () => {
    const pay = bareTool("pay", () => "paid", { metadata: { effects: true } });
    const never = () => new Promise<string>(() => {});
    const model = scriptedModel(["Hello.", { content: "", tool_calls: [{ name: "pay", args: {} }] }, never, "Bye."]);
    const paying = createAgent({ model, tools: [pay], protocol: "tool-calling", rephrase: false });
    const { threads, url, engine } = await engineOn(kind, { paying });
    const ask = (id: string, strategy: RunStrategy = "reject") =>
      engine.enqueue(order(saying(id), { graph: "paying", strategy }));
    await eventsOf(engine, (await ask("one")).id);
    for await (const { json } of engine.stream((await ask("two")).id, 0))
      if (json.includes('"observation":"paid"')) break;
    await eventsOf(engine, (await ask("three", "rollback")).id);
    const { turns } = await threads.history("t");
    expect(turns).toMatchObject([{ answer: "Hello." }, { asked: "three", answer: "Bye." }]);
    expect(turns.flatMap(({ steps }) => steps.map(({ undone }) => undone)).filter(Boolean)).toEqual([
      [{ tool: "pay", observation: "paid" }],
    ]);
    if (!kind.lasting) return;
    const { stdout } = await runProgram(["threads", "show", "t", "--db", url]);
    expect(stdout).toContain("[a turn was undone that had called pay]");
  });

  test("are undone with the decision that they brought: the person is asked again", async () => {
    let calls = 0;
    const look = bareTool("look", () => {
      calls += 1;
      return new Promise<string>(() => {});
    });
    const model = scriptedModel([{ content: "", tool_calls: [{ name: "look", args: {} }] }]);
    const careful = createAgent({ model, tools: [look], protocol: "tool-calling", rephrase: false, approve: "always" });
    const { engine } = await engineOn(kind, { careful });
    await ended(engine, order(saying("q"), { graph: "careful" }));
    const resume = { command: { resume: { decisions: [{ type: "approve" }] } }, input: undefined };
    const decided = await engine.enqueue(order(resume, { graph: "careful" }));
    await expect.poll(() => calls).toBe(1);
    await engine.cancel(decided.id, "rollback");
    const again = await engine.enqueue(order({ input: null }, { graph: "careful" }));
    const events = await eventsOf(engine, again.id);
    expect(events.map(({ json }) => json).join("\n")).toContain("__interrupt__");
    expect(calls).toBe(1);
  });

  test("are refused while another program has the thread, or wait for it", async () => {
    const { threads, engine } = await engineOn(kind, { steps: steps(), agent: agent() });
    const lease = await checkpointerOf(threads).guard.take("t");
    await expect(engine.enqueue(order())).rejects.toThrow(ThreadInUseError);
    const run = await engine.enqueue(order({}, { strategy: "enqueue" }));
    await ended(engine, order({}, { thread: "u", graph: "agent" }));
    expect(await engine.get(run.id)).toMatchObject({ status: "running" });
    await lease.release();
    await eventsOf(engine, run.id);
    expect(await engine.get(run.id)).toMatchObject({ status: "success" });
  });
});

describe.each(matrix(lastingDatabases, sqlite))("several engines on one database in $name", (kind) => {
  test("share the runs, and each run has one of them", async () => {
    const gate = new Gate();
    const graph = () => ({ steps: steps(gate.pass) });
    const { url, engine: one } = await engineOn(kind, graph(), { mostAtOnce: 1 });
    await using others = await openThreads(url);
    const two = await startEngine(others, graph(), { mostAtOnce: 1 });
    const runs = [];
    for (const thread of ["a", "b", "c", "d"]) runs.push(await one.enqueue(order({}, { thread })));
    await expect.poll(() => [one.activeRuns, two.activeRuns]).toEqual([1, 1]);
    gate.open();
    for (const { id } of runs) {
      const events = await eventsOf(two, id);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(await one.get(id)).toMatchObject({ status: "success", attempt: 1 });
    }
  });

  test("stop each other's runs", async () => {
    const gate = new Gate();
    const { url, engine: one } = await engineOn(kind, { steps: steps(gate.pass) });
    await using others = await openThreads(url);
    const two = await startEngine(others, { steps: steps() });
    const run = await one.enqueue(order());
    await gate.reached(0);
    await two.cancel(run.id, "interrupt");
    expect(await one.get(run.id)).toMatchObject({ status: "interrupted" });
    expect((await eventsOf(two, run.id)).at(0)).toMatchObject({ event: "metadata" });
  });
});

describe("the limits of an engine", () => {
  test("let only so many runs run at once, and so many of an owner wait", async () => {
    const gate = new Gate();
    const { engine } = await engineOn(memory, { steps: steps(gate.pass) }, { mostAtOnce: 2, mostQueued: 3 });
    const enqueue = (n: number, owner?: string) => engine.enqueue(order({}, { thread: `${owner}${n}`, owner }));
    const runs = [];
    for (const n of [1, 2, 3, 4, 5]) runs.push(await enqueue(n));
    expect(runs.map(({ status }) => status)).toEqual(["running", "running", "pending", "pending", "pending"]);
    await expect(enqueue(6)).rejects.toMatchObject({ code: "too-many-runs" });
    await enqueue(1, "ann");
    gate.open();
    for (const { id } of runs) await eventsOf(engine, id);
    expect(await enqueue(7)).toMatchObject({ thread: "undefined7" });
  });

  test("keep a run from the thread of another owner", async () => {
    const { engine } = await engineOn(memory, { steps: steps() });
    await ended(engine, order({}, { owner: "ann" }));
    for (const owner of ["bob", undefined]) {
      const refused = order({}, { owner, strategy: "rollback" });
      await expect(engine.enqueue(refused)).rejects.toThrow(new ThreadError("thread-not-found", "t"));
    }
    expect(await engine.list("t", { limit: 10, offset: 0 })).toMatchObject([{ owner: "ann", status: "success" }]);
  });
});
