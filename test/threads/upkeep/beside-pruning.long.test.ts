import { describe, expect, test, vi } from "vitest";
import { hasCode, ThreadError } from "../../../src/base/errors.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { coded } from "../../helpers/coded.js";
import { databases, lastingDatabases } from "../../matrix/databases.js";
import { at, checkpointerOf, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

async function twoTurns({ checkpointer }: Threads): Promise<void> {
  for (const id of ["q1", "q2"]) await stepsGraph(checkpointer).invoke({ messages: [question(id)] }, at("t"));
}

async function firstStepOf(threads: Threads): Promise<string> {
  return (await threads.history("t")).turns[0]?.steps[2]?.checkpoint ?? "";
}

async function exported(threads: Threads): Promise<string> {
  let text = "";
  for await (const line of threads.export("t")) text += line;
  return text;
}

/** Prunes the thread once, right before a fork writes, or before items are read for something else. */
function pruneBefore(threads: Threads, what: "fork" | "items"): () => boolean {
  const { database } = checkpointerOf(threads);
  const [transact, all] = [database.transact.bind(database), database.all.bind(database)];
  let isPruned = false;
  const prune = async () => {
    if (isPruned) return;
    isPruned = true;
    await threads.prune({ thread: "t", keepTurns: 0 });
  };
  if (what === "fork") {
    vi.spyOn(database, "transact").mockImplementation((statements) => prune().then(() => transact(statements)));
  } else {
    vi.spyOn(database, "all").mockImplementation(async (sql, parameters) => {
      if (sql.includes("select i.hash, i.type, i.content")) await prune();
      return all(sql, parameters);
    });
  }
  return () => isPruned;
}

describe.each(databases)("in $name, while another process prunes the thread,", (kind) => {
  test("a fork of a pruned checkpoint fails with an error, and leaves nothing", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const step = await firstStepOf(threads);
    const isPruned = pruneBefore(threads, "fork");
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
    const isPruned = pruneBefore(threads, "fork");
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
    const isPruned = pruneBefore(threads, "items");
    await expect(exported(threads)).rejects.toThrow(coded(ThreadError, "thread-pruned"));
    expect(isPruned()).toBe(true);
    expect(await exported(threads)).toContain('"type":"end"');
  });

  test("a copy starts again, and is whole", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    await using elsewhere = await openThreads("memory:");
    const isPruned = pruneBefore(threads, "items");
    await threads.copy("t", elsewhere);
    expect(isPruned()).toBe(true);
    expect(await elsewhere.history("t")).toEqual(await threads.history("t"));
    const [copied, old] = await Promise.all(
      [elsewhere, threads].map(({ checkpointer }) => stepsGraph(checkpointer).getState(at("t"))),
    );
    expect(copied?.values).toEqual(old?.values);
  });
});

test.each(lastingDatabases)(
  "forks, exports, copies and histories during a pruning in $name are whole, or fail with an error",
  async (kind) => {
    const { threads, url } = await openKind(kind);
    await using other = await openThreads(url);
    const graph = stepsGraph(threads.checkpointer);
    for (let round = 0; round < 20; round += 1) {
      await graph.invoke({ messages: [question(`q${round}`)] }, at("t"));
      const steps = (await threads.history("t")).turns.flatMap((turn) => turn.steps);
      const step = steps[round % steps.length]?.checkpoint ?? "";
      const pruning = other.prune({ thread: "t", keepTurns: 0 });
      const forked = await threads.fork("t", step, `fork ${round}`).catch((error: unknown) => error);
      const text = await exported(threads).catch((error: unknown) => error);
      await using elsewhere = await openThreads("memory:");
      await threads.copy("t", elsewhere);
      for await (const { checkpoint } of elsewhere.checkpointer.list(at("t"))) expect(checkpoint).toBeDefined();
      await threads.history("t");
      if (!hasCode(forked, "checkpoint-not-kept")) {
        expect(forked).toMatchObject({ id: `fork ${round}` });
        for await (const { checkpoint } of threads.checkpointer.list(at(`fork ${round}`)))
          expect(checkpoint).toBeDefined();
      }
      if (!hasCode(text, "thread-pruned")) expect(text).toContain('"type":"end"');
      await pruning;
    }
  },
);
