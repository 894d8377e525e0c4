import { isRecord } from "../../../base/is-record.js";
import type { ToolNames } from "../tool-names.js";
import { bracketed } from "./action-line.js";
import type { WrittenCall } from "./json-call.js";
import { JsonReader } from "./json-reader.js";

const opening = /^\s{0,9}\[\s{0,9}([\p{L}_][\p{L}\p{N}_.-]{0,80})(?=\()/u;
/** The longest arguments that are read. */
const mostRead = 4000;

/** Reads a list of calls in Python that is the whole text: `[search(query="cats", n=3)]`. The first call is taken. */
export function findPythonCall(text: string, tools: ToolNames) {
  const [whole, name = ""] = opening.exec(text) ?? [];
  const tool = whole === undefined ? undefined : tools.match(name);
  if (whole === undefined || tool === undefined) return undefined;
  const json = new JsonReader(text);
  const list = json.endOf(text.indexOf("["));
  const { inside, end, closed } = bracketed(text, whole.length, json);
  if (!closed || !("end" in list) || text.slice(list.end).trim() !== "" || !/^\s*[,\]]/.test(text.slice(end)))
    return undefined;
  const input = namedArguments(inside);
  const call: WrittenCall | undefined = input && { kind: "call", tool, offered: true, input };
  return call && { call, start: 0, end, whole: true };
}

const quotedOrName = /("(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')|\b([A-Za-z_]\w{0,80})\s{0,9}=(?!=)/g;

/** The rest of arguments without texts and names. A variable or a call in it has no value that can be read. */
const plainRest = /^(?:[\s\d.,:+\-eE[\]{}]|True|False|None|true|false|null)*$/;

/** Reads arguments that all have a name: `query="cats", n=3`. */
function namedArguments(written: string): Record<string, unknown> | undefined {
  if (written.length > mostRead || !/^(?:$|[A-Za-z_]\w{0,80}\s{0,9}=)/.test(written)) return undefined;
  if (!plainRest.test(written.replaceAll(quotedOrName, ""))) return undefined;
  const fields = written.replaceAll(quotedOrName, (_, quoted?: string, name?: string) => quoted ?? `"${name}":`);
  const value = new JsonReader("").read(`{${fields}}`);
  return isRecord(value) ? value : undefined;
}
