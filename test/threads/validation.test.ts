import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { databaseKinds, type TestDatabase } from "./databases.js";

// LangGraph's own suite for checkpointers, on a fresh database for each of its parts.
for (const kind of databaseKinds) {
  const opened = new Map<Threads["checkpointer"], { threads: Threads; database: TestDatabase }>();
  const initializer = {
    checkpointerName: `Threads in ${kind.name}`,
    async createCheckpointer() {
      const database = await kind.create();
      const threads = await openThreads(database.url);
      opened.set(threads.checkpointer, { threads, database });
      return threads.checkpointer;
    },
    async destroyCheckpointer(checkpointer: Threads["checkpointer"]) {
      await opened.get(checkpointer)?.threads.close();
      await opened.get(checkpointer)?.database.remove();
    },
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}
