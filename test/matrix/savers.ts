import { MemorySaver } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { openKind } from "../threads/open-kind.js";
import { databases } from "./databases.js";

interface Saver {
  readonly kept: string;
  open(): Promise<BaseCheckpointSaver>;
}

/** LangGraph's own saver. */
export const memorySaver: Saver = { kept: "LangGraph's MemorySaver", open: async () => new MemorySaver() };

/** LangGraph's own saver, and those of each database. */
export const savers: readonly Saver[] = [
  memorySaver,
  ...databases.map((kind) => ({ kept: kind.name, open: async () => (await openKind(kind)).threads.checkpointer })),
];
