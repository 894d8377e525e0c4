import { expect, test } from "vitest";
import { type ShownStats, statsLines } from "../../../src/cli/screen/stats-lines.js";
import { costOf } from "../../../src/model/prices.js";

const calls = { modelCalls: 2, inputTokens: 1_000_000, outputTokens: 500 };
const usage = { ...calls, toolCalls: 3, models: { "gpt-4o-mini": calls } };
const stats: ShownStats = { threads: 1_200, turns: 3_400, checkpoints: 5, bytes: 999, usage, cost: costOf(usage) };

/** The text of a line. */
function line(name: string, shown: Partial<ShownStats>): string | undefined {
  return new RegExp(`^${name} +(.*)$`, "m").exec(statsLines({ ...stats, ...shown }))?.[1];
}

test("numbers have separators between thousands", () => {
  expect(line("Threads", {})).toBe("1,200");
  expect(line("Turns", {})).toBe("3,400");
  expect(line("Model calls", {})).toBe("2 (gpt-4o-mini 2 calls, 1,000,500 tokens)");
  expect(line("Tokens", {})).toBe("1,000,000 in, 500 out");
  expect(line("Begun", {})).toBeUndefined();
  expect(line("Begun", { createdAt: "2026-11-22T12:00:00.000Z" })).toMatch(/^2026-11-2\d \d\d:\d\d$/);
});

test.for([
  [999, "999 bytes"],
  [1_000, "1.0 kB"],
  [1_250_000, "1.3 MB"],
  [3e13, "30000.0 GB"],
] as const)("%i bytes are %s", ([bytes, text]) => {
  expect(line("Size", { bytes })).toBe(text);
});

test("a cost names the models without a price, and says when it is an estimate", () => {
  expect(line("Cost", {})).toBe("$0.15");
  const other = { ...usage, models: { ...usage.models, mine: calls } };
  expect(line("Cost", { cost: costOf(other) })).toBe("$0.15, without mine (no list price)");
  expect(line("Cost", { cost: costOf({ ...usage, estimatedTokens: 1 }) })).toBe("about $0.15");
});

test("one thread is shown with its tools, the ends of its turns and its time", () => {
  const details = { toolCalls: { calculator: 2, search: 1 }, stopReasons: { answered: 1 }, workedMs: 12_345 };
  expect(line("Threads", { details })).toBeUndefined();
  expect(line("Tool calls", { details })).toBe("3 (calculator 2; search 1)");
  expect(line("Turns", { details })).toBe("3,400 (answered 1)");
  expect(line("Time", { details })).toBe("12.3 s");
});
