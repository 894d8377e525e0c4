import { expect, it } from "vitest";
import { costOf, type ModelUsage, type UsageCounts } from "../../src/index.js";

const million = 1_000_000;

function spent(models: Record<string, Partial<ModelUsage>>, estimatedTokens?: number): UsageCounts {
  const none = { modelCalls: 1, inputTokens: 0, outputTokens: 0 };
  const whole = Object.entries(models).map(([name, usage]) => [name, { ...none, ...usage }] as const);
  return { ...none, estimatedTokens, toolCalls: 0, models: Object.fromEntries(whole) };
}

it.each<[Partial<ModelUsage>, number]>([
  [{ inputTokens: million, outputTokens: million }, 3],
  [{ inputTokens: million, cacheReadTokens: million / 2 }, 0.75],
  [{ inputTokens: million, cacheWriteTokens: million / 2 }, 1.5],
  [{ inputTokens: million, audioInputTokens: million }, 10],
  [{ outputTokens: million, audioOutputTokens: million }, 20],
  [{ outputTokens: million, reasoningTokens: million }, 2],
])("%j costs %d dollars", (usage, dollars) => {
  const price = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 2, audioInput: 10, audioOutput: 20 };
  expect(costOf(spent({ m: usage }), { m: price })).toEqual({ dollars, unpriced: [], isEstimate: false });
});

it("cached and other tokens without a price of their own have the general price", () => {
  const usage = { inputTokens: million, cacheReadTokens: million / 2, audioInputTokens: million / 4, outputTokens: 0 };
  expect(costOf(spent({ m: usage }), { m: { input: 1, output: 2 } }).dollars).toBe(1);
});

it("models without a price are named, and the cost of the others is still added up", () => {
  const usage = spent({ "gpt-4o-mini": { inputTokens: million }, llama: { inputTokens: million } }, 7);
  expect(costOf(usage)).toEqual({ dollars: 0.15, unpriced: ["llama"], isEstimate: true });
});

it.each(["gpt-4o-2024-08-06", "openai/gpt-4o", "gpt-4o#2", "gpt-4o-latest"])("%s has the price of gpt-4o", (name) => {
  expect(costOf(spent({ [name]: { inputTokens: million } })).dollars).toBe(2.5);
});

it.each([
  ["claude-sonnet-4-5", "anthropic", 3],
  ["gemini-2.5-pro", "google-genai", 1.25],
  ["mistral-small-latest", "mistralai", 0.1],
  ["llama-3.3-70b-versatile", "groq", 0.59],
  ["openai/gpt-oss-120b", "groq", 0.15],
])("%s of %s has a list price", (name, _, dollars) => {
  const calls = { modelCalls: 10, inputTokens: million };
  expect(costOf(spent({ [name]: calls })).dollars).toBeCloseTo(dollars);
});

it("a price that depends on the length of a prompt is that of the mean prompt", () => {
  const cost = (modelCalls: number) => costOf(spent({ "claude-sonnet-4-5": { modelCalls, inputTokens: million } }));
  expect([cost(1).dollars, cost(4).dollars, cost(10).dollars]).toEqual([6, 6, 3]);
});

it.each(["deepseek-r1:8b", "gpt-oss:20b", "my-model", "glassloop-scripted", ""])("%j has no list price", (name) => {
  expect(costOf(spent({ [name]: { inputTokens: million } }))).toMatchObject({ dollars: 0, unpriced: [name] });
});

it("a price of the caller overrides the list", () => {
  expect(costOf(spent({ "gpt-4o": { inputTokens: million } }), { "gpt-4o": { input: 1, output: 1 } }).dollars).toBe(1);
});

it("an invalid price is refused", () => {
  const why = "prices.m.input: -1 is not possible; give a number of dollars of at least 0.";
  expect(() => costOf(spent({}), { m: { input: -1, output: 1 } })).toThrow(why);
});
