import { expect, test } from "vitest";
import { benchFigures } from "../helpers/bench-figures.js";
import { postgres, sqlite } from "../matrix/databases.js";

/** What is counted on Postgres alone. */
const counted = { "model calls paid twice otherwise": 0, "writes of processes that had lost a run": 0 };

test.each([
  [sqlite, ["--servers", "1", "--workers", "1"], {}],
  [postgres, ["--servers", "2", "--workers", "2"], counted],
] as const)(
  "servers and workers on $name that are killed at random moments lose nothing and do nothing twice",
  async (kind, processes, more) => {
    const { url, remove } = await kind.create();
    const work = ["--kills", "2", "--parallel", "2", "--seed", "7", "--db", url];
    const figures = await benchFigures("server-kill", ...processes, ...work);
    expect(figures).toMatchObject({
      "a process was killed": 2,
      ...more,
      "lost turns": 0,
      "duplicated effects": 0,
      "lost effects": 0,
      "refused effects that happened": 0,
      "readers whose events are not 0, 1 …": 0,
      "events that differ between readers": 0,
      "threads busy at the end": 0,
      "runs without an end": 0,
    });
    expect(figures["finished turns"]).toBeGreaterThan(0);
    await remove();
  },
);
