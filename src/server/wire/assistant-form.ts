import { v5 as uuid5 } from "@langchain/core/utils/uuid";

/** The namespace of the ids that LangGraph's server gives to the assistants of its graphs. */
const NAMESPACE = "6ba7b821-9dad-11d1-80b4-00c04fd430c8";

/** Returns the id of the assistant that each graph has. */
export function assistantIdOf(graph: string): string {
  return uuid5(graph, NAMESPACE);
}

/** Returns what the metadata of threads and runs say of their graph. */
export function graphMetadata(graph: string) {
  return { graph_id: graph, assistant_id: assistantIdOf(graph) };
}

/** Returns the assistant of a graph in the form of LangGraph's server. @param since When the server began, ISO 8601. */
export function assistantForm(graph: string, since: string) {
  return {
    assistant_id: assistantIdOf(graph),
    graph_id: graph,
    name: graph,
    description: null,
    config: {},
    context: {},
    metadata: { created_by: "system" },
    version: 1,
    created_at: since,
    updated_at: since,
  };
}
