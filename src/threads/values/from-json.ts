import { isRecord } from "../../base/is-record.js";
import { escapedData, holdsInnerMark, holdsMark, isMark, type Mark } from "./marks.js";
import { revive, type Texts } from "./revivable.js";

/** Reads a value that `toJson` wrote. Each call makes a new value. */
export function fromJson(json: string, texts?: Texts): unknown {
  const data: unknown = JSON.parse(json);
  if (!holdsMark(json)) return data;
  // Most marks are messages that hold only plain data.
  return isRecord(data) && isMark(data) && !holdsInnerMark(json) ? toValue(data, texts) : reviveAll(data, texts);
}

/** Reads an object that `toJson` wrote: plain data, whatever its keys are. */
export function objectFromJson(json: string, texts?: Texts): Record<string, unknown> | undefined {
  const data: unknown = JSON.parse(json);
  if (!isRecord(data)) return undefined;
  const object = escapedData(data) ?? data;
  if (holdsMark(json)) reviveAll(object, texts, object);
  return object;
}

type Holder = Record<string, unknown> | unknown[];

/**
 * Turns the marks in parsed JSON into their values, the innermost first, without recursion, so that deep data does not
 * overflow the stack.
 *
 * @param plain An object that is no mark, whatever its keys are.
 */
function reviveAll(data: unknown, texts: Texts | undefined, plain?: object): unknown {
  const root = [data];
  const literal = new Set<unknown>([plain]);
  for (const holder of holdersIn(root, literal).reverse()) {
    for (const [key, value] of Object.entries(holder)) {
      if (isRecord(value) && isMark(value) && !literal.has(value)) Reflect.set(holder, key, toValue(value, texts));
    }
  }
  return root[0];
}

/** Returns the objects and lists in parsed JSON, each before its parts. Adds those to `literal` that are no marks. */
function holdersIn(root: Holder, literal: Set<unknown>): Holder[] {
  const holders = [root];
  for (const holder of holders) {
    if (!literal.has(holder)) literal.add(escapedData(holder));
    for (const value of Object.values(holder)) if (isHolder(value)) holders.push(value);
  }
  return holders;
}

function isHolder(value: unknown): value is Holder {
  return typeof value === "object" && value !== null;
}

function toValue(mark: Mark, texts: Texts | undefined): unknown {
  return escapedData(mark) ?? revive(mark, texts);
}
