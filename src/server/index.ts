export type { Authenticate, Identity, Right } from "./access/authenticate.js";
export type { ClientSettings } from "./access/client-settings.js";
export type { GraphHolder, ServedGraph } from "./engine/served-graph.js";
export { type AgentServer, type ServerOptions, serveAgents } from "./serve-agents.js";
