export type { Source, SourcesArtifact } from "../turn/source.js";
export { askHuman } from "./ask-human.js";
export { calculator } from "./calculator/calculator.js";
export {
  type DocumentSearchOptions,
  type DocumentSearchTool,
  documentSearch,
} from "./document-search/document-search.js";
export {
  type WebSearchOptions,
  type WebSearchProvider,
  webSearch,
  webSearchFromEnvironment,
} from "./web-search/web-search.js";
