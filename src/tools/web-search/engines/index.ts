import type { SearchEngine } from "./search-engine.js";
import { searxng } from "./searxng.js";
import { serpapi } from "./serpapi.js";
import { tavily } from "./tavily.js";
import { wikipedia } from "./wikipedia.js";

/** The engines, by their names in options. */
export const searchEngines = { serpapi, tavily, searxng, wikipedia } satisfies Record<string, SearchEngine>;
