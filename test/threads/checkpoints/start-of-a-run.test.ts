import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Lease } from "../../../src/core/run/keeper.js";
import { Run, withRun } from "../../../src/core/run/run.js";
import { databases, memory } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { agentOn, answer } from "../agents.js";
import { at, checkpointerOf, openKind } from "../open-kind.js";

const identity = { name: "graph", stateVersion: 1, passing: new Set("") };
const metadata = { source: "loop" as const, step: 0, parents: {} };

function runWith(lease: Lease): Run {
  const run = new Run();
  run.lease = lease;
  return run;
}

describe.each(matrix(databases, memory))("the start of a run in $name", (kind) => {
  test("is read once, on a new thread and on an old one", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, answer("one"), answer("two"));
    const queries = vi.spyOn(checkpointerOf(threads).database, "all");
    for (const question of ["1", "2"]) {
      queries.mockClear();
      await agent.invoke({ messages: question }, at("t"));
      expect(queries.mock.calls.filter(([sql]) => sql.includes("glassloop_checkpoints"))).toHaveLength(1);
    }
    expect((await agent.getState(at("t"))).values.messages).toHaveLength(4);
  });

  test("is stored as one transaction with the state that its input makes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { threads } = await openKind(kind);
    const batches = vi.spyOn(checkpointerOf(threads).database, "batch");
    const storedBefore: number[] = [];
    const agent = agentOn(threads, () => {
      storedBefore.push(batches.mock.calls.filter(([statements]) => statements.length > 1).length);
      return answer("done");
    });
    await agent.invoke({ messages: "1" }, at("t"));
    // The other one is that of the node that begins the turn.
    expect(storedBefore).toEqual([2]);
  });

  test("is read again after a write of the run, for another run, and for another checkpoint", async () => {
    const { threads } = await openKind(kind);
    const shared = checkpointerOf(threads);
    const saver = shared.forGraph(identity);
    const lease = await shared.guard.take("t");
    const held = (id?: string) => withRun(at("t", id), runWith(lease));
    const [first, second] = [emptyCheckpoint(), { ...emptyCheckpoint(), id: "second" }];
    expect(await saver.readStart(held())).toBeUndefined();
    const placed = await saver.put(held(), first, metadata, {});
    expect((await saver.getTuple(held()))?.checkpoint.id).toBe(first.id);

    await saver.readStart(held());
    const inPlace = { configurable: { ...held().configurable, ...placed.configurable } };
    await saver.putWrites(inPlace, [["answer", "done"]], "task");
    expect((await saver.getTuple(held()))?.pendingWrites).toEqual([["task", "answer", "done"]]);

    await saver.put(inPlace, second, metadata, {});
    await saver.readStart(held());
    expect((await saver.getTuple(held(first.id)))?.checkpoint.id).toBe(first.id);
    await saver.readStart(held());
    const inner = { configurable: { ...held().configurable, checkpoint_ns: "inner" } };
    expect(await saver.getTuple(inner)).toBeUndefined();
    await saver.readStart(held());
    expect(await saver.getTuple(at("t"))).not.toBe(await saver.getTuple(held()));
    await lease.release();
  });

  test("can be changed by its reader without effect on others", async () => {
    const { threads } = await openKind(kind);
    const shared = checkpointerOf(threads);
    const saver = shared.forGraph(identity);
    const lease = await shared.guard.take("t");
    const held = withRun(at("t"), runWith(lease));
    await saver.put(held, emptyCheckpoint(), metadata, {});
    const read = await saver.readStart(held);
    expect(await saver.getTuple(held)).toBe(read);
    expect(await saver.getTuple(held)).not.toBe(read);
    await lease.release();
  });
});
