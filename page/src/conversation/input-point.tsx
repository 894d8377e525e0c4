import { Fragment } from "react";
import type { Call } from "../turn/turn.js";
import { oneLine } from "./one-line.js";

const MOST = 120;

/** The point of an input on one line: its values with their names, or the value alone if there is one. */
export function InputPoint({ input }: { readonly input: Call["input"] }) {
  const parts = pointOf(input);
  return parts.map(({ name, value }, index) => (
    <Fragment key={name}>
      {index > 0 && " "}
      {parts.length > 1 && <span className="name">{name} </span>}
      <bdi>{value}</bdi>
    </Fragment>
  ));
}

/** The same in words. */
export function pointWords(input: Call["input"]): string {
  const parts = pointOf(input);
  return parts.map(({ name, value }) => (parts.length > 1 ? `${name} ${value}` : value)).join(" ");
}

function pointOf(input: Call["input"]): { readonly name: string; readonly value: string }[] {
  const read = typeof input === "string" ? (readJson(input) ?? input) : input;
  if (typeof read === "string") return [{ name: "", value: oneLine(read, MOST) }];
  return Object.entries(read).map(([name, value]) => ({ name, value: oneLine(valueWords(value), MOST) }));
}

/** A value of an input in words: a text as it is, anything else as JSON. */
export function valueWords(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}

/** Only the beginning of an input may be known: then it is no JSON. */
function readJson(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
