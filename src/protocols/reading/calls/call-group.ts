import type { WrittenCall } from "./json-call.js";

/** A call in a text, with its place. */
export interface PlacedCall {
  readonly call: WrittenCall;
  readonly start: number;
  readonly end: number;
}

/** Calls that follow one another in a text. `whole` is false if their closing sign is missing. */
export interface CallGroup {
  readonly calls: readonly PlacedCall[];
  readonly start: number;
  readonly end: number;
  readonly whole: boolean;
}

/** Makes a group of calls in their order. */
export function groupOf(calls: readonly PlacedCall[]): CallGroup | undefined {
  const [first, last] = [calls[0], calls.at(-1)];
  return first && last && { calls, start: first.start, end: last.end, whole: true };
}

/** Makes one group of two that follow each other. */
export function joined(one: CallGroup, other: CallGroup): CallGroup {
  return { calls: [...one.calls, ...other.calls], start: one.start, end: other.end, whole: other.whole };
}
