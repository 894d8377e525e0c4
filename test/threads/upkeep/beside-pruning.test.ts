import { describe, expect, test, vi } from "vitest";
import { hasCode, ThreadError } from "../../../src/base/errors.js";
import type { Database } from "../../../src/threads/databases/database.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { coded } from "../../helpers/coded.js";
import { databaseKinds } from "../each-database.js";
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

/** Prunes the thread once, right before the database is asked for something with these words. */
function pruneBefore(threads: Threads, method: "all" | "batch", words: string): () => boolean {
  const { database } = checkpointerOf(threads);
  const original: Database[typeof method] = database[method].bind(database);
  let isPruned = false;
  vi.spyOn(database, method).mockImplementation(async (...given: Parameters<typeof original>) => {
    if (!isPruned && JSON.stringify(given).includes(words)) {
      isPruned = true;
      await threads.prune({ thread: "t", keepTurns: 0 });
    }
    return Reflect.apply(original, database, given);
  });
  return () => isPruned;
}

describe.each(databaseKinds)("in $name, while another one prunes the thread,", (kind) => {
  test("a fork of what is pruned fails in words, and leaves nothing", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const step = await firstStepOf(threads);
    const isPruned = pruneBefore(threads, "batch", "select $2, hash, type, content");
    await expect(threads.fork("t", step, "fork")).rejects.toThrow(coded(ThreadError, "checkpoint-not-kept"));
    expect(isPruned()).toBe(true);
    expect(await threads.get("fork")).toBeUndefined();
  });

  test("a fork of what is kept is whole", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const step = await firstStepOf(threads);
    await threads.pin("t", step);
    const isPruned = pruneBefore(threads, "batch", "select $2, hash, type, content");
    await threads.fork("t", step, "fork");
    expect(isPruned()).toBe(true);
    const graph = stepsGraph(threads.checkpointer);
    const [forked, old] = await Promise.all(
      ["fork", "t"].map((thread_id) => graph.getState({ configurable: { thread_id, checkpoint_id: step } })),
    );
    expect(forked?.values).toEqual(old?.values);
  });

  test("an export fails in words, and can be tried again", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const isPruned = pruneBefore(threads, "all", "select i.hash, i.type, i.content");
    await expect(exported(threads)).rejects.toThrow(coded(ThreadError, "thread-pruned"));
    expect(isPruned()).toBe(true);
    expect(await threads.import([await exported(threads)], { id: "copy" })).toMatchObject({ id: "copy" });
  });
});

test.each(databaseKinds.filter(({ lasting }) => lasting))(
  "forks, exports and histories beside a pruning in $name are whole, or fail in words",
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
      await threads.history("t");
      if (!hasCode(forked, "checkpoint-not-kept")) {
        expect(forked).toMatchObject({ id: `fork ${round}` });
        for await (const { checkpoint } of threads.checkpointer.list(at(`fork ${round}`)))
          expect(checkpoint).toBeDefined();
      }
      if (!hasCode(text, "thread-pruned")) await threads.import([String(text)], { id: `import ${round}` });
      await pruning;
    }
  },
);
