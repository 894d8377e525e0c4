// Runs many turns at once in one process, each on a thread of its own. Compares Glassloop with LangGraph's prebuilt agent.
//
//   node bench/concurrency.mjs --at-once 1,50,500 --db sqlite
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { installPeers } from "./install-peers.mjs";
import { startPostgres } from "./kill/postgres.mjs";

const { values: given } = parseArgs({
  options: {
    "at-once": { type: "string", default: "1,50,500" },
    db: { type: "string", default: "sqlite" },
    fsync: { type: "boolean", default: false },
    rounds: { type: "string", default: "3" },
  },
});
const sides = ["glassloop", "prebuilt"];
const program = fileURLToPath(new URL("concurrency/side.mjs", import.meta.url));

installPeers({ withSaver: true });
const folder = mkdtempSync(join(tmpdir(), "glassloop-concurrency-"));
const postgres =
  given.db === "postgres" && !process.env.TEST_POSTGRES_URL ? await startPostgres({ fsync: given.fsync }) : undefined;
let databases = 0;
try {
  for (const atOnce of given["at-once"].split(",").map(Number)) await compare(atOnce);
} finally {
  await postgres?.stop();
  rmSync(folder, { recursive: true });
}

/** Lets the sides take turns, each in a process of its own. Prints the medians. */
async function compare(atOnce) {
  const turns = Math.max(atOnce, atOnce === 1 ? 10 : 500);
  const results = Object.fromEntries(sides.map((side) => [side, []]));
  for (let round = 0; round < Number(given.rounds); round += 1) {
    for (const side of sides) results[side].push(await run(side, atOnce, turns));
  }
  console.log(`\n${atOnce} turns at once on ${given.db}, ${turns} in all`);
  console.log(
    `${"".padEnd(12)}${"turns/s".padStart(10)}${"CPU ms a turn".padStart(16)}${"super-steps".padStart(14)}${"CPU ms each".padStart(14)}`,
  );
  for (const side of sides) {
    const [throughput, cpu] = ["throughput", "cpu"].map((figure) =>
      median(results[side].map((result) => result[figure])),
    );
    const [{ superSteps }] = results[side];
    const cells = [
      [throughput.toFixed(1), 10],
      [cpu.toFixed(1), 16],
      [superSteps, 14],
      [(cpu / superSteps).toFixed(2), 14],
    ];
    console.log(side.padEnd(12) + cells.map(([cell, width]) => String(cell).padStart(width)).join(""));
  }
}

async function run(side, atOnce, turns) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    side,
    place(),
    String(atOnce),
    String(turns),
    given.fsync ? "fsync" : "",
  ]);
  return JSON.parse(stdout);
}

/** A new SQLite file, or the Postgres server. */
function place() {
  databases += 1;
  if (given.db === "sqlite") return `sqlite:${join(folder, `${databases}.db`)}`;
  return postgres?.url ?? process.env.TEST_POSTGRES_URL;
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
