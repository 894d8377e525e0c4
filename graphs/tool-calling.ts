import { createAgent } from "../src/index.js";
import { assistant } from "./assistant.js";

/**
 * An agent with native tool calls, several in parallel. Needs a model with native tool calls. The server that runs it
 * keeps its threads.
 */
export const graph = createAgent({ ...assistant(), name: "tool-calling", protocol: "tool-calling" });
