import { describe, expect, test } from "vitest";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { ThreadDirectory } from "../../../src/threads/runs/thread-directory.js";
import { databases, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { checkpointerOf, openKind } from "../../threads/open-kind.js";
import { ended, engineOn, order, steps } from "./open-engine.js";

const page = { limit: 10, offset: 0 };
const directoryOf = (threads: Threads) => new ThreadDirectory(checkpointerOf(threads));

describe.each(matrix(databases, sqlite))("the threads of a server in $name", (kind) => {
  test("are found by their metadata at any depth, whatever its keys", async () => {
    const directory = directoryOf((await openKind(kind)).threads);
    const odd = { "a.b": 1, a: { b: [1, { c: null }], "": "x\0y\ud800" }, __proto__x: { y: {} } };
    await directory.create("odd", undefined, odd);
    await directory.create("t", undefined, { user: { name: "Ann", n: 1 }, list: [1] });
    const found = async (metadata: Record<string, unknown>) =>
      (await directory.search({ owner: undefined, metadata }, page)).map(({ id }) => id);
    expect((await directory.get("odd", undefined)).metadata).toEqual(odd);
    expect(await found(odd)).toEqual(["odd"]);
    expect(await found({ user: { n: 1 }, list: [1] })).toEqual(["t"]);
    expect(await found({ user: "Ann" })).toEqual([]);
    await directory.patch("t", undefined, { user: { name: "Bob" } });
    expect(await found({ user: { n: 1 } })).toEqual([]);
  });

  test("take their owner and metadata along when they are forked and copied, and their runs with them when they are deleted", async () => {
    const { threads, engine } = await engineOn(kind, { steps: steps() });
    await directoryOf(threads).create("t", "ann", { tag: "x" });
    const run = await ended(engine, order({}, { owner: "ann" }));
    const [step] = (await threads.history("t")).turns.flatMap((turn) => turn.steps.slice(-1));
    await threads.fork("t", step?.checkpoint ?? "", "fork");
    await using elsewhere = await openThreads("memory:");
    await threads.copy("t", elsewhere);
    for (const [id, place] of [
      ["t", threads],
      ["fork", threads],
      ["t", elsewhere],
    ] as const) {
      expect(await directoryOf(place).get(id, "ann")).toMatchObject({ metadata: { tag: "x" } });
    }
    const head = await threads.export("t").next();
    expect(JSON.parse(head.value).thread).toMatchObject({ owner: "ann", metadata: { tag: "x" } });
    await threads.delete("t");
    expect(await engine.get(run.id)).toBeUndefined();
  });
});
