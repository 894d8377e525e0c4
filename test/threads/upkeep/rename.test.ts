import { END, ReducedValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { ThreadError, ThreadInUseError } from "../../../src/base/errors.js";
import { numberOf } from "../../../src/threads/databases/database.js";
import { threadTables } from "../../../src/threads/databases/schema.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { coded } from "../../helpers/coded.js";
import { databases, lastingDatabases, memory, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { agentOn } from "../agents.js";
import { allOf, at, checkpointerOf, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";
import { cutOff, resumed } from "./stopped-turns.js";

/** The lines of an exported thread between those that have its id and its end. */
const linesOf = async (threads: Threads, thread: string) => (await allOf(threads.export(thread))).slice(1, -1);

/** The number of rows in all tables that name a thread. */
async function rowsOf(threads: Threads, thread: string): Promise<number> {
  const counts = threadTables.map((table) => `(select count(*) from ${table} where thread = $1)`).join(" + ");
  const [row = {}] = await checkpointerOf(threads).database.all(`select cast(${counts} as integer) as n`, [thread]);
  return numberOf(row, "n");
}

describe.each(matrix(databases, memory))("a renamed thread in $name", (kind) => {
  test("has all of its data, and nothing is left under its old id", async () => {
    const { threads } = await openKind(kind);
    const graph = stepsGraph(threads.keeping({ m: "x" }));
    await graph.invoke({ messages: [question("first")] }, at("a"));
    await graph.invoke({ messages: [question("other")] }, at("b"));
    const before = { lines: await linesOf(threads, "a"), summary: await threads.get("a") };

    const batches = vi.spyOn(checkpointerOf(threads).database, "batch");
    expect(await threads.rename("a", "c")).toEqual({ ...before.summary, id: "c" });
    // A kill at any moment leaves the thread whole under one of its ids.
    expect(batches.mock.calls.filter(([statements]) => statements.length > 1)).toHaveLength(1);
    expect(await linesOf(threads, "c")).toEqual(before.lines);
    expect([await threads.get("a"), await rowsOf(threads, "a")]).toEqual([undefined, 0]);
    expect((await threads.search("first")).map(({ thread }) => thread)).toEqual(["c"]);
    expect((await threads.list()).map(({ id }) => id)).toEqual(["b", "c"]);
  });

  test("resumes a turn that was stopped inside a call with effects, without the call", async () => {
    const { threads } = await openKind(kind);
    const paid = await cutOff(threads);
    await threads.rename("t", "c");
    expect(await resumed(threads, paid, "c")).toEqual({ calls: ["unknown"], paid: ["5"] });
    expect(await agentOn(threads).getState(at("t"))).toMatchObject({ values: {}, next: [] });
  });

  test("leaves its old id free for another thread, and can get its old id back", async () => {
    const { threads } = await openKind(kind);
    const graph = stepsGraph(threads.checkpointer);
    await graph.invoke({ messages: [question("first")] }, at("a"));
    await threads.rename("a", "c");
    await graph.invoke({ messages: [question("second")] }, at("a"));
    await threads.rename("a", "d");
    await threads.rename("c", "a");
    const messages = (await graph.getState(at("a"))).values.messages;
    expect(messages[0]?.text).toBe("Question first?");
    expect((await threads.list()).map(({ id }) => id).sort()).toEqual(["a", "d"]);
  });

  test("cannot get another thread's id, its own id or an invalid id; a missing thread cannot be renamed", async () => {
    const { threads } = await openKind(kind);
    const graph = stepsGraph(threads.checkpointer);
    for (const id of ["a", "b"]) await graph.invoke({ messages: [question(id)] }, at(id));
    const before = [await linesOf(threads, "a"), await linesOf(threads, "b")];
    await expect(threads.rename("a", "b")).rejects.toThrow(coded(ThreadError, "thread-exists"));
    await expect(threads.rename("a", "a")).rejects.toThrow(coded(ThreadError, "thread-exists"));
    await expect(threads.rename("a", "")).rejects.toThrow(coded(ThreadError, "invalid-thread-id"));
    await expect(threads.rename("nobody", "c")).rejects.toThrow(coded(ThreadError, "thread-not-found"));
    expect([await linesOf(threads, "a"), await linesOf(threads, "b")]).toEqual(before);
  });

  test("must not be in use, and neither may its new id", async () => {
    const { threads } = await openKind(kind);
    const { guard } = checkpointerOf(threads);
    await stepsGraph(threads.checkpointer).invoke({ messages: [question("a")] }, at("a"));
    for (const id of ["a", "c"]) {
      const hold = await guard.take(id);
      const refused: unknown = await threads.rename("a", "c").catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ThreadInUseError);
      expect(refused).toMatchObject({ threadId: id });
      await hold.release();
    }
    await threads.rename("a", "c");
    for (const id of ["a", "c"]) await (await guard.take(id)).release();
  });
});

test.each(matrix(lastingDatabases, sqlite))(
  "another process's cache of a thread in $name is not used for a thread that got its id",
  async (kind) => {
    const { threads, url } = await openKind(kind);
    const other = await openThreads(url);
    onTestFinished(() => other.close());
    // The nodes give a number, and the state has a long text for it: no write of a node stores that text.
    const long = (n: number) => `text ${n} `.repeat(100);
    const texts = new ReducedValue(
      z.array(z.string()).default(() => []),
      { inputSchema: z.number(), reducer: (before, n) => [...before, long(n)] },
    );
    const graphOn = ({ checkpointer }: Threads) =>
      new StateGraph(new StateSchema({ texts }))
        .addNode("end", () => ({}))
        .addEdge(START, "end")
        .addEdge("end", END)
        .compile({ checkpointer });
    await graphOn(other).invoke({ texts: 1 }, at("b"));
    await graphOn(threads).invoke({ texts: 2 }, at("a"));
    await graphOn(threads).getState(at("b"));
    await threads.delete("b");
    await threads.rename("a", "b");

    expect((await graphOn(other).getState(at("b"))).values).toEqual({ texts: [long(2)] });
    await graphOn(other).invoke({ texts: 1 }, at("b"));
    await using fresh = await openThreads(url);
    const [newest] = await allOf(fresh.checkpointer.list(at("b")));
    expect(newest?.checkpoint.channel_values.texts).toEqual([long(2), long(1)]);
    expect((await graphOn(other).getState(at("a"))).values).toEqual({});
  },
);
