import { fileURLToPath } from "node:url";
import { calculator, createAgent, documentSearch } from "../src/index.js";

const folder = fileURLToPath(new URL("../knowledge", import.meta.url));

/**
 * An agent that uses tools when they help, and otherwise just talks. Studio and the LangGraph server keep its threads.
 */
export const graph = createAgent({
  name: "conversational",
  protocol: "conversational",
  model: process.env.GLASSLOOP_MODEL ?? "openai:gpt-4o-mini",
  tools: [calculator(), documentSearch({ folder })],
});
