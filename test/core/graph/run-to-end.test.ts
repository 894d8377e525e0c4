import { INTERRUPT } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { runToEnd } from "../../../src/core/graph/run-to-end.js";

async function* numbers(failure?: Error): AsyncGenerator<number> {
  yield 1;
  yield 2;
  if (failure) throw failure;
}

const never = new AbortController().signal;
const failToEnd = () => Promise.reject(new Error("not stored"));

/** What a reader sees: the values, and the message of the error after them. */
async function readAll(source: AsyncGenerator<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const value of source) seen.push(value);
  } catch (error) {
    seen.push(error instanceof Error ? error.message : error);
  }
  return seen;
}

describe("a generator that is run to its end", () => {
  it("returns the last value and the interrupts, if only these are requested", async () => {
    const interrupts = ["one", "two"].map((value) => ({ [INTERRUPT]: [{ value }] }));
    const all = [1, ...interrupts, 2, 3];
    async function* values(): AsyncGenerator<unknown> {
      for (const value of all) yield value;
    }
    const run = (onlyLast?: boolean) => runToEnd(Promise.resolve(values()), async () => undefined, never, onlyLast);
    expect(await readAll(run())).toEqual(all);
    expect(await readAll(run(true))).toEqual([...interrupts, 3]);
  });

  it("fails, after all of its values, when the callback at its end fails", async () => {
    expect(await readAll(runToEnd(Promise.resolve(numbers()), failToEnd, never))).toEqual([1, 2, "not stored"]);
  });

  it("fails with its own error when both fail", async () => {
    expect(await readAll(runToEnd(Promise.resolve(numbers(new Error("no model"))), failToEnd, never))).toEqual([
      1,
      2,
      "no model",
    ]);
  });
});
