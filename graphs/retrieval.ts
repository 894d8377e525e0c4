import { createRetrievalAgent } from "../src/index.js";
import { speaker, tools } from "./assistant.js";

/**
 * An agent that answers from the documents in `knowledge/`, and cites them. It drops passages that do not help, and searches
 * with other words if there are none. The server that runs it keeps its threads.
 */
export const graph = createRetrievalAgent({
  ...speaker("grade", "rewrite", "write-answer"),
  name: "retrieval",
  retriever: tools.documents,
  grade: true,
});
