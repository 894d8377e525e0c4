import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openThreads } from "../../dist/index.js";
import { contestants } from "./contestants.mjs";
import { measure } from "./measure.mjs";
import { answer } from "./task.mjs";

/** Measures all contestants without a checkpointer, and then the graphs with our SQLite saver. Prints both tables. */
export async function compareOverhead() {
  await compare("Without a checkpointer", contestants, () => undefined);
  const folder = await mkdtemp(join(tmpdir(), "glassloop-bench-"));
  const stores = [];
  try {
    const graphs = contestants.filter(({ isGraph }) => isGraph);
    await compare("With the SQLite saver, durability sync", graphs, async () => {
      const threads = await openThreads(`sqlite:${join(folder, `${stores.length}.db`)}`);
      stores.push(threads);
      return threads.checkpointer;
    });
  } finally {
    for (const threads of stores) await threads.close();
    await rm(folder, { recursive: true });
  }
}

async function compare(title, entries, makeCheckpointer) {
  const runners = [];
  for (const { name, make } of entries) {
    const runTurn = await make(await makeCheckpointer());
    await checkAnswer(name, runTurn);
    runners.push(runTurn);
  }
  const times = await measure(runners);
  const yardstick = times[entries.findIndex(({ isYardstick }) => isYardstick)];
  const floor = times[entries.findIndex(({ isFloor }) => isFloor)];
  console.log(`\n${title}`);
  console.log(`${"".padEnd(30)}${"µs a step".padStart(10)}${"x prebuilt".padStart(12)}${"x bare".padStart(8)}`);
  for (const [index, { name }] of entries.entries()) {
    const ratios = [yardstick, floor].map((time) => (times[index] / time).toFixed(2));
    console.log(
      `${name.padEnd(30)}${times[index].toFixed(0).padStart(10)}${ratios[0].padStart(12)}${ratios[1].padStart(8)}`,
    );
  }
}

async function checkAnswer(name, runTurn) {
  const given = await runTurn("check");
  if (given !== answer) throw new Error(`${name} answered ${JSON.stringify(given)}, so its time says nothing.`);
}
