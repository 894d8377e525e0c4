/** Data deeper than this is left to LangGraph's serializer, which also knows what goes round in a circle. */
const DEEPEST = 40;

/**
 * The JSON of plain data, and of messages that hold nothing else: the very text that LangGraph's serializer writes, in a
 * fraction of its time. That one walks through every value twice, and asks about each part of it what it is.
 *
 * @returns Undefined for a value with anything else in it, such as `undefined`, a set or an error.
 */
export function plainJson(value: unknown): string | undefined {
  const data = isMessageLike(value) ? value.toJSON() : value;
  return isPlain(data, 0) ? JSON.stringify(data) : undefined;
}

/** LangChain's own objects say what is to be written of them. */
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
  // The iterator of an array also sees its holes.
  for (const part of Array.isArray(value) ? value : Object.values(value)) if (!isPlain(part, depth + 1)) return false;
  return true;
}

/** Whether an object is one of data, which is written property by property. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !("toJSON" in value);
}
