import { hash } from "node:crypto";
import { isRecord } from "../base/is-record.js";

/** Returns the digest of a call. It does not depend on the order of fields. */
export function digestOfCall(tool: string, input: Readonly<Record<string, unknown>>): string {
  return hash("sha256", JSON.stringify([tool, input], sortFields)).slice(0, 16);
}

function sortFields(_key: string, value: unknown): unknown {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}
