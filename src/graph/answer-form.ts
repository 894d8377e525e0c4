import { isRecord } from "../base/is-record.js";

/** Returns the ids of the actions that an answer names; undefined if it names none. */
export function idsIn(answer: unknown): string[] | undefined {
  const ids = isRecord(answer) && decisionsInOrder(answer) === undefined ? Object.keys(answer) : [];
  return ids.length === 0 ? undefined : ids;
}

/** Returns the decisions of an answer that does not name the actions. */
export function decisionsInOrder(answer: unknown): readonly unknown[] | undefined {
  if (Array.isArray(answer)) return answer;
  if (!isRecord(answer)) return undefined;
  if (Array.isArray(answer.decisions)) return answer.decisions;
  return typeof answer.type === "string" ? [answer] : undefined;
}
