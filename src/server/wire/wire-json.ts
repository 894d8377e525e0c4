import { isRecord } from "../../base/is-record.js";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";

/**
 * Writes a value as JSON, in the form that LangGraph's clients read: messages are objects with a `type` and their fields. The error
 * of a task, which may have come from anywhere, is told without secrets.
 */
export function wireJson(value: unknown): string {
  // The replacer is called with the object around a value, which has the value from before `toJSON`.
  return (
    JSON.stringify(value, function (this: unknown, key: string, json: unknown) {
      const raw: unknown = isRecord(this) || Array.isArray(this) ? Reflect.get(this, key) : json;
      if (isRecord(raw) && typeof raw.toDict === "function") return flatDict(raw.toDict());
      return key === "error" && isRecord(this) && "interrupts" in this ? withoutSecretsOf(json) : json;
    }) ?? "null"
  );
}

function withoutSecretsOf(error: unknown): unknown {
  return isRecord(error) && typeof error.message === "string"
    ? { ...error, message: withoutSecretForms(error.message) }
    : error;
}

/** Returns LangChain's dictionary of a message with its fields beside its type. */
function flatDict(dict: unknown): unknown {
  if (!isRecord(dict) || !isRecord(dict.data)) return dict;
  return { ...dict.data, type: dict.type };
}
