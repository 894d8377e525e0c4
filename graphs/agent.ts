import { z } from "zod";
import { createAgent, protocolNames } from "../src/index.js";
import { assistant } from "./assistant.js";

const options = assistant();
const context = options.context.extend({
  protocol: z
    .enum(["auto", ...protocolNames])
    .default("auto")
    .meta({
      title: "Protocol",
      description: "How the agent talks with its model.",
      langgraph_nodes: ["plan", "parse"],
    }),
});

/** An agent whose protocol is a setting, too. The server that runs it keeps its threads. */
export const graph = createAgent({ ...options, context, name: "agent", protocol: ({ context }) => context.protocol });
