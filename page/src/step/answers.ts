import type { Place } from "../client/parts.js";
import { Remembered } from "../client/remembered.js";
import type { Turn } from "../turn/turn.js";
import type { Difference, Prompt, StepPart } from "../wire.js";

/** What was loaded of steps: their prompts, what is kept of them, and what their checkpoints changed. */
export const prompts = new Remembered<Prompt>();
export const keptSteps = new Remembered<StepPart>();
export const differences = new Remembered<Difference>(60);

/** A step as its thread keeps it, and its place. */
export interface KeptStep {
  readonly step: StepPart["part"];
  readonly place: Place;
}

function route(thread: string, rest: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return `glassloop/threads/${encodeURIComponent(thread)}/${rest}?${new URLSearchParams(given)}`;
}

/** The path of a prompt. The checkpoint of a reply may be pruned: then the end of its turn has it. */
export function promptPath(thread: string, call: string, { steps, kept }: Turn, from?: number): string {
  const step = steps.find(({ reply }) => reply === call)?.number;
  const isPruned = step !== undefined && kept?.isWhole && kept.checkpoints.every((one) => one.step !== step);
  return route(thread, "prompt", { call, checkpoint: isPruned ? kept?.end : undefined, from });
}

/** The path of a step of a turn; undefined if it is not kept yet. */
export function keptStepPath(thread: string, { number, kept }: Turn, step: number): string | undefined {
  return kept && route(thread, `turns/${number}`, { checkpoint: kept.end, part: JSON.stringify(["steps", step - 1]) });
}

export function differencePath(thread: string, checkpoint: string, from: number): string {
  return route(thread, "difference", { checkpoint, from });
}
