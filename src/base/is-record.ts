/** Tells whether a value is an object with keys, such as a JSON object. A list is not. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
