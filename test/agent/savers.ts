import { MemorySaver } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { databaseKinds } from "../threads/each-database.js";
import { openKind } from "../threads/open-kind.js";

/** LangGraph's own saver, and those of each database. */
export const savers: readonly { readonly kept: string; open(): Promise<BaseCheckpointSaver> }[] = [
  { kept: "LangGraph's MemorySaver", open: async () => new MemorySaver() },
  ...databaseKinds.map((kind) => ({
    kept: kind.name,
    open: async () => (await openKind(kind)).threads.checkpointer,
  })),
];

/** LangGraph's own saver, and ours without a database: for what does not depend on one. */
export const quickSavers = savers.filter(({ kept }) => kept === "LangGraph's MemorySaver" || kept === "memory");
