import { describe, expect, it } from "vitest";
import { benchFigures } from "../helpers/bench-figures.js";
import { sharedPostgres } from "../helpers/postgres.js";

const kill = (...options: string[]) => benchFigures("kill", ...options);

const harmless = {
  "lost turns": 0,
  "duplicated effects": 0,
  "lost effects": 0,
  "other model calls paid twice": 0,
};

describe("processes that are killed at random moments lose nothing and do nothing twice", () => {
  it("on SQLite", async () => {
    const figures = await kill("--runs", "2", "--seed", "1");
    expect(figures).toMatchObject({ ...harmless, "finished turns": 4 });
    expect(figures.killed).toBeGreaterThanOrEqual(2);
  });

  it("on Postgres", async () => {
    const schema = await sharedPostgres().createSchema();
    const figures = await kill("--runs", "2", "--seed", "2", "--db", schema.url);
    expect(figures).toMatchObject({ ...harmless, "finished turns": 4 });
    expect(figures.killed).toBeGreaterThanOrEqual(2);
    await schema.remove();
  });

  it("while people decide about the calls", async () => {
    const figures = await kill("--runs", "2", "--seed", "4", "--approve");
    expect(figures).toMatchObject({ ...harmless, "refused effects that happened": 0, "finished turns": 4 });
  });

  it("when another process stands by to go on", async () => {
    const figures = await kill("--runs", "2", "--seed", "3", "--processes", "2", "--parallel", "1");
    expect(figures).toMatchObject({ ...harmless, "finished turns": 4 });
  });
});
