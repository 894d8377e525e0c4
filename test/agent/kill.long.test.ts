import { expect, it, onTestFinished } from "vitest";
import { benchFigures } from "../helpers/bench-figures.js";
import { postgres } from "../matrix/databases.js";

const harmless = {
  "lost turns": 0,
  "duplicated effects": 0,
  "lost effects": 0,
  "other model calls paid twice": 0,
  "finished turns": 4,
};

async function onPostgres(): Promise<string> {
  const { url, remove } = await postgres.create();
  onTestFinished(remove);
  return url;
}

it.each<[string, () => Promise<readonly string[]>, object]>([
  ["on SQLite", async () => ["--seed", "1"], {}],
  ["on Postgres", async () => ["--seed", "2", "--db", await onPostgres()], {}],
  [
    "while people decide about the calls",
    async () => ["--seed", "4", "--approve"],
    { "refused effects that happened": 0 },
  ],
  ["when another process stands by to go on", async () => ["--seed", "3", "--processes", "2", "--parallel", "1"], {}],
])("processes that are killed at random moments lose nothing and do nothing twice %s", async (_, options, more) => {
  const figures = await benchFigures("kill", "--runs", "2", ...(await options()));
  expect(figures).toMatchObject({ ...harmless, ...more });
  expect(figures.killed).toBeGreaterThan(0);
});
