import { createAgent } from "../src/index.js";
import { assistant } from "./assistant.js";

/**
 * An agent that asks itself follow-up questions, which document search answers. The server that runs it keeps
 * its threads.
 */
export const graph = createAgent({ ...assistant({ tools: ["documents"] }), name: "self-ask", protocol: "self-ask" });
