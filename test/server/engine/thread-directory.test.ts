import { describe, expect, test } from "vitest";
import { ThreadError } from "../../../src/base/errors.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { ThreadDirectory } from "../../../src/threads/runs/thread-directory.js";
import { databases, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { checkpointerOf, openKind } from "../../threads/open-kind.js";
import { eventsOf, Gate, order, startEngine, steps } from "./open-engine.js";

const page = { limit: 10, offset: 0 };
const directoryOf = (threads: Threads) => new ThreadDirectory(checkpointerOf(threads));

describe.each(matrix(databases, sqlite))("the threads of a server in $name", (kind) => {
  test("are made, found and changed by their owner alone", async () => {
    const { threads } = await openKind(kind);
    const directory = directoryOf(threads);
    await directory.create("t", "ann", { graph_id: "agent" });
    await directory.create("u", undefined, {});
    await expect(directory.create("t", "bob", {})).rejects.toThrow(new ThreadError("thread-exists", "t"));
    expect(await directory.get("t", "ann")).toMatchObject({ metadata: { graph_id: "agent" }, status: "idle" });
    for (const owner of ["bob", undefined]) {
      const missing = new ThreadError("thread-not-found", "t");
      await expect(directory.get("t", owner)).rejects.toThrow(missing);
      await expect(directory.patch("t", owner, { mine: true })).rejects.toThrow(missing);
      await expect(directory.delete("t", owner)).rejects.toThrow(missing);
    }
    expect((await directory.search({ owner: undefined }, page)).map(({ id }) => id)).toEqual(["u"]);
    await directory.delete("t", "ann");
    expect(await directory.count({ owner: "ann" })).toBe(0);
    await directory.create("t", "bob", {});
    expect(await directory.get("t", "bob")).toMatchObject({ metadata: {} });
  });

  test("are found by their metadata at any depth, in pages", async () => {
    const { threads } = await openKind(kind);
    const directory = directoryOf(threads);
    const odd = { "a.b": 1, a: { b: [1, { c: null }], "": "x\0y\ud800" }, __proto__x: { y: {} } };
    await directory.create("odd", undefined, odd);
    for (const n of [1, 2, 3]) await directory.create(`t${n}`, undefined, { user: { name: "Ann", n }, list: [n] });
    const found = async (metadata: Record<string, unknown>) =>
      (await directory.search({ owner: undefined, metadata }, { ...page, sortBy: "id", order: "asc" })).map(
        ({ id }) => id,
      );
    expect((await directory.get("odd", undefined)).metadata).toEqual(odd);
    expect(await found({ user: { name: "Ann" } })).toEqual(["t1", "t2", "t3"]);
    expect(await found({ user: { name: "Ann", n: 2 }, list: [2] })).toEqual(["t2"]);
    expect(await found({ user: "Ann" })).toEqual([]);
    expect(await found({ a: { b: [1, { c: null }] } })).toEqual(["odd"]);
    await directory.patch("t2", undefined, { user: { name: "Bob" }, more: true });
    expect((await directory.get("t2", undefined)).metadata).toEqual({ user: { name: "Bob" }, list: [2], more: true });
    expect(await found({ user: { n: 2 } })).toEqual([]);
    const [second] = await directory.search(
      { owner: undefined, metadata: { user: { name: "Ann" } } },
      { limit: 1, offset: 1, sortBy: "id" },
    );
    expect(second?.id).toBe("t1");
    expect(await directory.count({ owner: undefined, metadata: { user: { name: "Ann" } } })).toBe(2);
  });

  test("have the state of their runs", async () => {
    const { threads } = await openKind(kind);
    const directory = directoryOf(threads);
    const gate = new Gate();
    const failing = steps(async () => {
      throw new Error("no");
    });
    const engine = await startEngine(threads, { steps: steps(gate.pass), failing });
    const run = await engine.enqueue(order());
    await eventsOf(engine, (await engine.enqueue(order({}, { thread: "f", graph: "failing" }))).id);
    const breakpoint = order({ interruptBefore: ["step"] }, { thread: "w" });
    await eventsOf(engine, (await engine.enqueue(breakpoint)).id);
    const inState = async (status: "busy" | "error" | "idle" | "interrupted") =>
      (await directory.search({ owner: undefined, status }, page)).map(({ id }) => id);
    expect(await inState("busy")).toEqual(["t"]);
    expect(await inState("error")).toEqual(["f"]);
    expect(await inState("interrupted")).toEqual(["w"]);
    gate.open();
    await eventsOf(engine, run.id);
    expect(await inState("busy")).toEqual([]);
    expect(await directory.count({ owner: undefined, status: "idle" })).toBe((await inState("idle")).length);
    expect((await directory.get("t", undefined)).status).toBe("idle");
  });

  test("take their owner and metadata along, when they are renamed, forked and copied; and their runs when renamed", async () => {
    const { threads } = await openKind(kind);
    const directory = directoryOf(threads);
    const engine = await startEngine(threads, { steps: steps() });
    await directory.create("t", "ann", { tag: "x" });
    const run = await engine.enqueue(order({}, { owner: "ann" }));
    await eventsOf(engine, run.id);
    await threads.rename("t", "new");
    expect((await engine.list("new", page)).map(({ id }) => id)).toEqual([run.id]);
    expect((await eventsOf(engine, run.id)).length).toBeGreaterThan(1);
    const [step] = (await threads.history("new")).turns.flatMap((turn) => turn.steps.slice(-1));
    await threads.fork("new", step?.checkpoint ?? "", "fork");
    await using elsewhere = await openThreads("memory:");
    await threads.copy("new", elsewhere);
    for (const [id, place] of [
      ["new", threads],
      ["fork", threads],
      ["new", elsewhere],
    ] as const) {
      expect(await directoryOf(place).get(id, "ann")).toMatchObject({ metadata: { tag: "x" } });
    }
    const head = await threads.export("new").next();
    expect(JSON.parse(head.value).thread).toMatchObject({ owner: "ann", metadata: { tag: "x" } });
    await threads.delete("new");
    expect(await engine.get(run.id)).toBeUndefined();
  });
});
