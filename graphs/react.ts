import { fileURLToPath } from "node:url";
import { calculator, createAgent, documentSearch } from "../src/index.js";

const folder = fileURLToPath(new URL("../knowledge", import.meta.url));

/** An agent with zero-shot ReAct in text, for any chat model. Studio and the LangGraph server keep its threads. */
export const graph = createAgent({
  name: "react",
  protocol: "react",
  model: process.env.GLASSLOOP_MODEL ?? "offline",
  tools: [calculator(), documentSearch({ folder })],
});
