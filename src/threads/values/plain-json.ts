/**
 * The greatest depth of data that is written here. Deeper data may be a circle, which LangGraph's serializer can
 * handle.
 */
const DEEPEST = 40;

/**
 * Writes plain data, and messages that hold only plain data, as JSON. The text is exactly that of LangGraph's
 * serializer, in a fraction of the time. That serializer walks through every value twice and checks the type of each
 * part.
 *
 * @returns The JSON; undefined for a value with anything else in it, such as `undefined`, a set or an error.
 */
export function plainJson(value: unknown): string | undefined {
  const data = isMessageLike(value) ? value.toJSON() : value;
  return isPlain(data, 0) ? JSON.stringify(data) : undefined;
}

/** Tells whether a value is one of LangChain's own objects. Their `toJSON` says what to write. */
function isMessageLike(value: unknown): value is { toJSON: () => unknown } {
  return (
    typeof value === "object" &&
    value !== null &&
    "lc_serializable" in value &&
    "toJSON" in value &&
    typeof value.toJSON === "function"
  );
}

function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null)
    return true;
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
  return (prototype === Object.prototype || prototype === null) && !("toJSON" in value);
}
