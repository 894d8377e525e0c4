import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
// The file runs its tests on LangGraph's MemorySaver when it is imported.
import { runPregelTests } from "langgraph-tests/pregel.test.ts";
import { afterAll, describe } from "vitest";
import { openThreads } from "../../dist/index.js";
import { savers } from "./savers.mjs";

const folder = await mkdtemp(join(tmpdir(), "glassloop-bench-"));
const opened = [];
afterAll(async () => {
  for (const threads of opened) await threads.close();
  await rm(folder, { recursive: true });
});

async function open(address) {
  const threads = await openThreads(address);
  opened.push(threads);
  return threads.checkpointer;
}

describe(savers.memory, () => runPregelTests(() => open("memory:")));
describe(savers.sqlite, () => runPregelTests(() => open(`sqlite:${join(folder, `${opened.length}.db`)}`)));
