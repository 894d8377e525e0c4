import { expect, test } from "vitest";
import { benchFigures } from "../helpers/bench-figures.js";
import { sharedPostgres } from "../helpers/postgres.js";

test("servers and workers that are killed at random moments lose nothing and do nothing twice", async () => {
  const schema = await sharedPostgres().createSchema();
  const processes = ["--servers", "2", "--workers", "2", "--kills", "2"];
  const figures = await benchFigures("server-kill", ...processes, "--parallel", "2", "--seed", "7", "--db", schema.url);
  expect(figures).toMatchObject({
    "a process was killed": 2,
    "model calls paid twice otherwise": 0,
    "writes of processes that had lost a run": 0,
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
  await schema.remove();
});
