import { isRecord } from "../../base/is-record.js";

/** Writes a value as JSON, in the form that LangGraph's clients read: messages are objects with a `type` and their fields. */
export function wireJson(value: unknown): string {
  // The replacer is called with the object around a value, which has the value from before `toJSON`.
  return (
    JSON.stringify(value, function (this: unknown, key: string, json: unknown) {
      const raw: unknown = isRecord(this) || Array.isArray(this) ? Reflect.get(this, key) : json;
      return isRecord(raw) && typeof raw.toDict === "function" ? flatDict(raw.toDict()) : json;
    }) ?? "null"
  );
}

/** Returns LangChain's dictionary of a message with its fields beside its type. */
function flatDict(dict: unknown): unknown {
  if (!isRecord(dict) || !isRecord(dict.data)) return dict;
  return { ...dict.data, type: dict.type };
}
