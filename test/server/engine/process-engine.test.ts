import { inspect } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { databases, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { openKind } from "../../threads/open-kind.js";
import { agent, eventsOf, order, startEngine, steps } from "./open-engine.js";

describe.each(matrix(databases, sqlite))("an engine on $name", (kind) => {
  test("runs a graph of LangGraph, and gives its events to readers now and later", async () => {
    const { threads } = await openKind(kind);
    const engine = await startEngine(threads, { steps: steps() });
    const run = await engine.enqueue(order({ streamMode: ["values", "updates"] }));
    expect(run).toMatchObject({ status: "running", attempt: 1, thread: "t" });
    const events = await eventsOf(engine, run.id);
    expect(events.map(({ event }) => event)).toEqual([
      ...["metadata", "values", "updates", "values", "updates", "values", "updates", "values"],
    ]);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(JSON.parse(events.at(-1)?.json ?? "")).toMatchObject({
      count: 3,
      messages: [{ type: "human" }, { type: "ai", content: "step 0" }, {}, {}],
    });
    expect((await eventsOf(engine, run.id, 6)).map(({ seq }) => seq)).toEqual([7, 8]);
    expect(await engine.get(run.id)).toMatchObject({ status: "success" });
    expect(await engine.list("t", { limit: 10, offset: 0 })).toHaveLength(1);
  });

  test("runs an agent, whose checkpoints name the run", async () => {
    const { threads } = await openKind(kind);
    const engine = await startEngine(threads, { agent: agent() });
    const run = await engine.enqueue(order({ streamMode: ["messages-tuple", "values"] }, { graph: "agent" }));
    const events = await eventsOf(engine, run.id);
    expect(JSON.parse(events.at(-1)?.json ?? "")).toMatchObject({ answer: "It is 4." });
    expect(events.some(({ event }) => event === "messages")).toBe(true);
    for await (const { metadata } of threads.checkpointer.list({ configurable: { thread_id: "t" } })) {
      expect(metadata).toMatchObject({ run_id: run.id, graph: "glassloop" });
    }
  });

  test("stops a run that is cancelled, and says so", async () => {
    const { threads } = await openKind(kind);
    const engine = await startEngine(threads, { steps: steps(untilStopped) });
    const run = await engine.enqueue(order());
    await engine.cancel(run.id, "interrupt");
    expect(await engine.get(run.id)).toMatchObject({ status: "interrupted" });
    expect((await eventsOf(engine, run.id)).map(({ event }) => event)).not.toContain("error");
  });

  test("notes why a run failed, for its client and, with the stack and without secrets, in the log", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => log.mockRestore());
    const { threads } = await openKind(kind);
    const engine = await startEngine(threads, {
      steps: steps(async () => {
        throw new RangeError("too far: sk-abcdefghijklmnop1234");
      }),
    });
    const run = await engine.enqueue(order());
    const events = await eventsOf(engine, run.id);
    expect(events.at(-1)).toMatchObject({
      event: "error",
      json: '{"error":"RangeError","message":"too far: [secret]"}',
    });
    expect(await engine.get(run.id)).toMatchObject({
      status: "error",
      error: { name: "RangeError", message: "too far: [secret]" },
    });
    expect(inspect(log.mock.calls)).toMatch(/RangeError.*: too far: \[secret\]\n\s+at /);
    expect(inspect(log.mock.calls)).not.toContain("sk-abc");
  });
});

function untilStopped(_step: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}
