import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { sharedParts, ThreadCheckpointer } from "../../src/threads/checkpoints/checkpointer.js";
import { openSqlite } from "../../src/threads/databases/sqlite.js";
import { isFull } from "../matrix/matrix.js";
import { agentOn, answer } from "./agents.js";
import { at } from "./open-kind.js";

const TURNS = isFull ? 2000 : 200;
const MARK = TURNS / 4;

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

test(`a process with a small thread cache needs no more memory after ${TURNS} turns than after ${MARK}`, async () => {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-memory-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const database = await openSqlite(join(folder, "threads.db"));
  onTestFinished(() => database.close());
  const checkpointer = new ThreadCheckpointer(database, sharedParts(database, 1_000_000));
  const heap: number[] = [];
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const words = `${turn} is a number. `.repeat(20);
    const count = " I count\nAction: calculator\nAction Input: 1 + 1";
    const agent = agentOn({ checkpointer }, count, answer(words));
    await agent.invoke({ messages: words }, at(`t${turn}`));
    if (turn % MARK !== 0) continue;
    collectGarbage();
    heap.push(process.memoryUsage().heapUsed / 1e6);
  }
  console.log(`heap in MB after each ${MARK} turns: ${heap.map((size) => size.toFixed(1)).join(", ")}`);
  expect((heap.at(-1) ?? 0) - (heap[0] ?? 0)).toBeLessThan(isFull ? 8 : 3);
});
