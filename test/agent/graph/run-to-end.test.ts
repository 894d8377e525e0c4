import { describe, expect, it } from "vitest";
import { runToEnd } from "../../../src/agent/graph/run-to-end.js";

async function* numbers(failure?: Error): AsyncGenerator<number> {
  yield 1;
  yield 2;
  if (failure) throw failure;
}

const never = new AbortController().signal;
const failToEnd = () => Promise.reject(new Error("not stored"));

/** What a reader sees: the values, and the message of the error after them. */
async function readAll(source: AsyncGenerator<number>): Promise<unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const value of source) seen.push(value);
  } catch (error) {
    seen.push(error instanceof Error ? error.message : error);
  }
  return seen;
}

describe("a generator that is run to its end", () => {
  it("fails, after all of its values, when what is done at its end fails", async () => {
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
