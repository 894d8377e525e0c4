import { fileURLToPath } from "node:url";
import { calculator, createAgent, documentSearch } from "../src/index.js";

const folder = fileURLToPath(new URL("../knowledge", import.meta.url));

/**
 * An agent that writes a JSON blob for each action, for tools of several inputs. Studio and the LangGraph server keep
 * its threads.
 */
export const graph = createAgent({
  name: "structured-chat",
  protocol: "structured-chat",
  model: process.env.GLASSLOOP_MODEL ?? "openai:gpt-4o-mini",
  tools: [calculator(), documentSearch({ folder })],
});
