import { attempted } from "../../../base/attempted.js";
import { JsonReader } from "./json-reader.js";

/** The input of a tool, without the fence or the quotes around it. */
export interface InputText {
  readonly text: string;
  /** Tells whether the input is complete, even if the reply was cut right after it. */
  readonly whole: boolean;
  /** Tells whether the input is JSON that breaks off. */
  readonly cut?: boolean;
}

/** Takes an input out of its fence or its quotes. Quotes and fences of the input itself stay. */
export function inputText(written: string): InputText {
  const text = written.trim();
  if (beginsFence(text)) return fencedText(text);
  if (text.startsWith("{") || text.startsWith("[")) return bracketText(text);
  const plain = withoutDanglingMarks(text);
  const unquoted = withoutQuotes(plain);
  return { text: unquoted, whole: unquoted !== plain && !/^"[^"]*$/.test(plain) };
}

const waiting =
  /\n[ \t]{0,9}[([*_]{0,3}(?:please wait|(?:I(?:'|’)?(?:ll| will) (?:now )?)?wait(?:ing)? for (?:the |an? )?(?:observation|result|response|tool|output)|awaiting (?:the )?(?:observation|result|response|output))[^\n]{0,100}$/i;
/** The line after an action that ends it: `PAUSE` in Willison's dialect (`Action: wikipedia: France`), or a rule. */
const pause = /\n\s{0,9}(?:PAUSE\b|[-=*_]{3,}\s{0,9}$)/;

/** Removes the remark of a model that it now waits, below an input of one line. */
export function withoutWaiting(written: string): string {
  const text = written.trim();
  const found = [pause.exec(text), waiting.exec(text)].find(
    (match) => match && !text.slice(0, match.index).trimEnd().includes("\n"),
  );
  return found ? text.slice(0, found.index) : text;
}

/** Tells whether a text begins with a fence of backticks, or of the single quotes that some models write instead. */
export function beginsFence(text: string): boolean {
  return text.startsWith("```") || /^'''\w{1,20}[ \t]*\n/.test(text.slice(0, 40));
}

/** Returns the text inside the fence at the beginning of a text. */
export function fencedText(text: string): InputText {
  const line = /^(?:```[^\n`]*|'''\w*[ \t]*)(?:\n|$)/.exec(text);
  const start = line?.[0].length ?? "```".length;
  const end = text.indexOf(text.slice(0, "```".length), start);
  const inside = text.slice(start, end < 0 ? undefined : end).trim();
  return { text: inside, whole: end >= 0 };
}

/**
 * Reads JSON with nothing after it, or with remarks. `[x] for x` is not JSON: it is the input itself. Remarks on the line of an
 * object have no brackets, as `{"a": 1} {"b": 2}` are two inputs. Brackets that are never closed are not closed by guess.
 */
function bracketText(text: string): InputText {
  const json = new JsonReader(text);
  const end = json.endOf(0);
  if (end === undefined) {
    const isJson = /^(?:\{\{?|\[\s{0,9}\{?)\s{0,99}["']/.test(text);
    return { text: withoutDanglingMarks(text), whole: false, ...(isJson && { cut: true }) };
  }
  const found = text.slice(0, end);
  const rest = text.slice(end);
  const alone = /^[\s`}\])>"'.;,*]*$/.test(rest);
  const remark = text.startsWith("{") ? /^(?!\.\w)[^\n{[]*(?:\n|$)/ : /^[ \t]*[\r\n]/;
  if (alone || (remark.test(rest) && typeof json.read(found) === "object")) return { text: found, whole: true };
  return { text: withoutDanglingMarks(text), whole: false };
}

const danglingMark = /(?:```|(?<=\n)"""|\*\*)$/;

/** Removes the closing fence of the whole reply, and the end of emphasis that began before the text. */
export function withoutDanglingMarks(text: string): string {
  const plain = text.trimEnd();
  const [mark] = danglingMark.exec(plain) ?? [];
  const dangles = mark !== undefined && plain.split(mark).length % 2 === 0;
  return dangles ? withoutDanglingMarks(plain.slice(0, -mark.length)) : plain;
}

const closingQuotes: Readonly<Record<string, string>> = { "“": "”", "‘": "’", "«": "»", "「": "」" };

function withoutQuotes(text: string): string {
  const [open] = /^(?:"""|'''|["'`“‘«「])/.exec(text) ?? [];
  if (open === undefined) return text;
  const close = closingQuotes[open] ?? open;
  const inside = text.slice(open.length, -close.length);
  if (text.length >= open.length + close.length && text.endsWith(close)) {
    if (!inside.includes(open) && !inside.includes(close)) return inside.trim();
    return open === '"' ? (attempted(() => String(JSON.parse(text))) ?? text) : text;
  }
  const [, words] = /^"([^"]*)(?:"[.;,])?$/.exec(text) ?? [];
  return words?.trim() ?? text;
}
