export type { Authenticate } from "./access/owners.js";
export { type AgentServer, type ServerOptions, serveAgents } from "./serve-agents.js";
