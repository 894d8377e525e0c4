import { expect } from "vitest";
import type { Scenario } from "./langchain-scenarios.js";

/** Expects of the state and the prompts of a thread what a scenario says. */
export function expectHeld(
  { shows = {}, hides, gone, state, says = /^Done\.$/ }: Scenario,
  values: Readonly<Record<string, unknown>>,
  prompts: readonly string[],
): void {
  expect(values.answer).toMatch(says);
  expect(values).toMatchObject({ ...state });
  for (const [n, shown] of Object.entries(shows)) expect(prompts[Number(n)]).toMatch(shown);
  if (hides) expect(prompts.join("\n")).not.toContain(hides);
  if (gone) expect(JSON.stringify(values)).not.toContain(gone);
}
