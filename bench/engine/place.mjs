// A database for one measurement, with one side's engine on it.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startPostgres } from "../kill/postgres.mjs";
import { usageOf } from "../server/process.mjs";

const LOOK_MS = 50;

/**
 * Starts a Postgres that waits for its disk, and opens an engine on it.
 *
 * @param open Opens a side: `openOurs` or `openBoss`.
 */
export async function openPlace(open) {
  const postgres = await startPostgres({ fsync: true, settings: ["max_connections=400"] });
  const side = await open(postgres.url);
  const client = new pg.Client(postgres.url);
  await client.connect();
  const workers = [];
  const place = {
    side,
    url: postgres.url,
    query: async (text, values) => (await client.query(text, values)).rows,
    async startWorkers(count, slots) {
      for (const worker of await Promise.all(Array.from({ length: count }, () => side.startWorker(slots))))
        workers.push(worker);
      return workers;
    },
    /** The processor time of the workers and of Postgres so far, in seconds. */
    usage: () => ({
      workers: workers.reduce((sum, { pid }) => sum + usageOf(pid).seconds, 0),
      postgres: usageOf(postgres.pid()).seconds,
    }),
    ended: async () => (await place.query(side.endedQuery))[0].ended,
    hasEnded: async (thread) =>
      (await place.query(`${side.endedQuery} and ${side.threadColumn} = $1`, [thread]))[0].ended > 0,
    async untilEnded(count) {
      while ((await place.ended()) < count) await sleep(LOOK_MS);
    },
    async end() {
      await Promise.all(workers.map((worker) => worker.end("SIGKILL")));
      await side.end();
      await client.end();
      await postgres.stop();
    },
  };
  return place;
}

/** Does something with a place of one side, and ends the place. */
export async function at(open, action) {
  const place = await openPlace(open);
  return Promise.resolve(action(place)).finally(() => place.end());
}

/** Enqueues a run on each of so many threads. Returns how many were enqueued a second. */
export async function enqueueAll({ side }, { count, graph, prefix, atOnce = 16 }) {
  const begun = performance.now();
  let next = 0;
  const send = async () => {
    for (let number = next++; number < count; number = next++) await side.enqueue(`${prefix}-${number}`, graph);
  };
  await Promise.all(Array.from({ length: atOnce }, send));
  return count / ((performance.now() - begun) / 1_000);
}

/**
 * Waits until the runs that wait have ended, and measures in the middle: from a tenth of them to nine tenths.
 *
 * @returns The runs a second, and the milliseconds of processor a run of workers and of Postgres.
 */
export async function drain(place, { before, count }) {
  const [from, to] = [before + Math.ceil(count / 10), before + Math.floor((count * 9) / 10)];
  const sample = async (least) => {
    await place.untilEnded(least);
    return { ended: await place.ended(), at: performance.now(), used: place.usage() };
  };
  const first = await sample(from);
  const last = await sample(to);
  await place.untilEnded(before + count);
  const runs = last.ended - first.ended;
  const cost = (who) => ((last.used[who] - first.used[who]) * 1_000) / runs;
  return {
    rate: runs / ((last.at - first.at) / 1_000),
    worker: cost("workers"),
    postgres: cost("postgres"),
  };
}
