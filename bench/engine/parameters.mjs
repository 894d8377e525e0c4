// Measures what a turn costs Postgres, and what Postgres takes for it: the parameters of the simulation. Prints them as JSON.
//
//   node bench/engine/parameters.mjs > bench/engine/parameters.json
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../free-port.mjs";
import { askOnce, clientOf, times } from "../server/clients.mjs";
import { startServer } from "../server/process.mjs";
import { openOurs } from "./ours.mjs";
import { at } from "./place.mjs";

const TURNS = 160;
const SLOTS = 16;
const LOOP_MS = 3_000;
const LISTENERS = 50;
/** Statistics of tables come late. */
const STATISTICS_MS = 2_000;

const found = await at(openOurs, async (place) => ({
  // A talking turn differs from a silent one in the two seconds for which it streams its answer.
  silent: await turn(place, "quick"),
  talking: await turn(place, "talking"),
  ...(await idle(place)),
  ...(await server(place.url)),
}));
const { silent, talking, ...others } = found;
const each = (map) => Object.fromEntries(Object.keys(silent).map((name) => [name, rounded(map(name))]));
const streamed = each((name) => Math.max(0, talking[name] - silent[name]) / 2);
console.log(JSON.stringify({ turn: each((name) => silent[name]), secondOfStream: streamed, ...others }, undefined, 2));

function rounded(value) {
  return Number(value.toPrecision(3));
}

/** What a turn of a graph costs, with a client that reads it over a server that runs nothing. */
async function turn(place, graph) {
  const file = new URL("agents.mjs", import.meta.url);
  const options = ["--max-runs", "0"];
  const front = await startServer({ file, db: place.url, port: await freePort(), options });
  const workers = await place.startWorkers(1, SLOTS);
  const client = clientOf(front);
  const ask = () => askOnce(client, graph, ["values", "messages-tuple"]);
  await times(TURNS / 2, SLOTS, ask);
  const before = await counters(place);
  const begun = performance.now();
  await times(TURNS, SLOTS, ask);
  const seconds = (performance.now() - begun) / 1_000;
  const after = await counters(place);
  await front.end("SIGKILL");
  await workers.pop().end("SIGKILL");
  const cost = (name) => (after[name] - before[name]) / TURNS;
  const names = ["inserted", "changed", "commits", "walBytes", "storedBytes", "postgresMs"];
  console.error(`${graph}: ${TURNS} turns in ${seconds.toFixed(1)} s`);
  return {
    ...Object.fromEntries(names.map((name) => [name, cost(name)])),
    workerMs: after.workersMs / TURNS - before.workersMs / TURNS,
  };
}

async function counters(place) {
  await sleep(STATISTICS_MS);
  const [{ inserted, changed, commits }] = await place.query(`select tup_inserted::float8 as inserted,
    (tup_updated + tup_deleted)::float8 as changed, xact_commit::float8 as commits
    from pg_stat_database where datname = current_database()`);
  const [{ wal, stored }] = await place.query(
    "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal, pg_database_size(current_database())::float8 as stored",
  );
  const used = place.usage();
  return {
    ...{ inserted, changed, commits, walBytes: wal, storedBytes: stored },
    ...{ postgresMs: used.postgres * 1_000, workersMs: used.workers * 1_000 },
  };
}

/** What workers without work cost: commits and milliseconds of Postgres's processor, for each of them in a second. */
async function idle(place) {
  const count = 4;
  const workers = await place.startWorkers(count, SLOTS);
  await sleep(1_000);
  const [before, begun] = [await counters(place), performance.now()];
  await sleep(8_000);
  const [after, seconds] = [await counters(place), (performance.now() - begun) / 1_000];
  for (const worker of workers.splice(0)) await worker.end("SIGKILL");
  const rate = (name) => rounded((after[name] - before[name]) / seconds / count);
  return { idleWorker: { commits: rate("commits"), postgresMs: rate("postgresMs") } };
}

/** What the server does for small transactions: alone, many at once, and with signals. */
async function server(url) {
  const loop = async (clients, statement) => {
    const connections = await Promise.all(Array.from({ length: clients }, () => connect(url)));
    let done = 0;
    const until = performance.now() + LOOP_MS;
    await Promise.all(
      connections.map(async (client, index) => {
        for (; performance.now() < until; done += 1) await client.query(statement(index));
      }),
    );
    for (const client of connections) await client.end();
    return rounded(done / (LOOP_MS / 1_000));
  };
  const admin = await connect(url);
  await admin.query("create table bench_rows (id int primary key, n int not null)");
  await admin.query("insert into bench_rows select number, 0 from generate_series(0, 99) number");
  const write = (index) => `update bench_rows set n = n + 1 where id = ${index}`;
  const unsynced = (text) => `set local synchronous_commit = off; ${text}`;
  const notify = "select pg_notify('bench', '01a216f1-5a96-76a7-ace2-8e3d3707c477')";
  const figures = {
    commitsAlone: await loop(1, write),
    commitsAtOnce: await loop(32, write),
    commitsUnsynced: await loop(32, (index) => unsynced(write(index))),
    commitsWithSignal: await loop(32, (index) => `${write(index)}; ${notify}`),
    signals: await loop(32, () => unsynced(notify)),
  };
  const listeners = await Promise.all(Array.from({ length: LISTENERS }, () => connect(url)));
  for (const client of listeners) await client.query("listen bench");
  const signalsHeard = await loop(32, () => unsynced(notify));
  for (const client of listeners) await client.end();
  await admin.query("drop table bench_rows");
  await admin.end();
  return { server: { ...figures, [`signalsHeardBy${LISTENERS}`]: signalsHeard } };
}

async function connect(url) {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}
