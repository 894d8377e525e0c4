import { isRecord } from "../../../base/is-record.js";
import type { ToolInput } from "../../../tool-inputs/tool-input.js";
import { typedText } from "../../../tool-inputs/typed-text.js";
import {
  anyOpening,
  arounds,
  closingSigns,
  type Field,
  type Head,
  heads,
  openingSigns,
  separators,
} from "../../forms/form-signs.js";
import { canOmitInput } from "../../input-forms.js";
import type { ToolNames } from "../tool-names.js";
import { readArguments, schemasOf } from "./arguments.js";
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
  readonly #places = new Map<string, { readonly from: number; readonly place: number }>();

  constructor(
    private readonly text: string,
    private readonly tools: ToolNames,
    private readonly json: JsonReader,
  ) {}

  /** Yields the calls in the text, in their order, and the signs of calls that cannot be read. */
  *groups(): Generator<CallGroup | CutJson> {
    let place = 0;
    for (let looks = 0; looks < mostOpenings; ) {
      const match = matchAt(anyOpening, this.text, place);
      if (!match) break;
      place = anyOpening.lastIndex;
      if (isInSentence(match, this.text) || (match[0] === "<" && !this.#mayBeCall(match.index))) continue;
      const found = this.#readAt(match.index);
      if (found) {
        place = found.end;
        yield found;
      } else if (this.#isMeant(match)) yield { cut: true, start: match.index };
      if (found || match[0] !== "<") looks += 1;
    }
    for (let start = Math.max(0, this.text.length - 60); start < this.text.length; start += 1) {
      if (signParts.has(this.text.slice(start))) yield { cut: true, start };
    }
  }

  /** Tells whether a sign without a readable call is one, and no word or tag of other texts. */
  #isMeant({ index, 0: sign }: RegExpExecArray): boolean {
    if (openingSigns.includes(sign.replaceAll(/(?<=>)\s+(?=<)/g, " ")) || this.#beginsCall(index)) return true;
    const rest = this.text.slice(index + sign.length, index + 300);
    return /^\s*[[{]/.test(rest) && this.tools.mentioned(rest).length > 0;
  }

  /** Tells whether a tag has the name of a tool, or stands around the name of one. */
  #mayBeCall(place: number): boolean {
    const [whole = "", name = ""] = matchAt(tagName, this.text, place) ?? [];
    return this.tools.match(name) !== undefined || (whole.endsWith(">") && this.#isWrapper(place + whole.length));
  }

  /** Tells whether the name of a tool stands at a place, with its first argument. */
  #isWrapper(place: number): boolean {
    return bareHeads.some((head) => {
      const name = matchAt(head.opening, this.text, place)?.groups?.name;
      if (name === undefined || this.tools.match(name) === undefined) return false;
      return head.fields.some(({ opening }) => matchAt(opening, this.text, head.opening.lastIndex));
    });
  }

  /** Tells whether the beginning of a call stands at a place. */
  #beginsCall(place: number): boolean {
    return ownHeads.some(({ opening, form, sign }) => {
      const name = matchAt(opening, this.text, place)?.groups?.name;
      if (name === undefined || !form.weak) return name !== undefined;
      const next = this.text.charAt(opening.lastIndex);
      return this.tools.match(name) !== undefined && (sign === "<" ? next !== "" : next === "{");
    });
  }

  /**
   * Reads the call, or the calls in the signs around them, at a place.
   *
   * @param depth The number of signs around the place. No family has more than two around each other.
   */
  #readAt(place: number, depth = 0): CallGroup | undefined {
    const call = this.#call(place, ownHeads);
    if (call) return { ...call, calls: [call] };
    const around = arounds.find(({ opening }) => matchAt(opening, this.text, place));
    if (around) return depth < 2 ? this.#around(place, around.opening.lastIndex, around.closings, depth) : undefined;
    const [tag = "", name = ""] = matchAt(tagName, this.text, place) ?? [];
    return tag.endsWith(">") && this.#isWrapper(place + tag.length)
      ? this.#around(place, place + tag.length, [`</${name}>`], depth)
      : undefined;
  }

  #isAt(sign: string, place: number): boolean {
    return this.text.startsWith(sign, place);
  }

  /** Returns the place of a sign. All searches for a sign from one place on together pass over the text once. */
  #find(sign: string, from: number): number | undefined {
    const known = this.#places.get(sign);
    const isKnown = known !== undefined && known.from <= from && (known.place < 0 || known.place >= from);
    const place = isKnown ? known.place : this.text.indexOf(sign, from);
    if (!isKnown) this.#places.set(sign, { from, place });
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
    return last && !this.#goesOn(place) ? { calls, start, end: last.end, whole } : undefined;
  }

  /** Tells whether a further call begins at a place. */
  #goesOn(place: number): boolean {
    return /^(?:\{|\[\s{0,9}\{)/.test(this.text.slice(place, place + 20)) || this.#beginsCall(place);
  }

  /** Skips white space, the signs between calls and the opening of a fence. */
  #skip(place: number): number {
    return matchAt(between, this.text, place) ? between.lastIndex : place;
  }

  /** Reads the next calls between the signs around calls, in whatever form they are. */
  #inside(place: number, closings: readonly string[], depth: number): CallGroup | undefined {
    const found = this.#readAt(place, depth) ?? this.#json(place, closings);
    if (found) return found;
    const call = this.#call(place, bareHeads) ?? this.#nameAlone(place, closings);
    if (call) return { ...call, calls: [call] };
    const code = readCodeCalls(this.text, place, this.tools, this.json, true);
    return code?.whole ? code : undefined;
  }

  #json(place: number, closings: readonly string[]): CallGroup | undefined {
    if (!/^(?:\{|\[(?!\s{0,9}[\w.]{1,80}\())/.test(this.text.slice(place, place + 100))) return undefined;
    const close = this.json.endOf(place);
    const sign = closings.map((closing) => this.#find(closing, place)).find((found) => found !== undefined);
    const end = close ?? sign;
    const written = this.text.slice(place, end).trimEnd();
    if (end === undefined || !/[}\]]$/.test(written)) return undefined;
    const calls = readJsonCalls(this.json.read(written), this.tools).map((call) => ({ call, start: place, end }));
    return calls.length > 0 ? { calls, start: place, end, whole: close !== undefined } : undefined;
  }

  /** Reads a name with nothing after it but a closing sign. */
  #nameAlone(place: number, closings: readonly string[]) {
    const [whole = "", name] = matchAt(nameAlone, this.text, place) ?? [];
    const end = place + whole.length;
    if (name === undefined || !closings.some((closing) => this.#isAt(closing, end))) return undefined;
    const input = canOmitInput(this.tools.spec(name) ?? name) ? {} : undefined;
    return { call: this.#named(name, input), start: place, end, whole: true };
  }

  /** Reads a call whose beginning stands at a place. */
  #call(place: number, candidates: readonly Head[]): (PlacedCall & { readonly whole: boolean }) | undefined {
    const bodies = candidates.flatMap((head): Body[] => {
      const name = matchAt(head.opening, this.text, place)?.groups?.name;
      if (name === undefined || (head.form.weak && this.tools.match(name) === undefined)) return [];
      return [{ name, start: head.opening.lastIndex, head, closing: head.closing.replace("NAME", name) }];
    });
    for (const read of [this.#object, this.#fields, this.#words]) {
      for (const body of bodies) {
        const found = read.call(this, body);
        if (found)
          return { call: this.#named(body.name, found.input), start: place, end: found.end, whole: found.whole };
      }
    }
    return undefined;
  }

  #named(name: string, input: ToolInput | undefined): WrittenCall {
    const tool = this.tools.match(name);
    const call = { kind: "call", tool: tool ?? name.replace(/^functions\./, ""), offered: tool !== undefined } as const;
    return input === undefined ? call : { ...call, input };
  }

  #fields(body: Body): ReadBody | undefined {
    const schemas = schemasOf(this.tools.spec(body.name));
    const keys = Object.keys(schemas);
    for (const field of body.head.fields) {
      const read = this.#rowOfFields(body, field, keys);
      if (!read) continue;
      const values = read.fields.map(({ key, value, isJson }) => [key, fieldValue(value, schemas[key], isJson)]);
      const input = Object.fromEntries(values);
      const { end, whole } = this.#closed(read.end, body);
      const isWhole = (whole && body.closing !== "") || (keys.length > 0 && keys.every((key) => key in input));
      // Further arguments could follow.
      if (!isWhole && !this.#endsAt(end)) continue;
      // Some models give all arguments in one field.
      const [only, ...others] = read.fields;
      const isAll =
        only && others.length === 0 && /^(?:arguments|properties|input)$/.test(only.key) && !(only.key in schemas);
      const all = isAll ? typedText(only.value, { type: "object" }) : undefined;
      return { input: isRecord(all) ? all : input, end, whole };
    }
    return undefined;
  }

  /** Tells whether a sign follows that ends a call, or begins another one. */
  #endsAt(end: number): boolean {
    const place = this.#skip(end);
    return this.#isAt("</", place) || closingSigns.some((sign) => this.#isAt(sign, place)) || this.#beginsCall(place);
  }

  /** Reads fields up to one that is not closed. A row with such a field is none. */
  #rowOfFields({ start, head, closing: last }: Body, field: Field, known: readonly string[]) {
    const fields: { key: string; value: string; isJson: boolean }[] = [];
    let end = start;
    for (;;) {
      const match = matchAt(field.opening, this.text, this.#skip(end));
      const { key, tag = "", type } = match?.groups ?? {};
      if (!match || key === undefined || last === `</${key}>`) break;
      const from = field.opening.lastIndex;
      const sign = field.closing.replace("TAG", tag).replace("KEY", key);
      const data = this.#isAt("<![CDATA[", from) ? this.#find("]]>", from) : undefined;
      const close = this.#find(sign, data ?? from);
      const given = [key, ...fields.map((field) => field.key)];
      const isNested = close !== undefined && (data !== undefined || field.closing === "</KEY>");
      const next = isNested ? undefined : this.#nextField(from, close, field, given, known);
      const valueEnd =
        next ?? close ?? (last === "" ? undefined : this.#find(last, from)) ?? this.#find("</tool_call>", from);
      // Without a schema nothing tells a further field from a text with the sign of one.
      if (valueEnd === undefined || (close !== undefined && next !== undefined && known.length === 0)) return undefined;
      const value = this.text.slice(from, valueEnd).replace(/^\r?\n([\s\S]*)\r?\n[ \t]*$/, "$1");
      fields.push({
        key,
        value: valueEnd === close ? value : value.trim(),
        isJson: type === undefined ? /JSON/.test(head.form.field ?? "") : !/^(?:true|string)$/.test(type),
      });
      end = valueEnd === close ? close + sign.length : valueEnd;
    }
    return fields.length > 0 ? { fields, end } : undefined;
  }

  /** Returns the place of the next field of a call, on a line of its own, in a field that is not closed before it. */
  #nextField(
    from: number,
    close: number | undefined,
    { opening }: Field,
    given: readonly string[],
    known: readonly string[],
  ) {
    const next = new RegExp(String.raw`\n[ \t]{0,20}${opening.source}`, "u").exec(this.text.slice(from, close));
    const key = next?.groups?.key ?? "";
    return next && !given.includes(key) && (known.length === 0 || known.includes(key)) ? from + next.index : undefined;
  }

  #object(body: Body): ReadBody | undefined {
    const { start, closing } = body;
    const place = matchAt(fenceLine, this.text, start) ? fenceLine.lastIndex : start;
    if (!this.#isAt("{", place)) {
      return closing !== "" && this.#isAt(closing, place) ? { input: {}, ...this.#closed(place, body) } : undefined;
    }
    const end = this.json.endOf(place) ?? this.#find(closing || "\n", place);
    const written = this.text.slice(place, end).trimEnd();
    if (end === undefined || !written.endsWith("}")) return undefined;
    const value = this.json.read(written);
    return isRecord(value) ? { input: value, ...this.#closed(end, body) } : undefined;
  }

  #words(body: Body): ReadBody | undefined {
    const { name, start, head, closing } = body;
    const end = closing === "" ? undefined : this.#find(closing, start);
    if (end === undefined) return undefined;
    const words = this.text.slice(start, end).replace(/^\(([\s\S]*)\)\s*$/, "$1");
    if (/^\s*\{/.test(words) || head.fields.some(({ opening }) => matchAt(opening, this.text, start))) return undefined;
    const input = readArguments(words, this.tools.spec(name));
    return input === undefined ? undefined : { input, ...this.#closed(end, body) };
  }

  #closed(end: number, { closing }: Body): { readonly end: number; readonly whole: boolean } {
    const place = this.#skip(end);
    if (closing === "" || !this.#isAt(closing, place)) return { end, whole: closing === "" };
    return { end: place + closing.length, whole: true };
  }
}

interface Body {
  readonly name: string;
  readonly start: number;
  readonly head: Head;
  /** The sign after the arguments, or "" if there is none. */
  readonly closing: string;
}

interface ReadBody {
  readonly input: ToolInput;
  readonly end: number;
  readonly whole: boolean;
}

const ownHeads = heads.filter(({ sign }) => sign !== "");
/** The beginnings of signs. Words and single brackets are none. */
const signParts = new Set(
  [...openingSigns, ...separators]
    .flatMap((sign) => Array.from(sign, (_, end) => sign.slice(0, end)))
    .filter((part) => /[^\w\s]/.test(part) && !/^[[\]]$/.test(part)),
);
const bareHeads = heads.filter(({ sign }) => sign === "");

/** White space, commas, and template tokens that stand between calls and say nothing. */
const between =
  /(?:[\s,;]|```\w{0,12}(?=\s)|<｜tool_(?:call_begin|call_end|sep)｜>(?:function(?=<)|[\w.-]{1,100}\n(?=<))?|function\n)+/y;
const fenceLine = /(?:\s{0,9}```\w{0,12}\s{1,9})/y;
const tagName = /<([\w.-]{1,100})[\s>]/y;
const nameAlone = /([\p{L}_][\p{L}\p{N}_.-]{0,99})\s{0,9}/uy;

function matchAt(pattern: RegExp, text: string, place: number): RegExpExecArray | null {
  pattern.lastIndex = place;
  return pattern.exec(text);
}

/** Tells whether a sign that is a word stands within a sentence: `The channel to=functions.search takes JSON.` */
function isInSentence({ index, 0: sign }: RegExpExecArray, text: string): boolean {
  if (!/^\w/.test(sign)) return false;
  const before = text.slice(Math.max(0, index - 60), index).replace(/(?:assistant|analysis|commentary|[ \t])+$/, "");
  return /[^\n.:!?>|}]$/.test(before);
}

/** Reads the value of a field by its schema. Elements in it are the fields of an object, or the items of a list. */
function fieldValue(written: string, schema: unknown, asJson: boolean): unknown {
  const text = /^<!\[CDATA\[([\s\S]*)\]\]>$/.exec(written.trim())?.[1] ?? written;
  // HyperCLOVA X writes a text as JSON.
  const unquoted = asJson && /^"(?:[^"\\]|\\.)*"$/.test(text.trim());
  return nestedValue(text, schema) ?? (unquoted ? typedText(text, undefined, true) : typedText(text, schema, asJson));
}

const element = /\s*<([\w.-]{1,100})>([\s\S]*?)<\/\1>\s*/gy;

/** Returns the object or the list whose elements are a text; undefined for any other text. */
function nestedValue(text: string, schema: unknown): unknown {
  const { type, items, properties, additionalProperties } = isRecord(schema) ? schema : {};
  if (type !== "array" && type !== "object") return undefined;
  const found = [...text.matchAll(element)];
  if (found.length === 0 || found.map(([whole]) => whole).join("") !== text) return undefined;
  if (type === "array") return found.map(([, , value = ""]) => fieldValue(value, items, true));
  const schemas = isRecord(properties) ? properties : {};
  const fields = found.map(([, key = "", value = ""]): [string, unknown] => [
    key,
    fieldValue(value, schemas[key] ?? additionalProperties, false),
  ]);
  return new Map(fields).size === found.length ? Object.fromEntries(fields) : undefined;
}
