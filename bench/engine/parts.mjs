// What is measured of the engines. Each part returns rows: what it is, and a figure of each side.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../free-port.mjs";
import { askOnce, clientOf, median, times } from "../server/clients.mjs";
import { startLanggraph, startServer } from "../server/process.mjs";
import { openBoss } from "./boss.mjs";
import { openOurs } from "./ours.mjs";
import { at, drain, enqueueAll } from "./place.mjs";

const sides = { ours: openOurs, boss: openBoss };
const SLOTS = 8;
const LOOK_MS = 20;

/** Measures each side after the other. */
async function each(measure) {
  const found = {};
  for (const [name, open] of Object.entries(sides)) found[name] = await at(open, measure);
  return found;
}

/** Makes a row of one figure of each side. */
function row(what, unit, found, figure = (one) => one) {
  return { what, unit, ours: figure(found.ours), boss: found.boss && figure(found.boss), other: found.other };
}

/** Short runs: how many a second, and what one costs. The worker is warm. */
export async function short({ runs }) {
  const rows = [];
  for (const [graph, words] of Object.entries({ short: "one model call", quick: "four calls, three tools" })) {
    const found = await each(async (place) => {
      await place.startWorkers(1, SLOTS);
      await enqueueAll(place, { count: 100, graph, prefix: "warm" });
      await place.untilEnded(100);
      const enqueued = await enqueueAll(place, { count: runs, graph, prefix: "run" });
      return { enqueued, ...(await drain(place, { before: 100, count: runs })) };
    });
    rows.push(row(`runs of ${words}, one worker with ${SLOTS} slots`, "runs/s", found, ({ rate }) => rate));
    rows.push(row("  of a core", "runs/s", found, ({ worker, postgres }) => 1_000 / (worker + postgres)));
    rows.push(row("  processor of the worker", "ms/run", found, ({ worker }) => worker));
    rows.push(row("  processor of Postgres", "ms/run", found, ({ postgres }) => postgres));
  }
  return rows;
}

/** A backlog on threads of their own: what it takes to make it, and how fast two workers run it, at its beginning and its end. */
export async function backlog({ many }) {
  const found = await each(async (place) => {
    const enqueued = await enqueueAll(place, { count: many, graph: "short", prefix: "run" });
    await place.startWorkers(2, SLOTS);
    const tenth = async (least) => {
      await place.untilEnded(least);
      return { ended: await place.ended(), at: performance.now() };
    };
    const marks = [];
    for (const share of [0.1, 0.3, 0.7, 0.9]) marks.push(await tenth(Math.ceil(many * share)));
    await place.untilEnded(many);
    const rate = (a, b) => (marks[b].ended - marks[a].ended) / ((marks[b].at - marks[a].at) / 1_000);
    const [{ bytes }] = await place.query("select pg_database_size(current_database())::float8 as bytes");
    return { enqueued, first: rate(0, 1), last: rate(2, 3), bytes };
  });
  return [
    row(`enqueued, ${many} threads, 16 at once`, "runs/s", found, ({ enqueued }) => enqueued),
    row("  run by two workers, from 10 to 30 %", "runs/s", found, ({ first }) => first),
    row("  run by two workers, from 70 to 90 %", "runs/s", found, ({ last }) => last),
    row("  size of the database at the end", "KB/run", found, ({ bytes }) => bytes / many / 1_024),
  ];
}

/** A thread with many runs that wait, and a run of another thread. */
export async function hot({ queues }) {
  const rows = [];
  for (const queued of queues) {
    const found = await each(async (place) => {
      await place.startWorkers(1, SLOTS);
      await enqueueAll(place, { count: 50, graph: "short", prefix: "warm" });
      await place.untilEnded(50);
      const time = async (thread) => {
        const begun = performance.now();
        await place.side.enqueue(thread, "short");
        while (!(await place.hasEnded(thread))) await sleep(LOOK_MS / 10);
        return performance.now() - begun;
      };
      const alone = [];
      for (let n = 0; n < 10; n += 1) alone.push(await time(`alone-${n}`));
      // The runs of the thread take their time, so that the queue stays.
      await times(queued, 16, () => place.side.enqueue("hot", "plain"));
      const beside = [];
      for (let n = 0; n < 10; n += 1) beside.push(await time(`beside-${n}`));
      return { alone: median(alone), beside: median(beside) };
    });
    rows.push(row(`a run of a thread, nothing else waits`, "ms", found, ({ alone }) => alone));
    rows.push(row(`  another thread has ${queued} runs that wait`, "ms", found, ({ beside }) => beside));
  }
  return rows;
}

/** More workers, with a model that takes 300 ms for each of four replies. */
export async function scale({ workers }) {
  const rows = [];
  const folder = mkdtempSync(join(tmpdir(), "glassloop-engine-"));
  for (const count of workers) {
    const runs = count * SLOTS * 5;
    const found = await each(async (place) => {
      await place.startWorkers(count, SLOTS);
      await enqueueAll(place, { count: runs, graph: "plain", prefix: "run" });
      return drain(place, { before: 0, count: runs });
    });
    found.other = await langgraph(folder, count * SLOTS, runs);
    rows.push(row(`a model of 300 ms, ${count} workers with ${SLOTS} slots`, "runs/s", found, ({ rate }) => rate));
    rows.push({
      ...row("  of a core", "runs/s", found, ({ worker, postgres }) => 1_000 / (worker + postgres)),
      other: undefined,
    });
  }
  rmSync(folder, { recursive: true });
  return rows;
}

/** The same runs on LangGraph's dev server, which keeps all in the memory of one process. */
async function langgraph(folder, slots, runs) {
  const server = await startLanggraph(folder, slots);
  const client = clientOf(server);
  try {
    const begun = performance.now();
    await times(runs, slots, () => askOnce(client, "plain", ["values"]));
    return runs / ((performance.now() - begun) / 1_000);
  } finally {
    await server.end();
  }
}

/** The first token of a client: from a server that runs nothing through a worker, and from one that runs all by itself. */
export async function firstToken({ tokens }) {
  const found = await at(openOurs, async (place) => {
    await place.startWorkers(1, SLOTS);
    const start = async (runs) =>
      startServer({
        ...{ file: new URL("agents.mjs", import.meta.url), db: place.url, port: await freePort() },
        options: ["--max-runs", String(runs)],
      });
    const measure = async (runs) => {
      const server = await start(runs);
      const client = clientOf(server);
      await times(50, 4, () => askOnce(client, "quick", ["values", "messages-tuple"]));
      const taken = [];
      for (let n = 0; n < tokens; n += 1) taken.push(await askOnce(client, "quick", ["values", "messages-tuple"]));
      await server.end("SIGKILL");
      return median(taken);
    };
    return { apart: await measure(0), alone: await measure(100) };
  });
  return [
    { what: "first token, server and worker apart", unit: "ms", ours: found.apart },
    { what: "  a server that runs by itself", unit: "ms", ours: found.alone },
  ];
}

/** From the kill of a worker until its runs take their next step in another one. A step takes a second. */
export async function takeover({ kills }) {
  const found = await each(async (place) => {
    const taken = [];
    const workers = await place.startWorkers(1, SLOTS);
    for (let n = 0; n < kills; n += 1) {
      const threads = Array.from({ length: SLOTS }, (_, index) => `kill-${n}-${index}`);
      const steps = async () => {
        const query = `select thread, max(sequence) as last from glassloop_checkpoints where thread = any($1) group by thread`;
        return new Map((await place.query(query, [threads])).map(({ thread, last }) => [thread, last]));
      };
      for (const thread of threads) await place.side.enqueue(thread, "lasting");
      while ((await steps()).size < SLOTS) await sleep(LOOK_MS);
      await place.startWorkers(1, SLOTS);
      await workers.shift().end("SIGKILL");
      const [begun, before] = [performance.now(), await steps()];
      while (before.size > 0) {
        await sleep(LOOK_MS);
        for (const [thread, last] of await steps()) {
          if (!before.has(thread) || last === before.get(thread)) continue;
          before.delete(thread);
          taken.push(performance.now() - begun);
        }
      }
      await place.untilEnded((n + 1) * SLOTS);
    }
    return taken;
  });
  return [
    row(`from kill -9 of a worker to the next step of its ${SLOTS} runs, middle`, "ms", found, median),
    row("  at most", "ms", found, (taken) => Math.max(...taken)),
  ];
}
