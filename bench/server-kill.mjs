// Kills a server at random moments while conversations go on over HTTP. Checks whether anything was lost or done twice.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client } from "@langchain/langgraph-sdk";
import { freePort } from "./free-port.mjs";
import { checkRun } from "./kill/check.mjs";
import { startModelServer } from "./kill/model-server.mjs";
import { randomNumbers } from "./kill/plan.mjs";
import { startPostgres } from "./kill/postgres.mjs";
import { startServer } from "./server/process.mjs";
import { converse } from "./server-kill/conversation.mjs";
import { fillDisk } from "./server-kill/full-disk.mjs";
import { insist } from "./server-kill/insist.mjs";
import { checkReaders } from "./server-kill/readers.mjs";

const { values: given } = parseArgs({
  options: {
    kills: { type: "string", default: "20" },
    restarts: { type: "string", default: "0" },
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
const port = await freePort();
const client = new Client({ apiUrl: `http://127.0.0.1:${port}`, apiKey: null, callerOptions: { maxRetries: 0 } });
const totals = {
  conversations: 0,
  kills: 0,
  restarts: 0,
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

let server = await start();
try {
  const talking = Promise.all(Array.from({ length: Number(given.parallel) }, talk));
  talking.catch(() => undefined);
  await Promise.race([disturb(), talking]);
  wantsMore = false;
  await talking;
  report();
} finally {
  await server.end("SIGKILL");
  model.close();
  await postgres?.stop();
  rmSync(folder, { recursive: true });
}

function start() {
  const file = new URL("server-kill/agents.mjs", import.meta.url);
  return startServer({ file, db, port, env: { MODEL_URL: model.url, LINES: lines } });
}

/** Kills the server, and restarts its database, at random moments. */
async function disturb() {
  while (wantsMore && totals.kills < Number(given.kills)) {
    await sleep(random() * 4_000);
    await server.end("SIGKILL");
    totals.kills += 1;
    server = await start();
  }
  while (wantsMore && totals.restarts < Number(given.restarts)) {
    await sleep(random() * 3_000);
    await postgres.restart(random() < 0.5 ? "SIGINT" : "SIGQUIT", random() < 0.5 ? 0 : random() * 6_000);
    totals.restarts += 1;
  }
  while (wantsMore && given.disk && totals.fills < Number(given.fills)) {
    await sleep(random() * 2_000);
    const makeRoom = fillDisk(given.disk);
    await sleep(random() * 4_000);
    await healthIs(503);
    makeRoom();
    await healthIs(200);
    totals.fills += 1;
  }
}

/** Waits until the server says that it is well, or that it is not. Throws after ten seconds. */
async function healthIs(status) {
  for (const until = Date.now() + 10_000; ; await sleep(100)) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    if (answer?.status === status) return;
    if (Date.now() > until) throw new Error(`/health is ${answer?.status}, and not ${status}: ${await answer?.text()}`);
  }
}

async function talk() {
  while (wantsMore) {
    const number = next++;
    await check(await converse(client, { number, manner: manners[number % manners.length], random }));
  }
}

/** Checks a conversation that is over. */
async function check(conversation) {
  const { number, thread, manner, runs, state } = conversation;
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
  if (bad + duplicatedEffects + refusedEffects > 0 || state.status !== "idle") tell(conversation, messages, appended);
  for (const run of runs) if (run.row) add(await checkReaders(client, run));
}

function textOf({ content }) {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

function add(figures) {
  for (const [name, value] of Object.entries(figures)) totals[name] = (totals[name] ?? 0) + value;
}

/** Shows a conversation in which something went wrong. */
function tell({ thread, state, runs }, messages, appended) {
  console.log(`${thread} is ${state.status}. The file: ${appended.join(", ")}. Its runs, and its messages:`);
  for (const { run, row } of runs) console.log(`  ${run} ${row?.metadata.name}: ${row?.status}`);
  for (const message of messages) console.log(`  ${message.type} ${message.id}: ${message.text.slice(0, 80)}`);
}

function report() {
  const { brokenOrders, otherEvents, busy, unfinished } = totals;
  console.log(`${totals.conversations} conversations on ${given.db}, seed ${given.seed}`);
  console.log(`  the server was killed               ${totals.kills} times`);
  console.log(`  the database was restarted          ${totals.restarts} times`);
  console.log(`  the disk was full                   ${totals.fills} times`);
  console.log(`  runs                                ${totals.runs}`);
  console.log(`  runs given up after three attempts  ${totals.givenUp}`);
  console.log(`  runs stopped by their clients       ${totals.stopped}`);
  console.log(`  finished turns                      ${totals.turns}`);
  console.log(`  effects                             ${totals.effects}`);
  console.log(`  effects told to be uncertain        ${totals.unknownOutcomes}`);
  console.log(`  events of a reader                  ${totals.events}`);
  console.log(`  lost turns                          ${totals.lostTurns}`);
  console.log(`  duplicated effects                  ${totals.duplicatedEffects}`);
  console.log(`  lost effects                        ${totals.lostEffects}`);
  console.log(`  refused effects that happened       ${totals.refusedEffects}`);
  console.log(`  readers whose events are not 0, 1 … ${brokenOrders}`);
  console.log(`  events that differ between readers  ${otherEvents}`);
  console.log(`  threads busy at the end             ${busy}`);
  console.log(`  runs without an end                 ${unfinished}`);
  const { lostTurns, duplicatedEffects, lostEffects, refusedEffects } = totals;
  const faults = lostTurns + duplicatedEffects + lostEffects + refusedEffects;
  if (faults + brokenOrders + otherEvents + busy + unfinished > 0) process.exitCode = 1;
}
