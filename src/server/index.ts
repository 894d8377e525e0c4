export type { Authenticate } from "./access/authenticate.js";
export { type AgentServer, type ServerOptions, serveAgents } from "./serve-agents.js";
