import type { Cut } from "../wire.js";

/** A value of an answer, and the places in it that were cut. */
export interface CutValue {
  readonly value: unknown;
  readonly cut: readonly Cut[];
}

/** The answer to the link of a place that was cut. */
export interface Part {
  readonly part: unknown;
  readonly cut?: readonly Cut[];
}

/** A place in an answer: the path from which the answer came, and what was cut there. */
export interface Place {
  readonly from: string;
  readonly cut: readonly Cut[];
}

/** A place below another one. The paths of its cuts begin there. */
export function placeBelow({ from, cut }: Place, ...path: Cut["path"]): Place {
  const isBelow = (one: Cut) => path.every((key, n) => one.path[n] === key);
  return { from, cut: cut.filter(isBelow).map((one) => ({ ...one, path: one.path.slice(path.length) })) };
}

/** Puts the part that came for a cut into its place. */
export function withPart(whole: CutValue, at: Cut, { part, cut = [] }: Part): CutValue {
  const others = whole.cut.filter((one) => one !== at);
  const below = cut.map((one) => ({ ...one, path: [...at.path, ...one.path] }));
  return { value: changedAt(whole.value, at.path, (start) => joined(start, part)), cut: [...others, ...below] };
}

function changedAt(value: unknown, [key, ...rest]: Cut["path"], change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (Array.isArray(value)) return value.map((item, n) => (n === key ? changedAt(item, rest, change) : item));
  const fields = Object.entries(Object(value));
  return Object.fromEntries(fields.map(([name, one]) => [name, name === key ? changedAt(one, rest, change) : one]));
}

function joined(start: unknown, rest: unknown): unknown {
  if (typeof start === "string" && typeof rest === "string") return start + rest;
  if (Array.isArray(start) && Array.isArray(rest)) return [...start, ...rest];
  return { ...Object(start), ...Object(rest) };
}

/** The path of the link of a cut, which is relative to the path of its answer. */
export function pathOfRest(answer: string, link: string): string {
  return answer.replace(/\?.*$/s, "") + link;
}
