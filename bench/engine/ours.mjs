// Glassloop's own engine: a program that only enqueues, and workers in processes of their own.
import { randomUUID } from "node:crypto";
import { openThreads } from "../../dist/index.js";
import { ProcessEngine } from "../../dist/server/engine/process-engine.js";
import { boundGraph } from "../../dist/server/engine/served-graph.js";
import { freePort } from "../free-port.mjs";
import { startServer } from "../server/process.mjs";
import * as agents from "./agents.mjs";

const file = new URL("agents.mjs", import.meta.url);

export async function openOurs(url) {
  const threads = await openThreads(url);
  const { checkpointer } = threads;
  const graphs = new Map(Object.entries(agents).map(([name, graph]) => [name, boundGraph(graph, checkpointer)]));
  const engine = await ProcessEngine.start(checkpointer, graphs, { mostAtOnce: 0, mostQueued: 1_000_000 });
  return {
    name: "ours",
    async enqueue(thread, graph) {
      const order = { id: randomUUID(), thread, graph, strategy: "enqueue", metadata: {}, temporary: false };
      const input = { messages: [{ role: "user", content: "Look three times." }] };
      await engine.enqueue({ ...order, owner: undefined, given: { input, streamMode: ["values"], subgraphs: false } });
    },
    async startWorker(slots) {
      const options = ["--max-runs", String(slots)];
      return startServer({ file, db: url, port: await freePort(), command: "worker", options });
    },
    threadColumn: "thread",
    endedQuery: "select count(*)::int as ended from glassloop_runs where status = 'success'",
    async end() {
      await engine.close(0);
      await threads.close();
    },
  };
}
