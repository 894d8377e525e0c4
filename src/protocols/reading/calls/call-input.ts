import { JsonReader, type ValueCut } from "./json-reader.js";

/** A tool's input as it was meant: without the fence or the quotes around it. */
export interface InputText {
  readonly text: string;
  /** Whether it is known to be complete, even where the reply was cut right after it. */
  readonly whole: boolean;
  /** Whether it is JSON that breaks off in the middle of a value. */
  readonly cut?: boolean;
}

/** Takes an input out of what surrounds it. Quotes and fences that belong to the input itself are kept. */
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
/** The sign of Willison's dialect that the model has had its say: `Action: wikipedia: France`, `PAUSE`; or a rule. */
const pause = /\n\s{0,9}(?:PAUSE\b|[-=*_]{3,}\s{0,9}$)/;

/** An input of one line, without a remark below it that the model now waits. */
export function withoutWaiting(written: string): string {
  const text = written.trim();
  if (!text.includes("\n")) return text;
  const found = [pause.exec(text), waiting.exec(text)].find(
    (match) => match && !text.slice(0, match.index).trimEnd().includes("\n"),
  );
  return found ? text.slice(0, found.index) : text;
}

/** Whether a text begins with a fence: of backticks, or of the quotes that some models write in their place. */
export function beginsFence(text: string): boolean {
  return text.startsWith("```") || /^'''\w{1,20}[ \t]*\n/.test(text.slice(0, 40));
}

/** What stands in the fence that a text begins with. */
export function fencedText(text: string): InputText {
  const line = /^(?:```[^\n`]*|'''\w*[ \t]*)(?:\n|$)/.exec(text);
  const start = line?.[0].length ?? "```".length;
  const end = text.indexOf(text.slice(0, "```".length), start);
  const inside = text.slice(start, end < 0 ? undefined : end).trim();
  return { text: inside, whole: end >= 0 };
}

/**
 * JSON with nothing after it, or with remarks on lines of their own. `[x] for x` is no JSON but the input itself. Missing
 * closing brackets are added where the last value is whole.
 */
function bracketText(text: string): InputText {
  const json = new JsonReader(text);
  const scanned = json.endOf(0);
  if (!("end" in scanned)) return unclosedText(text, scanned);
  const found = text.slice(0, scanned.end);
  const rest = text.slice(scanned.end);
  const alone = /^[\s`}\])>"'.;,*]*$/.test(rest);
  if (alone || (/^[ \t]*[\r\n]/.test(rest) && typeof json.read(found) === "object"))
    return { text: found, whole: true };
  return { text: withoutDanglingMarks(text), whole: false };
}

function unclosedText(written: string, scanned: ValueCut): InputText {
  const text = withoutDanglingMarks(written);
  if (!/^(?:\{\{?|\[\s{0,9}\{?)\s{0,99}["']/.test(text)) return { text, whole: false };
  const closable = scanned.cut === "brackets" && /["'}\]]$/.test(text);
  return closable ? { text: text + scanned.missing, whole: false } : { text, whole: false, cut: true };
}

/** Without the closing fence of the whole reply, and without the end of emphasis that began before the text. */
export function withoutDanglingMarks(text: string): string {
  const plain = text.trimEnd();
  if (plain.endsWith("```") && count(plain, "```") % 2 === 1) return withoutDanglingMarks(plain.slice(0, -3));
  if (plain.endsWith('\n"""') && count(plain, '"""') === 1) return withoutDanglingMarks(plain.slice(0, -3));
  if (plain.endsWith("**") && count(plain, "**") % 2 === 1) return plain.slice(0, -2).trimEnd();
  return plain;
}

function count(text: string, mark: string): number {
  return text.split(mark).length - 1;
}

const quotePairs = [
  ['"""', '"""'],
  ["'''", "'''"],
  ['"', '"'],
  ["'", "'"],
  ["`", "`"],
  ["“", "”"],
  ["‘", "’"],
  ["«", "»"],
  ["「", "」"],
] as const;
const openingQuote = /^["'`“‘«「]/;

function withoutQuotes(text: string): string {
  if (!openingQuote.test(text)) return text;
  for (const [open, close] of quotePairs) {
    if (text.length < open.length + close.length || !text.startsWith(open) || !text.endsWith(close)) continue;
    const inside = text.slice(open.length, -close.length);
    if (!inside.includes(open) && !inside.includes(close)) return inside.trim();
    return open === '"' ? unescaped(text, inside) : text;
  }
  if (/^"[^"]*"[.;,]$/.test(text)) return text.slice(1, -2).trim();
  return /^"[^"]*$/.test(text) ? text.slice(1).trim() : text;
}

/** `"say \"hi\""` is one quoted text; `"hybrid work" and "salary"` are two, and stay as they are. */
function unescaped(text: string, inside: string): string {
  if (inside.replaceAll(/\\[\s\S]/g, "").includes('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return inside.trim();
  }
}
