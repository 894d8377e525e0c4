import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { afterAll } from "vitest";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { databases, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";

const cleanUps: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
});

// LangGraph's own suite for checkpointers, on an empty database for each of its parts.
for (const kind of matrix(databases, sqlite)) {
  let opened: Threads | undefined;
  const open = async () => {
    const database = await kind.create();
    const threads = await openThreads(database.url);
    cleanUps.push(async () => {
      await threads.close();
      await database.remove();
    });
    return threads;
  };
  const initializer = {
    checkpointerName: `Threads in ${kind.name}`,
    async createCheckpointer() {
      opened ??= await open();
      return opened.checkpointer;
    },
    async destroyCheckpointer() {
      for (const { id } of (await opened?.list()) ?? []) await opened?.delete(id);
    },
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}
