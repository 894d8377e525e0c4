/** The greatest depth of data that is looked at here. Deeper data may be a circle. */
const DEEPEST = 40;

/** The length from which a text inside a value is kept apart, in characters. */
export const LONG_TEXT = 8192;

/**
 * Tells whether a value consists of JSON values without long texts. Such a value may still look like a mark.
 */
export function isPlain(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return value.length < LONG_TEXT;
  if (typeof value === "number" || typeof value === "boolean" || value === null) return true;
  if (typeof value !== "object" || depth > DEEPEST) return false;
  if (!Array.isArray(value) && !isPlainObject(value)) return false;
  // The iterator of an array also sees holes.
  for (const part of Array.isArray(value) ? value : Object.values(value)) if (!isPlain(part, depth + 1)) return false;
  return true;
}

/** Tells whether a value is an object of plain data, which is written property by property. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !hasToJson(value);
}

/** Tells whether an object says itself how it is written. The data `{ "toJSON": "text" }` does not. */
export function hasToJson(value: object): value is { toJSON: () => unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}

/** Tells whether JSON says all of a value that it can write. A field without a value counts as left out. */
export function isJson(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isJson);
  if (isPlainObject(value)) return Object.values(value).every((part) => part === undefined || isJson(part));
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}
