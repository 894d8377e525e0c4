import { isRecord } from "../../../base/is-record.js";
import type { ToolInput } from "../../../core/state/decision.js";
import { anyOpening, arounds, type Field, type Head, heads, openingSigns, tagField } from "../../forms/form-signs.js";
import { canOmitInput } from "../../input-forms.js";
import type { ToolNames } from "../tool-names.js";
import { readArguments, schemasOf, typedText } from "./arguments.js";
import type { CallGroup, PlacedCall } from "./call-group.js";
import { readCodeCalls } from "./code-calls.js";
import { readJsonCalls, type WrittenCall } from "./json-call.js";
import type { CutJson } from "./json-groups.js";
import type { JsonReader } from "./json-reader.js";

/** The largest number of openings to look at. A reply with more of them is broken. */
const mostOpenings = 300;
const mostCalls = 100;

/** Reads the calls in a text by the table of forms. */
export class FormReader {
  readonly #places = new Map<string, number>();

  constructor(
    private readonly text: string,
    private readonly tools: ToolNames,
    private readonly json: JsonReader,
  ) {}

  /** Yields the calls in the text, in their order, and the signs around calls that cannot be read. */
  *groups(): Generator<CallGroup | CutJson> {
    let place = 0;
    for (let looks = 0; looks < mostOpenings; ) {
      anyOpening.lastIndex = place;
      const match = anyOpening.exec(this.text);
      if (!match) return;
      place = anyOpening.lastIndex;
      if (isInSentence(match, this.text) || (match[0] === "<" && !this.#namesTool(match.index))) continue;
      const found = this.#readAt(match.index);
      if (found) {
        place = found.end;
        yield found;
      } else if (this.#isMeant(match.index, match[0])) yield { cut: true, start: match.index };
      if (found || match[0] !== "<") looks += 1;
    }
  }

  /** Tells whether a tag has the name of a tool. */
  #namesTool(place: number): boolean {
    tagName.lastIndex = place;
    return this.tools.match(tagName.exec(this.text)?.[1] ?? "") !== undefined;
  }

  /**
   * Reads the call, or the calls in the signs around them, at a place.
   *
   * @param depth The number of signs around the place. No family has more than two around each other.
   */
  #readAt(place: number, depth = 0): CallGroup | undefined {
    const call = this.#call(place, ownHeads);
    if (call) return { ...call, calls: [call] };
    for (const { opening, closings } of arounds) {
      opening.lastIndex = place;
      if (opening.test(this.text))
        return depth < 2 ? this.#around(place, opening.lastIndex, closings, depth) : undefined;
    }
    return undefined;
  }

  /** Tells whether a sign without a readable call is no mere mention: it is closed, or names a tool, or nothing follows it. */
  #isMeant(place: number, sign: string): boolean {
    if (!openingSigns.includes(sign)) return false;
    if (ownHeads.some(({ opening, form }) => !form.weak && matchesAt(opening, this.text, place))) return true;
    const rest = this.text.slice(place + sign.length, place + 300);
    const closings = arounds.find((around) => around.sign === sign)?.closings ?? [];
    return (
      rest.trim() === "" || closings.some((closing) => rest.includes(closing)) || this.tools.mentioned(rest).length > 0
    );
  }

  #isAt(sign: string, place: number): boolean {
    return this.text.startsWith(sign, place);
  }

  /** Returns the place of a sign. All searches for a sign together pass over the text once. */
  #find(sign: string, from: number): number | undefined {
    const known = this.#places.get(sign);
    const place = known !== undefined && (known < 0 || known >= from) ? known : this.text.indexOf(sign, from);
    this.#places.set(sign, place);
    return place < 0 ? undefined : place;
  }

  #around(start: number, from: number, closings: readonly string[], depth: number): CallGroup | undefined {
    const calls: PlacedCall[] = [];
    let [place, whole] = [from, true];
    for (;;) {
      place = this.#skip(place);
      const closing = closings.find((sign) => this.#isAt(sign, place));
      if (closing !== undefined) place += closing.length;
      if (closing !== undefined || calls.length >= mostCalls) {
        return calls.length > 0 ? { calls, start, end: place, whole: true } : undefined;
      }
      const found = this.#inside(place, closings, depth + 1);
      if (!found) break;
      calls.push(...found.calls);
      place = found.end;
      whole = found.whole;
    }
    const last = calls.at(-1);
    return last && { calls, start, end: last.end, whole };
  }

  /** Skips white space, the signs between calls and the opening of a fence. */
  #skip(place: number): number {
    between.lastIndex = place;
    return between.test(this.text) ? between.lastIndex : place;
  }

  /** Reads the next calls between the signs around calls, in whatever form they are. */
  #inside(place: number, closings: readonly string[], depth: number): CallGroup | undefined {
    const found = this.#readAt(place, depth) ?? this.#json(place, closings);
    if (found) return found;
    const call = this.#call(place, bareHeads) ?? this.#nameAlone(place, closings);
    if (call) return { ...call, calls: [call] };
    const code = readCodeCalls(this.text, place, this.tools, this.json);
    return code?.whole ? code : undefined;
  }

  #json(place: number, closings: readonly string[]): CallGroup | undefined {
    if (!/^(?:\{|\[(?!\s{0,9}[\w.]{1,80}\())/.test(this.text.slice(place, place + 100))) return undefined;
    const close = this.json.endOf(place);
    const sign = closings.map((closing) => this.#find(closing, place)).find((found) => found !== undefined);
    const isCut = !("end" in close);
    const end = isCut ? (sign ?? this.text.length) : close.end;
    if (isCut && close.cut === "text" && sign === undefined) return undefined;
    const written = this.text.slice(place, end).trimEnd();
    if (isCut && close.cut === "text" && !/[}\]]$/.test(written)) return undefined;
    const value = this.json.read(isCut && close.cut === "brackets" ? written + close.missing : written);
    const calls = readJsonCalls(value, this.tools).map((call) => ({ call, start: place, end }));
    return calls.length > 0 ? { calls, start: place, end, whole: !isCut } : undefined;
  }

  /** Reads a name with nothing after it but a closing sign. */
  #nameAlone(place: number, closings: readonly string[]) {
    nameAlone.lastIndex = place;
    const [whole, name] = nameAlone.exec(this.text) ?? [];
    if (whole === undefined || name === undefined) return undefined;
    const end = place + whole.length;
    if (!closings.some((closing) => this.#isAt(closing, end))) return undefined;
    const input = canOmitInput(this.tools.spec(name) ?? name, this.tools.match(name) !== undefined) ? {} : undefined;
    return { call: this.#named(name, input), start: place, end, whole: true };
  }

  /** Reads a call whose beginning stands at a place. */
  #call(place: number, candidates: readonly Head[]): (PlacedCall & { readonly whole: boolean }) | undefined {
    const bodies: { readonly name: string; readonly start: number; readonly head: Head }[] = [];
    for (const head of candidates) {
      head.opening.lastIndex = place;
      const name = head.opening.exec(this.text)?.groups?.name;
      if (name === undefined || (head.form.weak && this.tools.match(name) === undefined)) continue;
      bodies.push({ name, start: head.opening.lastIndex, head });
    }
    const read =
      firstOf(bodies, (body) => body.head.field && this.#fields(body, body.head.field)) ??
      firstOf(bodies, (body) => this.#object(body)) ??
      firstOf(bodies, (body) => this.#fields(body, tagField)) ??
      firstOf(bodies, (body) => this.#words(body));
    return read && { call: this.#named(read.name, read.input), start: place, end: read.end, whole: read.whole };
  }

  #named(name: string, input: ToolInput | undefined): WrittenCall {
    const tool = this.tools.match(name);
    const call = { kind: "call", tool: tool ?? name.replace(/^functions\./, ""), offered: tool !== undefined } as const;
    return input === undefined ? call : { ...call, input };
  }

  #fields({ name, start, head }: Body, field: Field): ReadBody | undefined {
    const closing = head.closing.replace("NAME", name);
    if (field === tagField && !closing.startsWith("</")) return undefined;
    const read = this.#rowOfFields(start, field, head, closing);
    if (!read) return undefined;
    const schemas = schemasOf(this.tools.spec(name));
    const [only, ...others] = read.fields;
    // Some models give all arguments in one field.
    if (only && others.length === 0 && /^(?:arguments|properties|input)$/.test(only.key) && !(only.key in schemas)) {
      const value = typedText(only.value, { type: "object" });
      if (isRecord(value)) return { name, input: value, ...this.#closed(read.end, closing) };
    }
    const values = read.fields.map(({ key, value, isJson }) => [key, fieldValue(value, schemas[key], isJson)]);
    return { name, input: Object.fromEntries(values), ...this.#closed(read.end, closing) };
  }

  #rowOfFields(start: number, { opening, closing }: Field, head: Head, last: string) {
    const asJson = head.form.values === "json";
    const fields: { key: string; value: string; isJson: boolean }[] = [];
    let end = start;
    for (;;) {
      opening.lastIndex = this.#skip(end);
      const match = opening.exec(this.text);
      const key = match?.groups?.key;
      if (!match || key === undefined || last === `</${key}>`) break;
      const from = opening.lastIndex;
      const sign = closing.replace("KEY", key);
      const data = this.#isAt("<![CDATA[", from) ? this.#find("]]>", from) : undefined;
      const found = this.#find(sign, data ?? from);
      // No token stands in a value: one that is not the closing sign begins something else.
      const token = head.sign.startsWith("<|tool") ? (this.#find("<|tool_", from) ?? this.text.length) : undefined;
      const close = token === undefined || token === found ? found : undefined;
      const next = close ?? token ?? this.#endOfOpenField(from, opening, last);
      if (next === undefined) break;
      const value = this.text.slice(from, next).replace(/^\r?\n([\s\S]*)\r?\n[ \t]*$/, "$1");
      const type = match.groups?.type;
      fields.push({
        key,
        value: close === undefined ? value.trim() : value,
        isJson: type === undefined ? asJson : !/^(?:true|string)$/.test(type),
      });
      end = close === undefined ? next : close + sign.length;
    }
    return fields.length > 0 ? { fields, end } : undefined;
  }

  /** Returns the end of a field such as `<parameter=q> x`: the next field on a line of its own, or the end of the call. */
  #endOfOpenField(from: number, opening: RegExp, last: string): number | undefined {
    if (this.text.charAt(from) !== " ") return undefined;
    const next = new RegExp(String.raw`^[ \t]{0,20}${opening.source}`, "mu").exec(this.text.slice(from))?.index;
    if (next !== undefined) return from + next;
    return Math.min(...[last, "</tool_call>"].map((sign) => this.#find(sign, from) ?? this.text.length));
  }

  #object({ name, start, head }: Body): ReadBody | undefined {
    const closing = head.closing.replace("NAME", name);
    fenceLine.lastIndex = start;
    const place = fenceLine.test(this.text) ? fenceLine.lastIndex : start;
    const { quote } = head.form;
    if (quote !== undefined) return this.#quotedObject(name, place, quote, closing);
    if (this.text.charAt(place) === "{") {
      const close = this.json.endOf(place);
      const end = "end" in close ? close.end : (this.#find(closing || "\n", place) ?? this.text.length);
      const written = this.text.slice(place, end).trimEnd();
      const missing = "cut" in close && close.cut === "brackets" ? close.missing : "";
      const value = written.endsWith("}") ? this.json.read(written + missing) : undefined;
      return isRecord(value) ? { name, input: value, ...this.#closed(end, closing) } : undefined;
    }
    return closing !== "" && this.#isAt(closing, place)
      ? { name, input: {}, ...this.#closed(place, closing) }
      : undefined;
  }

  /** Reads an object with a token for each quote, and without quotes around its keys. */
  #quotedObject(name: string, place: number, quote: string, closing: string): ReadBody | undefined {
    if (this.text.charAt(place) !== "{") return undefined;
    const end = this.#find(closing, place);
    const parts = this.text.slice(place, end).split(quote);
    const json = parts.map((part, n) => (n % 2 === 1 ? JSON.stringify(part) : withComma(part, n)));
    const value = this.json.read(json.join(""));
    return isRecord(value) ? { name, input: value, ...this.#closed(end ?? this.text.length, closing) } : undefined;
  }

  #words({ name, start, head }: Body): ReadBody | undefined {
    const closing = head.closing.replace("NAME", name);
    const end = closing === "" ? undefined : this.#find(closing, start);
    if (end === undefined) return undefined;
    const words = this.text.slice(start, end).replace(/^\(([\s\S]*)\)\s*$/, "$1");
    if (/^\s*\{/.test(words)) return undefined;
    const input = readArguments(words, this.tools.spec(name));
    return input === undefined ? undefined : { name, input, ...this.#closed(end, closing) };
  }

  #closed(end: number, closing: string): { readonly end: number; readonly whole: boolean } {
    const place = this.#skip(end);
    if (closing === "" || !this.#isAt(closing, place)) return { end, whole: closing === "" };
    return { end: place + closing.length, whole: true };
  }
}

interface Body {
  readonly name: string;
  readonly start: number;
  readonly head: Head;
}

interface ReadBody {
  readonly name: string;
  readonly input: ToolInput;
  readonly end: number;
  readonly whole: boolean;
}

const ownHeads = heads.filter(({ sign }) => sign !== "");
const bareHeads = heads.filter(({ sign }) => sign === "");

/** White space, commas, and template tokens that stand between calls and say nothing. */
const between =
  /(?:[\s,;]|```\w{0,12}(?=\s)|<｜tool_(?:call_begin|call_end|sep)｜>(?:function(?=<)|[\w.-]{1,100}\n(?=<))?|function\n)+/y;
const fenceLine = /(?:\s{0,9}```\w{0,12}\s{1,9})/y;
const tagName = /<([\w.-]{1,100})>/y;
const nameAlone = /([\p{L}_][\p{L}\p{N}_.-]{0,99})\s{0,9}/uy;

function matchesAt(pattern: RegExp, text: string, place: number): boolean {
  pattern.lastIndex = place;
  return pattern.test(text);
}

/** Tells whether a sign that is a word stands within a sentence: `The channel to=functions.search takes JSON.` */
function isInSentence({ index, 0: sign }: RegExpExecArray, text: string): boolean {
  if (!/^\w/.test(sign)) return false;
  const before = text.slice(Math.max(0, index - 60), index).replace(/(?:assistant|analysis|commentary|[ \t])+$/, "");
  return /[^\n.:!?>|}]$/.test(before);
}

/** Writes the comma between two fields that a model left out. */
function withComma(part: string, n: number): string {
  return n > 0 && /^\s*[\w-]+\s*:/.test(part) ? `,${part}` : part;
}

function firstOf<T, R>(items: readonly T[], read: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = read(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reads the value of a field by its schema. Elements in it are the fields of an object, or the items of a list. */
function fieldValue(written: string, schema: unknown, asJson: boolean): unknown {
  const text = /^<!\[CDATA\[([\s\S]*)\]\]>$/.exec(written.trim())?.[1] ?? written;
  const elements = isNested(schema) ? elementsOf(text) : undefined;
  if (elements) return nestedValue(elements, schema);
  // HyperCLOVA X writes a text as JSON.
  const unquoted = asJson && /^"(?:[^"\\]|\\.)*"$/.test(text.trim());
  return unquoted ? typedText(text, undefined, true) : typedText(text, schema, asJson);
}

function isNested(schema: unknown): boolean {
  return isRecord(schema) && (schema.type === "array" || schema.type === "object" || schema.properties !== undefined);
}

const element = /\s*<([\w.-]{1,100})>([\s\S]*?)<\/\1>\s*/y;

function elementsOf(text: string): (readonly [key: string, value: string])[] | undefined {
  const found: [string, string][] = [];
  element.lastIndex = 0;
  for (let end = 0; end < text.length; end = element.lastIndex) {
    const match = element.exec(text);
    if (!match) return undefined;
    found.push([match[1] ?? "", match[2] ?? ""]);
  }
  return found.length > 0 ? found : undefined;
}

function nestedValue(elements: readonly (readonly [key: string, value: string])[], schema: unknown): unknown {
  const { type, items, properties, additionalProperties } = isRecord(schema) ? schema : {};
  if (type === "array") return elements.map(([, value]) => fieldValue(value, items, true));
  const schemas = isRecord(properties) ? properties : {};
  const fields = new Map<string, unknown[]>();
  for (const [key, text] of elements) {
    fields.set(key, [...(fields.get(key) ?? []), fieldValue(text, schemas[key] ?? additionalProperties, false)]);
  }
  return Object.fromEntries([...fields].map(([key, values]) => [key, values.length > 1 ? values : values[0]]));
}
