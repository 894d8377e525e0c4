export type { AgentTool } from "../core/parts/tools.js";
export type { Source, SourcesArtifact } from "../core/state/source.js";
export { askHuman } from "./ask-human.js";
export { calculator } from "./calculator/calculator.js";
export {
  type DocumentSearchOptions,
  type DocumentSearchTool,
  documentSearch,
} from "./document-search/document-search.js";
export { type FetchPageOptions, fetchPage } from "./fetch-page/fetch-page.js";
export type { McpArtifact } from "./mcp/content-blocks.js";
export { type McpServer, readMcpFile } from "./mcp/mcp-file.js";
export { type McpTools, type McpToolsOptions, mcpTools } from "./mcp/mcp-tools.js";
export { readObservation } from "./read-observation.js";
export {
  type WebSearchOptions,
  type WebSearchProvider,
  webSearch,
} from "./web-search/web-search.js";
