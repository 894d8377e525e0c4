import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledProgram } from "../../bench/bundled-program.mjs";

const program = await bundledProgram(new URL("fixtures/nested-agents.mjs", import.meta.url));

/** What an undisturbed turn notes, by the places of the agents whose tools ask. */
export const turns = {
  "two deep": [
    "outer human",
    "middle human",
    "inner human",
    "asks about inner-bill",
    "inner-bill",
    "inner tool",
    "middle tool",
    "outer tool",
  ],
  "two of a step": [
    "outer human",
    "left human",
    "right human",
    "asks about left-bill",
    "left-bill",
    "left tool",
    "asks about right-bill",
    "right-bill",
    "right tool",
    "outer tool",
  ],
};

/**
 * Runs a turn of nested agents, in one process after the other, on one SQLite file.
 *
 * @param dieAt For each process but the last the number of notes at which it is killed with SIGKILL.
 * @returns The notes of all processes, and the messages of the thread at the end.
 */
export function runNested(depth: keyof typeof turns, dieAt: readonly number[]) {
  const folder = mkdtempSync(join(tmpdir(), "glassloop-nested-"));
  try {
    const paths = [`sqlite:${join(folder, "threads.db")}`, join(folder, "notes")];
    const run = (die: number) =>
      spawnSync(process.execPath, [program, ...paths, depth, String(die)], { encoding: "utf8" });
    const signals = dieAt.map((die) => run(die).signal);
    const { stdout, stderr } = run(0);
    const notes = readFileSync(join(folder, "notes"), "utf8").trimEnd().split("\n");
    return { signals, stderr, notes, messages: JSON.parse(stdout) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
