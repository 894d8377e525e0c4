import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sides } from "./sides.mjs";
import { ThreadWriter } from "./thread-writer.mjs";

const marks = [10, 50, 100, 200];
/**
 * A turn reads all messages of its thread once, because each reader gets objects of its own, so turns of a long thread take
 * longer. The size includes 2 MB of the write-ahead log.
 */
const targets = { megabytes: 11, ratio: 2, coldMilliseconds: 100 };

/**
 * Writes the same thread on both sides. At each mark, prints the figures of both. Returns true if those of Glassloop
 * meet the targets.
 */
export async function compareThreads() {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-bench-"));
  const writers = await Promise.all(sides.map((_, index) => ThreadWriter.open(index, join(folder, String(index)))));
  try {
    return judge(await measure(writers));
  } finally {
    for (const writer of writers) await writer.close();
    await rm(folder, { recursive: true });
  }
}

/** Measures both sides at each mark. Returns the figures of Glassloop. */
async function measure(writers) {
  printHead();
  const ours = [];
  for (const turn of marks) {
    const figures = [];
    for (const writer of writers) figures.push(await writer.writeTo(turn));
    printRow(turn, figures);
    ours.push({ turn, ...figures[0] });
  }
  return ours;
}

const columns = ["MB on disk", "ms a turn", "cold getState, ms"];
const widths = columns.map((column) => column.length + 2);
const width = widths.reduce((sum, width) => sum + width);

function printHead() {
  console.log(`${"".padEnd(6)}${sides.map(({ name }) => `  ${name}`.padEnd(width + 2)).join("")}`.trimEnd());
  const head = columns.map((column, index) => column.padStart(widths[index])).join("");
  console.log(`${"turn".padEnd(6)}${sides.map(() => `${head}  `).join("")}`.trimEnd());
}

function printRow(turn, figures) {
  const cells = figures.map(({ megabytes, turnTime, coldTime }) =>
    [megabytes.toFixed(2), turnTime.toFixed(1), coldTime.toFixed(0)]
      .map((cell, index) => cell.padStart(widths[index]))
      .join(""),
  );
  console.log(`${String(turn).padEnd(6)}${cells.map((cell) => `${cell}  `).join("")}`.trimEnd());
}

function judge(rows) {
  const [first, last] = [rows[0], rows.at(-1)];
  const ratio = last.turnTime / first.turnTime;
  const figures = [
    [`${last.megabytes.toFixed(2)} MB on disk`, `at most ${targets.megabytes}`, last.megabytes <= targets.megabytes],
    [
      `turn ${last.turn} takes ${ratio.toFixed(2)} times turn ${first.turn}`,
      `at most ${targets.ratio}`,
      ratio <= targets.ratio,
    ],
    [
      `cold getState ${last.coldTime.toFixed(0)} ms`,
      `under ${targets.coldMilliseconds}`,
      last.coldTime < targets.coldMilliseconds,
    ],
  ];
  console.log("\nGlassloop's targets");
  for (const [figure, target, isMet] of figures) console.log(`${isMet ? "met   " : "MISSED"} ${figure} (${target})`);
  return figures.every(([, , isMet]) => isMet);
}
