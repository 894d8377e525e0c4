import { fileURLToPath } from "node:url";
import { calculator, createAgent, documentSearch } from "../src/index.js";

const folder = fileURLToPath(new URL("../knowledge", import.meta.url));

/**
 * An agent with native tool calls, several in parallel. It needs a model that has them. Studio and the LangGraph server
 * keep its threads.
 */
export const graph = createAgent({
  name: "tool-calling",
  protocol: "tool-calling",
  model: process.env.GLASSLOOP_MODEL ?? "openai:gpt-4o-mini",
  tools: [calculator(), documentSearch({ folder })],
});
