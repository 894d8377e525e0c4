// Bare pg-boss beside the same threads: a job for each run, the usual policy for runs of a thread in their order.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { PgBoss } from "pg-boss";
import { openThreads } from "../../dist/index.js";

const worker = fileURLToPath(new URL("boss-worker.mjs", import.meta.url));
/** The shortest heartbeat that pg-boss takes. */
const HEARTBEAT_SECONDS = 10;

export async function openBoss(url) {
  // Makes the tables of the threads before all workers do.
  await (await openThreads(url)).close();
  const boss = new PgBoss({ connectionString: url, max: 4, superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 });
  boss.on("error", () => undefined);
  await boss.start();
  await boss.createQueue("runs", {
    ...{ policy: "key_strict_fifo", heartbeatSeconds: HEARTBEAT_SECONDS },
    ...{ retryLimit: 1_000, retryDelay: 0, expireInSeconds: 3_600 },
  });
  return {
    name: "pg-boss",
    enqueue: (thread, graph) => boss.send("runs", { thread, graph }, { singletonKey: thread }),
    async startWorker(slots) {
      const child = fork(worker, [url, String(slots)], { stdio: "inherit" });
      await once(child, "message");
      return {
        pid: child.pid,
        async end(signal) {
          child.kill(signal);
          await once(child, "exit");
        },
      };
    },
    threadColumn: "singleton_key",
    endedQuery: "select count(*)::int as ended from pgboss.job where name = 'runs' and state = 'completed'",
    end: () => boss.stop({ graceful: false }),
  };
}
