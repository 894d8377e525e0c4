import { createAgent } from "../src/index.js";
import { assistant } from "./assistant.js";

/** An agent with zero-shot ReAct in text, for any chat model. The server that runs it keeps its threads. */
export const graph = createAgent({ ...assistant(), name: "react", protocol: "react" });
