import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { attempted } from "../../base/attempted.js";
import { messageNames, readDocument, readMessage } from "../../langgraph/message-form.js";
import { type Mark, textNameIn } from "./marks.js";

/** The long texts of a value by their names. */
export type Texts = ReadonlyMap<string, string>;

type Revive = (mark: Mark) => unknown;

/**
 * The closed list of classes that a mark can become. LangChain's classes are keyed by the parts of their names, those of
 * JavaScript by their names. `docs/threads.md` shows the list to people. No class is ever looked up by a name in data.
 */
export const revivable: ReadonlyMap<string, Revive> = new Map<string, Revive>([
  ...messageNames.map((name): [string, Revive] => [
    `langchain_core.messages.${name}`,
    ({ kwargs }) => readMessage(name, kwargs),
  ]),
  ["langchain_core.documents.Document", ({ kwargs }) => readDocument(kwargs)],
  ["Set", ({ args }) => listIn(args, (list) => new Set(list))],
  ["Map", ({ args }) => listIn(args, (list) => (list.every(isPair) ? new Map(list) : undefined))],
  ["Uint8Array", ({ args }) => listIn(args, (list) => (list.every(isByte) ? new Uint8Array(list) : undefined))],
  ["Error", ({ args }) => textsIn(args, ([message]) => new Error(message))],
  ["RegExp", ({ args }) => textsIn(args, ([source = "", flags]) => attempted(() => new RegExp(source, flags)))],
]);

/** Returns the value that a mark stands for. A mark of any other form stays the plain data that it is. */
export function revive(mark: Mark, texts?: Texts): unknown {
  const text = textNameIn(mark);
  if (text !== undefined) return texts?.get(text) ?? mark;
  const { lc, type, id } = mark;
  if (lc === 2 && type === "undefined") return undefined;
  if (lc === 2 && type === "delta_snapshot" && Object.hasOwn(mark, "value")) return new DeltaSnapshot(mark.value);
  if (type !== "constructor" || !isListOfTexts(id) || lc !== (id.length > 1 ? 1 : 2)) return mark;
  return revivable.get(id.join("."))?.(mark) ?? mark;
}

function listIn<T>(args: unknown, make: (list: readonly unknown[]) => T): T | undefined {
  const list: unknown = Array.isArray(args) && args.length === 1 ? args[0] : undefined;
  return Array.isArray(list) ? make(list) : undefined;
}

function textsIn<T>(args: unknown, make: (texts: readonly string[]) => T): T | undefined {
  return isListOfTexts(args) ? make(args) : undefined;
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((part) => typeof part === "string");
}

function isPair(value: unknown): value is [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}

function isByte(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;
}
