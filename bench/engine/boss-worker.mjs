// A worker on bare pg-boss: it fetches jobs, runs their graphs on the threads, and says that it lives. It stores no events.
import { setTimeout as sleep } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import { openThreads } from "../../dist/index.js";
import { boundGraph } from "../../dist/server/engine/served-graph.js";
import * as agents from "./agents.mjs";

const POLL_MS = 100;
const BEAT_MS = 3_000;
const [url, slots] = process.argv.slice(2);
const boss = new PgBoss({ connectionString: url, max: 4, superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 });
boss.on("error", () => undefined);
await boss.start();
const { checkpointer } = await openThreads(url);
const graphs = new Map(Object.entries(agents).map(([name, graph]) => [name, boundGraph(graph, checkpointer)]));
let busy = 0;
process.once("disconnect", () => process.exit());
process.send("ready");
for (;;) {
  const free = Number(slots) - busy;
  const jobs = free > 0 ? await boss.fetch("runs", { batchSize: free }) : [];
  for (const job of jobs) {
    busy += 1;
    execute(job).finally(() => {
      busy -= 1;
    });
  }
  if (jobs.length === 0) await sleep(POLL_MS);
}

async function execute({ id, data: { thread, graph } }) {
  const beat = setInterval(() => boss.touch("runs", id).catch(() => undefined), BEAT_MS);
  const config = { configurable: { thread_id: thread } };
  try {
    const before = await graphs.get(graph).getState(config);
    // A thread with tasks left is one whose worker was lost.
    const input = before.next.length > 0 ? null : { messages: [{ role: "user", content: "Look three times." }] };
    await graphs.get(graph).invoke(input, { ...config, durability: "sync" });
    await boss.complete("runs", id);
  } catch (error) {
    console.error(error);
    await boss.fail("runs", id).catch(() => undefined);
  } finally {
    clearInterval(beat);
  }
}
