// Checks the arithmetic of docs/many-machines.md by a simulation of turns, workers and one Postgres. Its parameters are measured
// ones: parameters.json.
//
//   node bench/engine/simulate.mjs --rate 1000 --cores 64 --workers 80
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { randomNumbers } from "../kill/plan.mjs";
import { EventHeap } from "./event-heap.mjs";
import { Disk, Station } from "./stations.mjs";

/** Of a process: those for work, and the one that listens. */
const MOST_CONNECTIONS = 11;
const { values: given } = parseArgs({
  options: {
    rate: { type: "string", default: "1000" },
    stream: { type: "string", default: "2" },
    model: { type: "string", default: "8" },
    cores: { type: "string", default: "64" },
    workers: { type: "string", default: "100" },
    slots: { type: "string", default: "150" },
    seconds: { type: "string", default: "20" },
  },
});
const wanted = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Number(value)]));
const parameters = JSON.parse(readFileSync(new URL("parameters.json", import.meta.url), "utf8"));
const turn = costOfTurn(wanted.stream);
const figures = { ...arithmetic(), ...simulation() };
for (const [name, value] of Object.entries(figures)) console.log(`  ${name.padEnd(58)}${value}`);
const differing = ["workers busy", "Postgres busy"].filter(
  (name) => Math.abs(figures[`${name}, simulated, %`] - figures[`${name}, %`]) > 3,
);
if (differing.length > 0) {
  console.log(`The simulation says something else: ${differing.join(", ")}.`);
  process.exitCode = 1;
}

/** What a turn costs that streams its answer for so many seconds. */
function costOfTurn(seconds) {
  const { turn: silent, secondOfStream } = parameters;
  return Object.fromEntries(Object.keys(silent).map((name) => [name, silent[name] + seconds * secondOfStream[name]]));
}

function arithmetic() {
  const { rate, model, cores, workers } = wanted;
  const { idleWorker, server } = parameters;
  const postgres = (rate * turn.postgresMs + workers * idleWorker.postgresMs) / 1_000;
  return {
    "turns a second": rate,
    "runs at once": Math.round(rate * model),
    "rows a second, inserted": Math.round(rate * turn.inserted),
    "rows a second, changed and deleted": Math.round(rate * turn.changed),
    "transactions a second": Math.round(rate * turn.commits + workers * idleWorker.commits),
    "log of Postgres, MB/s": rounded((rate * turn.walBytes) / 1e6),
    "stored, GB a day": Math.round((rate * turn.storedBytes * 86_400) / 1e9),
    "cores of workers": rounded((rate * turn.workerMs) / 1_000),
    "cores of Postgres": rounded(postgres),
    connections: workers * MOST_CONNECTIONS,
    "transactions in one wait for the disk": rounded((rate * turn.commits) / server.commitsAlone),
    "workers busy, %": Math.round((rate * turn.workerMs) / 10 / workers),
    "Postgres busy, %": Math.round((100 * postgres) / cores),
  };
}

/** Turns come at random. Each is a row of steps: it waits for its model, computes on its worker's core, and commits. */
function simulation() {
  const { rate, model, cores, workers, slots, seconds } = wanted;
  const { idleWorker, server } = parameters;
  const random = randomNumbers(1);
  const draw = (mean) => -mean * Math.log(1 - random());
  const steps = Math.max(1, Math.round(turn.commits));
  const [workerTime, postgresTime] = [turn.workerMs, turn.postgresMs].map((ms) => ms / 1_000 / steps);
  const places = Array.from({ length: workers }, () => ({ core: new Station(1), free: slots }));
  const [postgres, disk] = [new Station(cores), new Disk(1 / server.commitsAlone)];
  const [heap, queue, waits, lates] = [new EventHeap(), [], [], []];
  const end = model * 2 + seconds;
  const isCounted = (now) => now >= end - seconds;
  const think = () => draw(model / steps);
  const take = (now, one) => {
    one.place = places.reduce((best, place) => (place.free > best.free ? place : best));
    one.place.free -= 1;
    if (isCounted(now)) waits.push(now - one.came);
    heap.push(now + think(), one);
  };
  const stages = {
    /** The model has answered: its worker computes. */
    compute: (now, one) =>
      heap.push(one.place.core.serve(now, workerTime, isCounted(now)), { ...one, stage: "commit", at: now }),
    commit: (now, one) => heap.push(postgres.serve(now, postgresTime, isCounted(now)), { ...one, stage: "flush" }),
    flush: (now, one) => heap.push(disk.flush(now), { ...one, stage: "next" }),
    next(now, one) {
      if (isCounted(now)) lates.push(now - one.at);
      if (one.left > 1) return heap.push(now + think(), { ...one, stage: "compute", left: one.left - 1 });
      one.place.free += 1;
      if (queue.length > 0) take(now, queue.shift());
    },
    come(now, one) {
      if (places.some(({ free }) => free > 0)) take(now, { ...one, stage: "compute", came: now });
      else queue.push({ ...one, stage: "compute", came: now });
      heap.push(now + draw(1 / rate), one);
    },
    /** The looks of a worker without work. */
    look(now, one) {
      postgres.serve(now, idleWorker.postgresMs / 1_000 / 4, isCounted(now));
      heap.push(now + 0.25, one);
    },
  };
  heap.push(0, { stage: "come", left: steps });
  for (let n = 0; n < workers; n += 1) heap.push(random() / 4, { stage: "look" });
  for (let event = heap.pop(); event.time < end; event = heap.pop()) stages[event.value.stage](event.time, event.value);
  const busy = (stations) =>
    Math.round((100 * stations.reduce((sum, { used }) => sum + used, 0)) / seconds / stations.length);
  return {
    "workers busy, simulated, %": busy(places.map(({ core }) => core)),
    "Postgres busy, simulated, %": Math.round((100 * postgres.used) / seconds / cores),
    "a step with its commit, ms in the middle": rounded(share(lates, 0.5) * 1_000),
    "a step with its commit, ms for 99 of 100": rounded(share(lates, 0.99) * 1_000),
    "a turn waits for a slot, ms for 99 of 100": rounded(share(waits, 0.99) * 1_000),
  };
}

function share(values, part) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;
}

function rounded(value) {
  return Number(value.toPrecision(2));
}
