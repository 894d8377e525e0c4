import { shorten } from "./shorten.js";
/** Describes a wrong value in a few words. A short value is shown as it is; of any other value its type is named. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(shorten(value, 60));
    case "function":
      return `the ${isClass(value) ? "class" : "function"} ${value.name}`.trimEnd();
    case "object":
      return describeObject(value);
    case "symbol":
      return "a symbol";
    default:
      return String(value);
  }
}

/** Guesses the mistake behind a wrong value. Returns a sentence with a space before it; empty if there is no guess. */
export function slipOf(value: unknown): string {
  if (value instanceof Promise) return " Await it first.";
  if (typeof value !== "function") return "";
  return isClass(value) ? ` Was new ${value.name}(…) meant?` : ` Was ${value.name}(…) meant?`;
}

function describeObject(value: object | null): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (value instanceof Promise) return "a promise";
  const { name = "" } = Object.getPrototypeOf(value)?.constructor ?? {};
  if (name !== "Object" && name !== "") return `an object of the class ${name}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return "an empty object";
  return `an object with ${keys.slice(0, 5).join(", ")}${keys.length > 5 ? ", …" : ""}`;
}

/** Tells whether a value is a class. A class that should have been made an object is a common slip. */
export function isClass(value: object): boolean {
  return Function.prototype.toString.call(value).startsWith("class");
}
