import { END, ReducedValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { type BaseCheckpointSaver, emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { triggerOf } from "../../../src/langgraph/names.js";
import { ThreadCheckpointer } from "../../../src/threads/checkpoints/checkpointer.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { databases, lastingDatabases, memory, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { at, checkpointerOf, openKind } from "../open-kind.js";

const noteOf = (number: number) => `Note ${number}: ${"a long one ".repeat(30)}`;

/** A graph that is told a number, and works out the note to keep itself; 0 empties its notes. */
function notesGraph(checkpointer: BaseCheckpointSaver) {
  const notes = new ReducedValue(
    z.array(z.string()).default(() => []),
    { inputSchema: z.number(), reducer: (notes, number) => (number === 0 ? [] : [...notes, noteOf(number)]) },
  );
  return new StateGraph(new StateSchema({ notes }))
    .addNode("rest", () => ({}))
    .addEdge(START, "rest")
    .addEdge("rest", END)
    .compile({ checkpointer })
    .withConfig({ durability: "sync" });
}

const note = ({ checkpointer }: Threads, notes: number) => notesGraph(checkpointer).invoke({ notes }, at("t"));

/** The notes as a process finds them that knows nothing of the thread. */
async function notesIn(url: string): Promise<unknown> {
  await using threads = await openThreads(url);
  const tuple = await threads.checkpointer.getTuple(at("t"));
  return tuple?.checkpoint.channel_values.notes;
}

describe.each(matrix(lastingDatabases, sqlite))("a process that has cached a thread in $name", (kind) => {
  test("writes data again that another process removed", async () => {
    const { threads, url } = await openKind(kind);
    for (const number of [1, 0]) await note(threads, number);
    await using other = await openThreads(url);
    expect(await other.prune({ keepTurns: 0 })).toMatchObject({ threads: 1 });
    await note(threads, 1);
    expect(await notesIn(url)).toEqual([noteOf(1)]);
    await other.delete("t");
    await note(threads, 1);
    expect(await notesIn(url)).toEqual([noteOf(1)]);
  });

  test("writes data again that it deleted itself, without a read first", async () => {
    const { threads, url } = await openKind(kind);
    const put = async (): Promise<void> => {
      const versions = { notes: threads.checkpointer.getNextVersion(undefined) };
      const checkpoint = { ...emptyCheckpoint(), id: uuid6(0), channel_values: { notes: [noteOf(1)] } };
      const metadata = { source: "update", step: 0, parents: {} } as const;
      await threads.checkpointer.put(at("t"), { ...checkpoint, channel_versions: versions }, metadata, versions);
    };
    await put();
    await threads.delete("t");
    await put();
    expect(await notesIn(url)).toEqual([noteOf(1)]);
  });
});

describe.each(matrix(databases, memory))("a checkpointer over $name", (kind) => {
  const put = async (threads: Threads, version: string): Promise<unknown> => {
    const channel_versions = { note: version };
    const checkpoint = { ...emptyCheckpoint(), id: uuid6(0), channel_values: { note: noteOf(1) }, channel_versions };
    await threads.checkpointer.put(at("t"), checkpoint, { source: "update", step: 0, parents: {} }, channel_versions);
    // A checkpointer of its own knows nothing of what was put.
    const reader = new ThreadCheckpointer(checkpointerOf(threads).database);
    return (await reader.getTuple(at("t")))?.checkpoint.channel_values;
  };

  test("accepts a version that is a number as text, and refuses another, such as one of LangGraph for Python", async () => {
    const { threads } = await openKind(kind);
    await expect(put(threads, "00002.0.123")).rejects.toThrow(/"note" has the version "00002.0.123". Give a number/);
    expect(await threads.checkpointer.getTuple(at("t"))).toBeUndefined();
    expect(await put(threads, "2.5")).toEqual({ note: noteOf(1) });
  });
});

describe.each(matrix(databases, memory))("a graph whose threads are in $name", (kind) => {
  test("reads its last write, which may still wait for the next one", async () => {
    const { threads } = await openKind(kind);
    const checkpointer = checkpointerOf(threads).forGraph({
      name: "counter",
      stateVersion: 1,
      passing: new Set(["look", "list"].map(triggerOf)),
    });
    const seen: unknown[] = [];
    const graph = new StateGraph(new StateSchema({ count: z.number() }))
      .addNode("look", async ({ count }) => {
        seen.push((await graph.getState(at("t"))).next);
        return { count: count + 1 };
      })
      .addNode("list", async ({ count }) => {
        const { value } = await graph.getStateHistory(at("t")).next();
        seen.push(value?.next);
        return { count: count + 1 };
      })
      .addEdge(START, "look")
      .addEdge("look", "list")
      .addEdge("list", END)
      .compile({ checkpointer })
      .withConfig({ durability: "sync" });
    expect(await graph.invoke({ count: 1 }, at("t"))).toEqual({ count: 3 });
    expect(seen).toEqual([["look"], ["list"]]);
  });

  test("keeps the first writes of a task, and the last of its errors", async () => {
    const { threads } = await openKind(kind);
    const { checkpointer } = threads;
    await notesGraph(checkpointer).invoke({ notes: 1 }, at("t"));
    const { config } = (await checkpointer.getTuple(at("t"))) ?? {};
    if (config === undefined) throw new Error("There is no checkpoint.");
    for (const attempt of ["first", "second"]) {
      await checkpointer.putWrites(config, [["notes", attempt]], "task");
      await checkpointer.putWrites(config, [["__error__", attempt]], "task");
    }
    const { pendingWrites } = (await checkpointer.getTuple(config)) ?? {};
    expect(pendingWrites?.filter(([task]) => task === "task").toSorted()).toEqual([
      ["task", "__error__", "second"],
      ["task", "notes", "first"],
    ]);
  });
});
