import { createAgent } from "../src/index.js";
import { assistant } from "./assistant.js";

/**
 * An agent that writes a JSON blob for each action, for tools of several inputs. The server that runs it keeps
 * its threads.
 */
export const graph = createAgent({ ...assistant(), name: "structured-chat", protocol: "structured-chat" });
