// Kills servers and workers at random moments while conversations go on over HTTP. Checks whether anything was lost or done twice.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { checkRun } from "./kill/check.mjs";
import { startModelServer } from "./kill/model-server.mjs";
import { randomNumbers } from "./kill/plan.mjs";
import { startPostgres } from "./kill/postgres.mjs";
import { converse } from "./server-kill/conversation.mjs";
import { kill, pause, restart, stall } from "./server-kill/disturbances.mjs";
import { startFleet } from "./server-kill/fleet.mjs";
import { fillDisk } from "./server-kill/full-disk.mjs";
import { hoppingClient } from "./server-kill/hopping-client.mjs";
import { insist } from "./server-kill/insist.mjs";
import { checkReaders } from "./server-kill/readers.mjs";
import { Takeovers } from "./server-kill/takeovers.mjs";
import { checkFollower } from "./server-kill/thread-reader.mjs";

const { values: given } = parseArgs({
  options: {
    servers: { type: "string", default: "1" },
    workers: { type: "string", default: "0" },
    slots: { type: "string", default: "8" },
    kills: { type: "string", default: "20" },
    restarts: { type: "string", default: "0" },
    pauses: { type: "string", default: "0" },
    stalls: { type: "string", default: "0" },
    seconds: { type: "string", default: "15" },
    disk: { type: "string" },
    fills: { type: "string", default: "5" },
    seed: { type: "string", default: "1" },
    db: { type: "string", default: "sqlite" },
    parallel: { type: "string", default: "4" },
  },
});
const random = randomNumbers(Number(given.seed));
const folder = mkdtempSync(join(tmpdir(), "glassloop-server-kill-"));
const lines = join(folder, "lines");
mkdirSync(lines);
const postgres = given.db === "postgres" ? await startPostgres() : undefined;
const db = postgres?.url ?? (given.db === "sqlite" ? `sqlite:${join(given.disk ?? folder, "threads.db")}` : given.db);
const model = await startModelServer(random);
const takeovers = db.startsWith("postgres:") ? new Takeovers(db) : undefined;
/** The times until the runs that a fault hit went on, in milliseconds, by the kind of the fault. */
const times = {};
const watching = [];
const totals = {
  conversations: 0,
  kills: 0,
  restarts: 0,
  pauses: 0,
  stalls: 0,
  fills: 0,
  runs: 0,
  givenUp: 0,
  stopped: 0,
  unfinished: 0,
  busy: 0,
};
const manners = ["careful", "hasty", "unruly"];
let wantsMore = true;
let next = 1;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    wantsMore = false;
  });
}

const fleet = await startFleet({
  ...{ file: new URL("server-kill/agents.mjs", import.meta.url), db, env: { MODEL_URL: model.url, LINES: lines } },
  ...{ servers: Number(given.servers), workers: Number(given.workers), slots: Number(given.slots) },
  isFar: Number(given.stalls) > 0,
});
try {
  const talking = Promise.all(Array.from({ length: Number(given.parallel) }, talk));
  talking.catch(() => undefined);
  await Promise.race([disturb(), talking]);
  wantsMore = false;
  await talking;
  await Promise.all(watching);
  totals.lateWrites = await takeovers?.lateWrites();
  report();
} finally {
  await fleet.end();
  model.close();
  await takeovers?.close();
  await postgres?.stop();
  rmSync(folder, { recursive: true });
}

/** Kills the processes, stops them for a while, and restarts their database, at random moments. */
async function disturb() {
  const place = { fleet, takeovers, postgres, random, note };
  const again = async (name, pauseMs, happen) => {
    while (wantsMore && totals[name] < Number(given[name])) {
      await sleep(random() * pauseMs);
      await happen();
      totals[name] += 1;
    }
  };
  await again("kills", 8_000 / (fleet.members.length + 1), () => kill(place));
  await again("restarts", 3_000, () => restart(place));
  await again("pauses", 3_000, () => pause(place, Number(given.seconds)));
  await again("stalls", 3_000, () => stall(place, Number(given.seconds)));
  if (given.disk) await again("fills", 2_000, fill);
}

async function fill() {
  const makeRoom = fillDisk(given.disk);
  await sleep(random() * 4_000);
  await healthIs(503);
  makeRoom();
  await healthIs(200);
}

/** Notes the runs that a fault hit, and measures how long it takes until they go on. */
function note(kind, runs, since) {
  times[kind] ??= { taken: [], stepped: [] };
  takeovers?.note(runs);
  const watched = takeovers?.goOn(runs, since).then((found) => {
    for (const what of ["taken", "stepped"]) times[kind][what].push(...found[what]);
  });
  if (watched) watching.push(watched);
}

/** Waits until the server says that it is well, or that it is not. Throws after ten seconds. */
async function healthIs(status) {
  for (const until = Date.now() + 10_000; ; await sleep(100)) {
    const answer = await fetch(`${fleet.urls[0]}/health`).catch(() => undefined);
    if (answer?.status === status) return;
    if (Date.now() > until) throw new Error(`/health is ${answer?.status}, and not ${status}: ${await answer?.text()}`);
  }
}

async function talk() {
  while (wantsMore) {
    const number = next++;
    const connection = hoppingClient(fleet.urls, number);
    const conversation = await converse(connection, { number, manner: manners[number % manners.length], random });
    await check(connection.client, conversation);
  }
}

/** Checks a conversation that is over. */
async function check(client, conversation) {
  const { number, thread, manner, runs, follower, state } = conversation;
  const tuple = await insist(() => client.threads.getState(thread));
  const file = join(lines, thread);
  const appended = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  const messages = tuple.values.messages.map((message) => ({ ...message, text: textOf(message) }));
  const found = checkRun(number, messages, appended, { approve: manner === "careful" });
  const statuses = runs.map(({ row }) => row?.status ?? "rolled back");
  const ends = manner === "unruly" ? ["success", "error", "interrupted", "rolled back"] : ["success", "error"];
  const isPartial = manner === "unruly" || statuses.includes("error");
  totals.conversations += 1;
  totals.runs += runs.length;
  totals.givenUp += statuses.filter((status) => status === "error").length;
  totals.stopped += statuses.filter((status) => ["interrupted", "rolled back"].includes(status)).length;
  totals.unfinished += statuses.filter((status) => !ends.includes(status)).length;
  totals.busy += state.status === "idle" ? 0 : 1;
  // A turn whose run was given up or stopped has no answer, and the next turn begins without it.
  const { duplicatedEffects, refusedEffects, ...others } = found;
  add({ duplicatedEffects, refusedEffects, ...(isPartial ? {} : others) });
  const bad = isPartial ? 0 : found.lostTurns + found.lostEffects;
  if (bad + duplicatedEffects + refusedEffects > 0 || state.status !== "idle")
    await tell(conversation, messages, appended);
  for (const run of runs) if (run.row) add(await checkReaders(client, run));
  add(await checkFollower(follower, { wasRolledBack: statuses.includes("rolled back") }));
  const again = [...model.calls].filter(([key, calls]) => key.startsWith(`${number} `) && calls > 1);
  const repeated = again.reduce((sum, [, calls]) => sum + calls - 1, 0);
  const hits = takeovers?.hits.get(thread) ?? 0;
  // A fault that hits a run may have its call in flight made again, and no other one.
  if (takeovers) add({ repeatedCalls: repeated, paidTwice: Math.max(0, repeated - hits) });
  if (takeovers && repeated > hits) {
    console.log(`${thread}, ${manner}, was hit ${hits} times, and these calls were made so often: ${again.join("; ")}`);
    await tell(conversation, messages, appended);
  }
}

function textOf({ content }) {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

function add(figures) {
  for (const [name, value] of Object.entries(figures)) totals[name] = (totals[name] ?? 0) + value;
}

/** Shows a conversation in which something went wrong. */
async function tell({ thread, state, runs }, messages, appended) {
  console.log(`${thread} is ${state.status}. The file: ${appended.join(", ")}. Its runs, and its messages:`);
  for (const { run, row } of runs) console.log(`  ${run} ${row?.metadata.name}: ${row?.status}`);
  for (const message of messages) console.log(`  ${message.type} ${message.id}: ${message.text.slice(0, 80)}`);
  for (const line of (await takeovers?.rowsOf(thread)) ?? []) console.log(`  ${line}`);
}

function report() {
  const { brokenOrders, otherEvents, otherProtocolEvents, busy, unfinished } = totals;
  console.log(`${totals.conversations} conversations on ${given.db}, seed ${given.seed}`);
  console.log(
    `  servers; workers                    ${given.servers}; ${given.workers} with ${given.slots} runs at once`,
  );
  console.log(`  a process was killed                ${totals.kills} times`);
  console.log(`  the database was restarted          ${totals.restarts} times`);
  console.log(`  a worker was stopped for a while    ${totals.pauses} times`);
  console.log(`  the network of a worker stalled     ${totals.stalls} times`);
  console.log(`  the disk was full                   ${totals.fills} times`);
  for (const [kind, { taken, stepped }] of Object.entries(times)) {
    const hit = `${stepped.length} runs hit, ${taken.length} of them taken over after ${spread(taken)}`;
    console.log(`  after a ${kind.padEnd(28)}${hit}, next step after ${spread(stepped)}`);
  }
  console.log(`  runs                                ${totals.runs}`);
  console.log(`  runs given up after three attempts  ${totals.givenUp}`);
  console.log(`  runs stopped by their clients       ${totals.stopped}`);
  console.log(`  finished turns                      ${totals.turns}`);
  console.log(`  effects                             ${totals.effects}`);
  console.log(`  effects told to be uncertain        ${totals.unknownOutcomes}`);
  console.log(`  events of a reader                  ${totals.events}`);
  console.log(`  model calls made again              ${totals.repeatedCalls ?? "not counted"}`);
  console.log(`  model calls paid twice otherwise    ${totals.paidTwice ?? "not counted"}`);
  console.log(`  writes of processes that had lost a run  ${totals.lateWrites ?? "not counted"}`);
  console.log(`  lost turns                          ${totals.lostTurns}`);
  console.log(`  duplicated effects                  ${totals.duplicatedEffects}`);
  console.log(`  lost effects                        ${totals.lostEffects}`);
  console.log(`  refused effects that happened       ${totals.refusedEffects}`);
  console.log(`  readers whose events are not 0, 1 …  ${brokenOrders}`);
  console.log(`  events that differ between readers  ${otherEvents}`);
  console.log(`  events of threads, version 2        ${totals.protocolEvents}`);
  console.log(`  those that differ between readers   ${otherProtocolEvents}`);
  console.log(`  threads busy at the end             ${busy}`);
  console.log(`  runs without an end                 ${unfinished}`);
  const { lostTurns, duplicatedEffects, lostEffects, refusedEffects, paidTwice = 0, lateWrites = 0 } = totals;
  const faults = lostTurns + duplicatedEffects + lostEffects + refusedEffects + paidTwice + lateWrites;
  if (faults + brokenOrders + otherEvents + otherProtocolEvents + busy + unfinished > 0) process.exitCode = 1;
}

/** Writes the middle and the largest of times. */
function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const [middle, worst] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return sorted.length === 0 ? "–" : `${middle.toFixed(0)} ms (at most ${worst.toFixed(0)})`;
}
