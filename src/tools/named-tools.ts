import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { StructuredToolInterface } from "@langchain/core/tools";

/** The places and variables that the command line gives its tools. */
interface ToolPlaces {
  /** The folder of documents to search. */
  readonly documents: string;
  /** The path of the file for the documents' index; undefined keeps the index in memory. */
  readonly index: string | undefined;
  /** The model for the vectors of documents; undefined for a search by words alone. */
  readonly embeddings: EmbeddingsInterface | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A tool that may have to be closed after use. */
export type NamedTool = StructuredToolInterface & Partial<AsyncDisposable>;

/** The tools of the command line, by their names in `--tools`. Each tool is loaded when it is needed. */
const namedTools = {
  calculator: async () => (await import("./calculator/calculator.js")).calculator(),
  documents: async ({ documents, index, embeddings }) => {
    const { documentSearch } = await import("./document-search/document-search.js");
    return documentSearch({ folder: documents, index, embeddings });
  },
  fetch: async () => (await import("./fetch-page/fetch-page.js")).fetchPage(),
  ask_human: async () => (await import("./ask-human.js")).askHuman(),
  web: async ({ env }) => {
    const { webSearch } = await import("./web-search/web-search.js");
    const baseUrl = env.SEARXNG_URL?.trim();
    return webSearch(baseUrl ? { provider: "searxng", baseUrl } : { provider: "wikipedia" });
  },
} satisfies Record<string, (places: ToolPlaces) => Promise<NamedTool>>;

export type ToolName = keyof typeof namedTools;

/** The names of the tools, in the order of the help text. */
export const toolNames = Object.keys(namedTools).filter((name): name is ToolName => name in namedTools);

/** Loads a tool by its name. */
export function loadTool(name: ToolName, places: ToolPlaces): Promise<NamedTool> {
  return namedTools[name](places);
}
