import { createAgent } from "../src/index.js";
import { assistant } from "./assistant.js";

/**
 * An agent that uses tools when they help, and otherwise just talks. The server that runs it keeps its threads.
 */
export const graph = createAgent({ ...assistant(), name: "conversational", protocol: "conversational" });
