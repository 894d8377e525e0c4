import { AsyncLocalStorage } from "node:async_hooks";
import { expect, test } from "vitest";
import { sqlite } from "../../matrix/databases.js";
import { engineOn, eventsOf, Gate, order, saying, steps } from "./open-engine.js";

test("a run has the asynchronous context of its engine, not that of a request", async () => {
  const request = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const gate = new Gate();
  const { engine } = await engineOn(sqlite, {
    steps: steps((step, signal) => {
      seen.push(request.getStore());
      return gate.pass(step, signal);
    }),
  });
  const asks = (name: string) => request.run(name, () => engine.enqueue(order(saying(name), { strategy: "enqueue" })));
  const first = await asks("first");
  const second = await asks("second");
  gate.open();
  for (const { id } of [first, second]) await request.run("a reader", () => eventsOf(engine, id));
  expect(seen).toEqual(Array(6).fill(undefined));
});
