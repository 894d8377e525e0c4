import { describe, expect, test, vi } from "vitest";
import { ThreadError } from "../../../src/base/errors.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { coded } from "../../helpers/coded.js";
import { lastingDatabases } from "../../matrix/databases.js";
import { allOf, at, checkpointerOf, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

async function twoTurns({ checkpointer }: Threads): Promise<void> {
  for (const id of ["q1", "q2"]) await stepsGraph(checkpointer).invoke({ messages: [question(id)] }, at("t"));
}

async function firstStepOf(threads: Threads): Promise<string> {
  return (await threads.history("t")).turns[0]?.steps[2]?.checkpoint ?? "";
}

const exported = async (threads: Threads) => (await allOf(threads.export("t"))).join("");

/** Prunes the thread once, right before its items are read. */
function pruneBeforeItems(threads: Threads): () => boolean {
  const { database } = checkpointerOf(threads);
  const all = database.all.bind(database);
  let isPruned = false;
  vi.spyOn(database, "all").mockImplementation(async (sql, parameters) => {
    if (sql.includes("select i.hash, i.type, i.content") && !isPruned) {
      isPruned = true;
      await threads.prune({ thread: "t", keepTurns: 0 });
    }
    return all(sql, parameters);
  });
  return () => isPruned;
}

describe.each(lastingDatabases)("in $name, while another process prunes the thread,", (kind) => {
  test("a fork of a pruned checkpoint fails with an error, and leaves nothing", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const step = await firstStepOf(threads);
    const isPruned = pruneBeforeItems(threads);
    await expect(threads.fork("t", step, "fork")).rejects.toThrow(coded(ThreadError, "checkpoint-not-kept"));
    expect(isPruned()).toBe(true);
    expect(await threads.get("fork")).toBeUndefined();
  });

  test("a fork of a kept checkpoint is whole", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const step = await firstStepOf(threads);
    // This checkpoint stays, because two branches start there.
    await stepsGraph(threads.checkpointer).invoke({ messages: [question("other")] }, at("t", step));
    const isPruned = pruneBeforeItems(threads);
    await threads.fork("t", step, "fork");
    expect(isPruned()).toBe(true);
    const graph = stepsGraph(threads.checkpointer);
    const [forked, old] = await Promise.all(
      ["fork", "t"].map((thread_id) => graph.getState({ configurable: { thread_id, checkpoint_id: step } })),
    );
    expect(forked?.values).toEqual(old?.values);
  });

  test("an export fails with an error, and can be tried again", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const isPruned = pruneBeforeItems(threads);
    await expect(exported(threads)).rejects.toThrow(coded(ThreadError, "thread-pruned"));
    expect(isPruned()).toBe(true);
    expect(await exported(threads)).toContain('"type":"end"');
  });

  test("a copy starts again, and is whole", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    await using elsewhere = await openThreads("memory:");
    const isPruned = pruneBeforeItems(threads);
    await threads.copy("t", elsewhere);
    expect(isPruned()).toBe(true);
    expect(await elsewhere.history("t")).toEqual(await threads.history("t"));
    const [copied, old] = await Promise.all(
      [elsewhere, threads].map(({ checkpointer }) => stepsGraph(checkpointer).getState(at("t"))),
    );
    expect(copied?.values).toEqual(old?.values);
  });
});
