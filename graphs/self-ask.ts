import { fileURLToPath } from "node:url";
import { createAgent, documentSearch } from "../src/index.js";

const folder = fileURLToPath(new URL("../knowledge", import.meta.url));

/**
 * An agent that asks itself follow-up questions, which document search answers. Studio and the LangGraph server keep
 * its threads.
 */
export const graph = createAgent({
  name: "self-ask",
  protocol: "self-ask",
  model: process.env.GLASSLOOP_MODEL ?? "openai:gpt-4o-mini",
  tools: [documentSearch({ folder })],
});
