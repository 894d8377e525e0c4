import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createAgent, openThreads } from "../../dist/index.js";
import { ArchiveModel } from "./model.mjs";
import { archive } from "./thread.mjs";

/** The sides. `open` opens a side's database at a path, and returns its graph and a function that closes it. */
export const sides = [
  { name: "Glassloop", open: openGlassloop },
  { name: "LangGraph: prebuilt agent, SqliteSaver", open: openPrebuilt },
];

async function openGlassloop(path) {
  const threads = await openThreads(`sqlite:${path}`);
  const graph = createAgent({
    model: new ArchiveModel(),
    tools: [archive()],
    protocol: "tool-calling",
    rephrase: false,
    checkpointer: threads.checkpointer,
  });
  return { graph, close: () => threads.close() };
}

async function openPrebuilt(path) {
  const checkpointer = SqliteSaver.fromConnString(path);
  const graph = createReactAgent({ llm: new ArchiveModel(), tools: [archive()], checkpointer });
  return { graph, close: () => checkpointer.db.close() };
}
