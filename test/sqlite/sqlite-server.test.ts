import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { SqliteServer } from "../../src/sqlite/sqlite-server.js";

test("a repeated statement is not prepared again, and statements used longest ago are forgotten", () => {
  const prepared: string[] = [];
  class CountingDatabase extends DatabaseSync {
    override prepare(sql: string) {
      prepared.push(sql);
      return super.prepare(sql);
    }
  }
  const server = new SqliteServer({ place: ":memory:", busyMs: 0 }, undefined, { DatabaseSync: CountingDatabase });
  server.open();
  const ask = (number: number) => server.read([{ sql: `select ${number} as n`, parameters: [] }]);
  for (let number = 0; number < 500; number += 1) ask(number);
  for (let number = 0; number < 500; number += 1) ask(number);
  expect(prepared).toHaveLength(500);
  ask(500);
  expect(ask(0)).toEqual([{ columns: ["n"], rows: [[0]] }]);
  expect(prepared).toHaveLength(502);
  server.close();
});
