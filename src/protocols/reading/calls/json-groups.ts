import { escaped } from "../../../base/escaped.js";
import type { ToolNames } from "../tool-names.js";
import type { CallGroup } from "./call-group.js";
import { readJsonCalls } from "./json-call.js";
import { JsonReader, parseJson } from "./json-reader.js";
import { readUnescapedPiece } from "./unescaped-call.js";

/** JSON of a call that breaks off in the middle of a value. */
export interface CutJson {
  readonly cut: true;
  readonly start: number;
}

/** Calls in JSON. `isNested` says that they stand inside of other JSON. */
export interface JsonGroup extends CallGroup {
  readonly isNested: boolean;
}

/** The keys of a call in JSON, or in code. */
export const callKey =
  /["'](?:action|tool|name|function|recipient|final|answer)|\b(?:action|tool|name|function|final_answer)["']?\s{0,9}:/i;

/** The number of characters in which the keys of a piece must appear. */
const headLength = 1000;
/** The passes over a text for the calls in it, also for those inside other JSON. */
const mostPasses = 20;
/** The largest numbers of pieces to read that have no end, or are no correct JSON. All further ones may be calls. */
const mostUnclear = { open: 10, broken: 100 };

/**
 * Finds all calls in JSON. Inside correct JSON only those that begin a line count, as data may list tools.
 *
 * @param withOpen True if JSON that has no end and may name a tool counts as cut off, also if it is no call as it stands: more text
 *   may make it one.
 */
export function* jsonGroups(text: string, tools: ToolNames, withOpen = false): Generator<JsonGroup | CutJson> {
  const json = new JsonReader(text, mostPasses);
  const keys = new RegExp([callKey.source, ...tools.names.map(escaped)].join("|"), "gi");
  const left = { ...mostUnclear };
  let [key, correctUntil, until, last] = [-1, 0, 0, 0];
  for (let start = text.indexOf("{"); start >= 0; start = text.indexOf("{", start + 1)) {
    if (key < start) {
      keys.lastIndex = start;
      key = keys.exec(text)?.index ?? text.length;
    }
    const follows = last > 0 && /^[\s,;]*$/.test(text.slice(last, Math.min(start, last + 40)));
    if (key > start + headLength) continue;
    if (!(follows || mayBeginPiece(text, start))) {
      // Correct JSON within a sentence is only talk about JSON, with all that is in it.
      const close = start < correctUntil ? undefined : json.endOf(start);
      if (close !== undefined && parseJson(text.slice(start, close)) !== undefined) correctUntil = close;
      continue;
    }
    if (start < correctUntil && !beginsLine.test(text.slice(Math.max(0, start - 21), start))) continue;
    const end = json.endOf(start);
    const exact = end === undefined ? undefined : parseJson(text.slice(start, end));
    if (exact !== undefined) correctUntil = Math.max(correctUntil, end ?? 0);
    else left[end === undefined ? "open" : "broken"] -= 1;
    const isUnread = exact === undefined && Math.min(left.open, left.broken) < 0;
    const read = isUnread ? undefined : readPiece(text, start, end, tools, json);
    const mayBeCut = () => withOpen && end === undefined && tools.mayStandIn(text.slice(start, start + headLength));
    const found = read ?? (isUnread || mayBeCut() ? { cut: true as const, start } : undefined);
    if (found) yield "cut" in found ? found : { ...found, isNested: start < until };
    last = found && !("cut" in found) ? found.end : 0;
    until = Math.max(until, end ?? 0);
  }
}

const beginsLine = /\n\s{0,20}$/;

/**
 * The place before a call: the beginning of a line, a colon, a full stop, a tag, a fence or `call =`. JSON inside a sentence is
 * only talk about JSON.
 */
const beginsPiece = /(?:(?:^|\n)\s{0,20}`|^|[\n.!?:：>[\]。！？]|\w\s?=|```\w{0,12})\s{0,20}$/;

function mayBeginPiece(text: string, start: number): boolean {
  return beginsPiece.test(text.slice(Math.max(0, start - 32), start));
}

function readPiece(
  text: string,
  start: number,
  end: number | undefined,
  tools: ToolNames,
  json: JsonReader,
): CallGroup | CutJson | undefined {
  const written = end && text.slice(start, end);
  const unescaped = written && parseJson(written) !== undefined ? undefined : readUnescapedPiece(text, start);
  const value = unescaped?.call ?? (written && json.read(written));
  const place = { start, end: unescaped?.end ?? end ?? text.length };
  const calls = readJsonCalls(value, tools).map((call) => ({ call, ...place }));
  if (calls.length > 0) return { calls, ...place, whole: true };
  return end === undefined ? { cut: true, start } : undefined;
}
