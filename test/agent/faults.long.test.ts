import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { sharedPostgres } from "../helpers/postgres.js";

const bench = fileURLToPath(new URL("../../bench/faults.mjs", import.meta.url));

/** What the bench counted, by the words that it prints. */
async function faults(...options: string[]): Promise<Record<string, number>> {
  const run = promisify(execFile)(process.execPath, [bench, ...options]);
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
  const figures = [...stdout.matchAll(/^ {2}(\S.*?) {2,}(\d+)/gm)];
  return Object.fromEntries(figures.map(([, name, count]) => [name, Number(count)]));
}

const harmless = {
  "lost turns": 0,
  "doubled effects": 0,
  "lost effects": 0,
  "damaged threads": 0,
  "hangs over 60 s": 0,
  crashes: 0,
  "other errors": 0,
};

describe("threads survive kills, takeovers, clock steps, closing, pruning and lost connections", () => {
  it("on SQLite", async () => {
    const figures = await faults("--rounds", "3", "--seed", "1");
    expect(figures).toMatchObject({ ...harmless, "fault: takeover": 2, "fault: clock": 2 });
    expect(figures["answered turns"]).toBeGreaterThan(0);
  }, 300_000);

  it("on Postgres", async () => {
    const schema = await sharedPostgres().createSchema();
    const figures = await faults("--rounds", "3", "--seed", "2", "--db", schema.url);
    expect(figures).toMatchObject({ ...harmless, "fault: cut": 2, "fault: stall": 2 });
    expect(figures["answered turns"]).toBeGreaterThan(0);
    await schema.remove();
  }, 300_000);
});
