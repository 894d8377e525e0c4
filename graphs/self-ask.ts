import { createAgent } from "../src/index.js";
import { assistant } from "./assistant.js";

/**
 * An agent that asks itself follow-up questions, which document search answers. Studio and the LangGraph server keep
 * its threads.
 */
export const graph = createAgent({ ...assistant({ tools: ["documents"] }), name: "self-ask", protocol: "self-ask" });
