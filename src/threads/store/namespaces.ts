import type { MatchCondition } from "@langchain/langgraph-checkpoint";
import { z } from "zod";

const labelsSchema = z.array(z.string());

/**
 * Writes a namespace as text: each label as JSON, with a comma behind it. The text of a namespace begins with that of each
 * namespace that it lies in, and of no other. JSON also keeps characters that a database refuses.
 */
export function pathOf(namespace: readonly string[]): string {
  return namespace.map((label) => `${JSON.stringify(label)},`).join("");
}

/** Reads what {@link pathOf} wrote. */
export function labelsOf(path: string): string[] {
  return labelsSchema.parse(JSON.parse(`[${path.slice(0, -1)}]`));
}

/** Tells whether a namespace begins or ends as a condition says. A `*` there stands for any label. */
export function isUnder(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  const start = matchType === "prefix" ? 0 : namespace.length - path.length;
  return (
    path.length <= namespace.length && path.every((label, index) => label === "*" || label === namespace[start + index])
  );
}
