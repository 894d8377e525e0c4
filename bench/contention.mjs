// Lets many processes write to one SQLite file at once. Counts what was acknowledged and is not in the file. Every second
// process asks questions on threads of its own. The others take threads, with the statement that returns the row it wrote.
//
//   node bench/contention.mjs --processes 16 --seconds 300
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readGuard } from "../dist/threads/guard/rows.js";
import { openThreads } from "../dist/threads/open.js";

const { values: given } = parseArgs({
  options: { processes: { type: "string", default: "16" }, seconds: { type: "string", default: "20" } },
});
const program = fileURLToPath(new URL("contention/writer.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "glassloop-contention-"));
const url = `sqlite:${join(folder, "threads.db")}`;
const milliseconds = Number(given.seconds) * 1000;

try {
  await (await openThreads(url)).close();
  const writers = Array.from({ length: Number(given.processes) }, (_, number) => write(number + 1));
  await report(await Promise.all(writers));
} finally {
  rmSync(folder, { recursive: true });
}

/** Runs a writer, and kills it when its time is over and something was stored. Returns the numbers that it said were stored, last for each name. */
async function write(number) {
  const child = spawn(process.execPath, [program, url, String(number)], { stdio: ["ignore", "pipe", "inherit"] });
  const acknowledged = new Map();
  createInterface(child.stdout).on("line", (line) => {
    const [thread, turn] = line.split(" ");
    acknowledged.set(thread, Number(turn));
  });
  const closed = once(child, "close");
  const stored = new Promise((resolve) => child.stdout.once("data", resolve));
  void Promise.all([stored, sleep(milliseconds)]).then(() => child.kill("SIGKILL"));
  const [code] = await closed;
  if (code !== null) throw new Error(`A writer ended by itself, with ${code}.`);
  return acknowledged;
}

async function report(writers) {
  const threads = await openThreads(url);
  const stored = new Map((await threads.list({ limit: 10_000 })).map(({ id, turns }) => [id, turns]));
  const { database } = threads.checkpointer;
  const totals = { turns: 0, taken: 0, lost: 0 };
  for (const [name, number] of writers.flatMap((writer) => [...writer])) {
    if (name.startsWith("taken-")) {
      totals.taken += 1;
      if (!(await readGuard(database, name))) totals.lost += 1;
    } else {
      totals.turns += number;
      totals.lost += Math.max(0, number - (stored.get(name) ?? 0));
    }
  }
  await threads.close();
  console.log(`${given.processes} processes wrote to one file for ${given.seconds} s`);
  console.log(`  acknowledged turns                  ${totals.turns}`);
  console.log(`  acknowledged rows                   ${totals.taken}`);
  console.log(`  lost                                ${totals.lost}`);
  if (totals.lost > 0 || totals.turns === 0 || totals.taken === 0) process.exitCode = 1;
}
