// A server of the agents in a process of its own, with the options of the library.
import { serve } from "@hono/node-server";
import { openThreads } from "../../dist/index.js";
import { serveAgents } from "../../dist/server/index.js";
import { parent, plain, quick, slow } from "./agents.mjs";

const { db, port, ...options } = JSON.parse(process.argv[2]);
const threads = await openThreads(db);
const server = await serveAgents({ agents: { parent, plain, quick, slow }, threads, ...options });
const http = serve({ fetch: server.fetch, port, hostname: "127.0.0.1" }, () => process.send("ready"));

process.on("message", async (what) => {
  if (what === "memory") {
    globalThis.gc();
    process.send(process.memoryUsage());
  } else {
    await server.close();
    await threads.close();
    http.close();
    http.closeAllConnections();
    process.disconnect();
  }
});
// Without its bench, nobody needs it.
process.once("disconnect", () => process.exit());
