// Lets processes run turns under faults that a seed draws. Counts what was lost, done twice, damaged, or hangs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createAgent } from "../dist/agent/create-agent.js";
import { openThreads } from "../dist/threads/open.js";
import { checkRound } from "./faults/check.mjs";
import { Children } from "./faults/children.mjs";
import { kinds, restart, serverKinds } from "./faults/kinds.mjs";
import { openPlace } from "./faults/place.mjs";
import { printReport } from "./faults/report.mjs";
import { Round } from "./faults/round.mjs";
import { startModelServer } from "./kill/model-server.mjs";
import { randomNumbers } from "./kill/plan.mjs";

const FAULTS_IN_A_ROUND = 6;
const { values: given } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    rounds: { type: "string", default: "20" },
    db: { type: "string", default: "sqlite" },
    kinds: { type: "string" },
  },
});
const random = randomNumbers(Number(given.seed));
const totals = { rounds: 0, faults: {}, turns: 0, errors: {}, copies: 0, hangs: 0, crashes: 0 };
let round;
let isStopped = false;
let serial = 0;
const children = new Children({ heard, hung, crashed });
const folder = mkdtempSync(join(tmpdir(), "glassloop-faults-"));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
let place;
let server;

try {
  place = await openPlace(given.db, folder);
  server = await startModelServer(random);
  const names = drawFaults();
  for (let number = 1; number <= Number(given.rounds) && !isStopped; number += 1) await oneRound(number, names);
  printReport(given, totals);
} finally {
  await children.end();
  server?.close();
  await place?.stop();
  rmSync(folder, { recursive: true });
}

/** Deals the kinds from a shuffled deck, again and again, so that all kinds happen about equally often. */
function* drawFaults() {
  const all = { ...kinds, ...(place.isServer && serverKinds), ...(place.restart && { restart }) };
  for (;;) {
    const left = Object.entries(all).filter(([name]) => given.kinds?.split(",").includes(name) ?? true);
    if (left.length === 0) throw new Error(`There are these kinds: ${Object.keys(all).join(", ")}`);
    while (left.length > 0) yield left.splice(Math.floor(random() * left.length), 1)[0];
  }
}

async function oneRound(number, names) {
  const draw = () => {
    serial += 1;
    return serial;
  };
  round = new Round(number, { children, place, modelUrl: server.url, folder, draw });
  const faults = Array.from({ length: FAULTS_IN_A_ROUND }, () => names.next().value);
  const counted = faults.map(([name, fault]) => async (...given) => {
    if (isStopped) return;
    await fault(...given);
    totals.faults[name] = (totals.faults[name] ?? 0) + 1;
  });
  await round.run(counted, random);
  if (!isStopped) await check(faults.map(([name]) => name));
}

async function check(names) {
  const threads = await openThreads(place.url);
  const agent = createAgent({ model: "openai:never-asked", checkpointer: threads.checkpointer });
  const say = (text) => console.log(`Round ${round.number} (${names.join(", ")}): ${text}`);
  const found = await checkRound(round, threads, agent, say);
  totals.rounds += 1;
  totals.turns += round.acknowledged.size;
  totals.copies += round.copies.size;
  for (const [name, count] of Object.entries(found)) totals[name] = (totals[name] ?? 0) + count;
  for (const id of [round.thread, ...round.copies.keys()]) await threads.delete(id);
  await threads.close();
}

/** Notes what a process says. */
function heard(line) {
  const [word, ...rest] = line.split(" ");
  if (word === "turn") round.acknowledged.add(Number(rest[0]));
  if (word === "copied") round.copies.set(rest[0], Number(rest[1]));
  if (word !== "error") return;
  const name = rest[0].replace(":", "");
  totals.errors[name] = (totals.errors[name] ?? 0) + 1;
  if (process.env.SHOW_ERRORS) console.log(`Round ${round.number}: ${line}`);
}

function hung() {
  totals.hangs += 1;
  console.log(`Round ${round.number}: a process got nothing done for 60 s`);
}

function crashed(error) {
  if (isStopped) return;
  totals.crashes += 1;
  console.log(`Round ${round.number}: a process ${error}`);
}

function stop() {
  isStopped = true;
  void children.end();
}
