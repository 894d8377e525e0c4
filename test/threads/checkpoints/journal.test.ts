import { describe, expect, test } from "vitest";
import { textOf } from "../../../src/threads/databases/database.js";
import { databaseKinds } from "../each-database.js";
import { checkpointerOf, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

const task = { thread: "t", task: "task" };
const paid = { observation: "paid 5", status: "success" } as const;

describe.each(databaseKinds)("the record of tool calls in $name", (kind) => {
  test("knows which calls were begun, given up and finished, when their task runs again", async () => {
    const { threads } = await openKind(kind);
    const { journal } = checkpointerOf(threads);
    const before = await journal.open(task, undefined);
    for (const action of ["begun", "given up", "finished"]) await before.begin(action);
    await before.undo("given up");
    await before.finish("finished", paid);
    const again = await journal.open(task, undefined);
    expect(["begun", "given up", "finished"].map((action) => again.recall(action))).toEqual(["begun", undefined, paid]);
    expect((await journal.open({ ...task, task: "another" }, undefined)).recall("begun")).toBeUndefined();
  });

  test("keeps what became of a call that another run gave up later, as it was stopped in it", async () => {
    const { threads } = await openKind(kind);
    const { journal } = checkpointerOf(threads);
    const stopped = await journal.open(task, undefined);
    const running = await journal.open(task, undefined);
    await running.finish("call", paid);
    await stopped.undo("call");
    expect((await journal.open(task, undefined)).recall("call")).toEqual(paid);
  });
});

test("the end of a step costs Postgres the same in a long thread, if the thread has no record", async () => {
  const [kind] = databaseKinds.filter(({ name }) => name === "Postgres");
  if (kind === undefined) throw new Error("There is no Postgres.");
  const { threads } = await openKind(kind);
  const { database, journal } = checkpointerOf(threads);
  const thread = { configurable: { thread_id: "t" } };
  await stepsGraph(threads.checkpointer).invoke({ messages: [question("q")] }, thread);
  const { sql, parameters } = journal.doneStatement("t", "new");
  const plan = async () =>
    (await database.all(`explain (analyze) ${sql}`, parameters)).map((row) => textOf(row, "QUERY PLAN"));
  const ofCheckpoints = (lines: string[]) => lines.filter((line) => line.includes("on glassloop_checkpoints"));
  expect(ofCheckpoints(await plan())).toEqual([expect.stringContaining("never executed")]);
  await (await journal.open(task, undefined)).begin("call");
  expect(ofCheckpoints(await plan())).toEqual([expect.not.stringContaining("never executed")]);
});
