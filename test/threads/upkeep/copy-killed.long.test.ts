import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { numberOf } from "../../../src/threads/databases/database.js";
import { threadTables } from "../../../src/threads/databases/schema.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { lastingDatabases } from "../../matrix/databases.js";
import { allOf, at, checkpointerOf, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

const copier = fileURLToPath(new URL("../fixtures/copy-until-stopped.mjs", import.meta.url));

/** Copies in a process of its own, which is killed before a statement or after the copy. Returns what it said. */
async function copyAndKill(from: string, to: string, count: number): Promise<unknown> {
  const child = fork(copier, [from, to, String(count)]);
  const [said] = await once(child, "message");
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  return said;
}

async function rowsOf(threads: Threads): Promise<number> {
  const tables = ["glassloop_threads", ...threadTables];
  const counts = tables.map((table) => `(select count(*) from ${table})`).join(" + ");
  const [row = {}] = await checkpointerOf(threads).database.all(`select cast(${counts} as integer) as n`);
  return numberOf(row, "n");
}

const partsOf = async (threads: Threads) => (await allOf(threads.export("t"))).toSorted();

test.each(lastingDatabases)(
  "a kill during a copy to another $name leaves no row there, and a kill after the copy leaves all rows",
  async (kind) => {
    const [source, target] = [await openKind(kind), await openKind(kind)];
    await stepsGraph(source.threads.checkpointer).invoke({ messages: [question("q1")] }, at("t"));
    const parts = await partsOf(source.threads);
    let stopped = 0;
    for (let count = 0; ; count += 1) {
      const said = await copyAndKill(source.url, target.url, count);
      await using fresh = await openThreads(target.url);
      // The row of the process that is gone is taken from it, and removed.
      await (await checkpointerOf(fresh).guard.take("t")).release();
      if (said === "done") {
        expect(await partsOf(fresh)).toEqual(parts);
        expect(await fresh.get("t")).toEqual(await source.threads.get("t"));
        break;
      }
      expect(said).toBe(count);
      expect([count, await fresh.get("t"), await rowsOf(fresh)]).toEqual([count, undefined, 0]);
      stopped += 1;
    }
    expect(stopped).toBeGreaterThan(5);
  },
);
