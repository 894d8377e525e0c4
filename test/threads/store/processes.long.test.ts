import { fork } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { bundledProgram } from "../../../bench/bundled-program.mjs";
import { ItemStore } from "../../../src/threads/store/item-store.js";
import { lastingDatabases } from "../../matrix/databases.js";
import { checkpointerOf, openKind } from "../open-kind.js";

const program = await bundledProgram(new URL("../fixtures/put-items.mjs", import.meta.url));

test.each(lastingDatabases)("two processes put into one store on $name, and lose nothing", async (kind) => {
  const { threads, url } = await openKind(kind);
  const store = new ItemStore(checkpointerOf(threads).database, "ann");
  const ends = ["one", "two"].map(async (name) => (await once(fork(program, [url, name, "150"]), "exit"))[0]);
  expect(await Promise.all(ends)).toEqual([0, 0]);
  for (const name of ["one", "two"]) {
    const items = await store.search(["own", name], { limit: 500 });
    expect(items.map(({ key, value }) => key === String(value.n)).filter(Boolean)).toHaveLength(150);
  }
  const shared = await store.search(["shared"]);
  expect(shared.map(({ key }) => key).sort()).toEqual(["x", "y"]);
  // A batch is written as a whole.
  expect(shared[0]?.value).toEqual(shared[1]?.value);
});
