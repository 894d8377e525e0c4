// Kills processes that work on threads, at random moments. Checks whether anything was lost or done twice.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createAgent } from "../dist/agent/create-agent.js";
import { openThreads } from "../dist/threads/open.js";
import { callInFlight, checkRun } from "./kill/check.mjs";
import { runToTheEnd, startLife } from "./kill/life.mjs";
import { startModelServer } from "./kill/model-server.mjs";
import { randomNumbers } from "./kill/plan.mjs";
import { startPostgres } from "./kill/postgres.mjs";

const { values: given } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    db: { type: "string", default: "sqlite" },
    processes: { type: "string", default: "1" },
    parallel: { type: "string", default: "2" },
    approve: { type: "boolean", default: false },
    pictures: { type: "boolean", default: false },
  },
});
const runs = Number(given.runs);
const random = randomNumbers(Number(given.seed));
const folder = mkdtempSync(join(tmpdir(), "glassloop-kill-"));
const postgres = given.db === "postgres" && !process.env.TEST_POSTGRES_URL ? await startPostgres() : undefined;
const server = await startModelServer(random, given.pictures);
const threads = await openThreads(databaseUrl());
const watcher = createAgent({ model: "openai:never-asked", checkpointer: threads.checkpointer });
const totals = { runs: 0, kills: 0, killedIn: {}, inFlight: 0, paidTwice: 0 };
const mayRepeat = new Map();
let wantsMore = true;
process.once("SIGINT", () => {
  wantsMore = false;
});

try {
  await measureAndRun();
} finally {
  server.close();
  await threads.close();
  await postgres?.stop();
  rmSync(folder, { recursive: true });
}

function databaseUrl() {
  if (given.db === "sqlite") return `sqlite:${join(folder, "threads.db")}`;
  if (given.db === "postgres") return postgres?.url ?? process.env.TEST_POSTGRES_URL;
  return given.db;
}

async function measureAndRun() {
  const within = await measure();
  let left = runs;
  let number = 0;
  const worker = async () => {
    while (wantsMore && left > 0) {
      left -= 1;
      number += 1;
      if (!(await oneRun(number, within))) left += 1;
    }
  };
  await Promise.all(Array.from({ length: Number(given.parallel) }, worker));
  for (const [key, calls] of server.calls) {
    const allowed = mayRepeat.get(key) ?? 0;
    totals.inFlight += Math.min(calls - 1, allowed);
    totals.paidTwice += Math.max(0, calls - 1 - allowed);
  }
  report();
}

/** Measures the time of a run that is not killed, in milliseconds. */
async function measure() {
  const started = await startLife(jobOf(0));
  const begin = performance.now();
  const { code, error } = await started.ended;
  if (code !== 0) throw new Error(`A run that nobody killed ended with ${code}:\n${error}`);
  return performance.now() - begin;
}

/** Returns false if the plan was done before a process was killed. Such a run tells nothing. */
async function oneRun(run, within) {
  const job = jobOf(run);
  const thread = { configurable: { thread_id: `run-${run}` } };
  const killedAt = [];
  const onKill = async () => {
    totals.kills += 1;
    const state = await watcher.getState(thread);
    killedAt.push(`step ${state.metadata?.step} before ${state.next.join(", ") || "nothing"}`);
    const node = state.next[0] ?? "between";
    totals.killedIn[node] = (totals.killedIn[node] ?? 0) + 1;
    const call = callInFlight(run, state);
    if (call !== undefined) mayRepeat.set(call, (mayRepeat.get(call) ?? 0) + 1);
  };
  await runToTheEnd(job, { random, within, processes: Number(given.processes), onKill });
  if (killedAt.length === 0) return false;
  const { messages } = (await watcher.getState(thread)).values;
  const lines = existsSync(job.file) ? readFileSync(job.file, "utf8").trimEnd().split("\n") : [];
  totals.runs += 1;
  const found = checkRun(run, messages, lines, given);
  for (const [name, count] of Object.entries(found)) totals[name] = (totals[name] ?? 0) + count;
  if (found.lostTurns + found.lostEffects + found.duplicatedEffects + found.refusedEffects > 0)
    tell(run, killedAt, messages, lines);
  return true;
}

/** Shows a run in which something went wrong. */
function tell(run, killedAt, messages, lines) {
  console.log(`Run ${run} was killed at ${killedAt.join("; ")}. The file: ${lines.join(", ")}. The thread:`);
  for (const message of messages) console.log(`  ${message.type} ${message.id}: ${message.text.slice(0, 80)}`);
}

function jobOf(run) {
  const { approve, pictures } = given;
  return { database: databaseUrl(), modelUrl: server.url, run, file: join(folder, `${run}.txt`), approve, pictures };
}

function report() {
  const { killedIn, ...figures } = totals;
  const hits = Object.entries(killedIn).map(([node, count]) => `${node} ${count}`);
  console.log(
    `${figures.runs} runs on ${given.db}, seed ${given.seed}, ${given.processes} process(es) on a thread at once`,
  );
  console.log(`  killed                              ${figures.kills} times (${hits.join(", ")})`);
  console.log(`  finished turns                      ${figures.turns}`);
  console.log(`  effects                             ${figures.effects}`);
  console.log(`  effects told to be uncertain        ${figures.unknownOutcomes}`);
  console.log(`  model calls in flight, made again   ${figures.inFlight}`);
  console.log(`  lost turns                          ${figures.lostTurns}`);
  console.log(`  duplicated effects                  ${figures.duplicatedEffects}`);
  console.log(`  lost effects                        ${figures.lostEffects}`);
  console.log(`  refused effects that happened       ${figures.refusedEffects}`);
  console.log(`  other model calls paid twice        ${figures.paidTwice}`);
  const { lostTurns, duplicatedEffects, lostEffects, refusedEffects, paidTwice } = figures;
  if (lostTurns + duplicatedEffects + lostEffects + refusedEffects + paidTwice > 0) process.exitCode = 1;
}
