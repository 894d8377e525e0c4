import { parsedJson } from "../../../base/attempted.js";
import { isRecord } from "../../../base/is-record.js";
import { mendedJson } from "../../../base/mended-json.js";
import type { ToolSpec } from "../../../core/parts/protocol.js";
import type { ToolInput } from "../../../core/state/decision.js";
import { listParameters } from "../../../core/tools/parameters.js";
import { inputText } from "./call-input.js";
import { JsonReader } from "./json-reader.js";

type Fields = Record<string, unknown>;

/** Returns the schemas of a tool's arguments by their names; undefined if the tool has none. */
function schemasOf(tool: ToolSpec | undefined): Readonly<Record<string, unknown>> | undefined {
  return isRecord(tool?.parameters?.properties) ? tool.parameters.properties : undefined;
}

/**
 * Reads the arguments in a call such as `f("x", n=2)` or `f(city: Paris)`, by the schema of the tool. Arguments with names become
 * an object, JSON too. Values without names belong to the arguments of the schema, in their order. One value stays a text, and
 * so does a text for a tool with one text argument.
 *
 * @returns The input, or undefined if it cannot be said which argument a value is for.
 */
export function readArguments(written: string, tool: ToolSpec | undefined): ToolInput | undefined {
  const text = written.trim();
  const json = text.startsWith("{") ? new JsonReader(text).read(text) : undefined;
  if (isRecord(json)) return json;
  const parts = text.length > longest ? [] : splitArguments(text);
  const named = readNamed(parts, tool);
  if (named) return named;
  const only = inputText(text).text;
  if (parts.length <= 1 || takesOneText(tool)) return only;
  const names = Object.keys(schemasOf(tool) ?? {});
  const isPlain = parts.every(({ key, value }) => key === undefined && literal(value) !== undefined);
  if (tool?.parameters === undefined) return only;
  return isPlain && parts.length <= names.length ? typed(parts, tool, names) : undefined;
}

/**
 * Reads a text of arguments that all have names of the tool's schema: `city="Paris", days: 2`. Returns undefined for any other
 * text. It is an input itself.
 */
export function namedArguments(text: string, tool: ToolSpec | undefined): Fields | undefined {
  const names = Object.keys(schemasOf(tool) ?? {});
  if (names.length === 0 || text.length > longest || !/[=:]/.test(text)) return undefined;
  const parts = splitArguments(text.trim());
  const isNamed = parts.every(({ key }) => key !== undefined && names.includes(key));
  return isNamed ? typed(parts, tool, names) : undefined;
}

/** The longest arguments without JSON that are read. */
const longest = 20_000;

/** Returns an input as fields: a text fills the only argument of the tool. */
export function withField(input: ToolInput, tool: ToolSpec | undefined): ToolInput {
  if (typeof input !== "string") return input;
  const all = listParameters(tool?.parameters);
  const required = all.filter((parameter) => parameter.required);
  const [only, ...others] = required.length > 0 ? required : all;
  if (only === undefined || others.length > 0)
    return input === "" && all.length > 0 && required.length === 0 ? {} : input;
  return input === "" ? input : { [only.name]: typedText(input, schemasOf(tool)?.[only.name]) };
}

/** Returns an input with its texts by the schema of the tool: `"2"` becomes `2` for a number. */
export function fitted(input: ToolInput, tool: ToolSpec | undefined): ToolInput {
  const schemas = schemasOf(tool);
  if (typeof input === "string" || schemas === undefined) return input;
  const fields = Object.entries(input).map(([key, value]) => [
    key,
    typeof value === "string" ? typedText(value, schemas[key]) : value,
  ]);
  return Object.fromEntries(fields);
}

function takesOneText(tool: ToolSpec | undefined): boolean {
  const [only, ...others] = listParameters(tool?.parameters);
  return only !== undefined && others.length === 0 && only.types.includes("string");
}

interface Argument {
  readonly key?: string;
  readonly value: string;
}

const keyed = /^["'`]?([\p{L}_][\p{L}\p{N}_.-]{0,80})["'`]?\s{0,9}(?:=(?!=)|:(?!\/\/))\s{0,99}([\s\S]*)$/u;
/** A quoted text. A quote in it that nothing could follow but more text belongs to it. */
const ends = String.raw`(?=\s{0,40}(?:[,)\]}:\n]|$))`;
const quoted = new RegExp(
  [
    String.raw`("""|''')[\s\S]*?\1`,
    String.raw`"(?:[^"\\]|\\[\s\S]|"(?!${ends}))*"${ends}`,
    String.raw`'(?:[^'\\]|\\[\s\S]|'(?!${ends}))*'${ends}`,
  ].join("|"),
  "y",
);

/** Splits arguments at the commas and line ends between them. A piece without a name belongs to the value before it. */
function splitArguments(text: string): Argument[] {
  const found: Argument[] = [];
  for (const piece of piecesOf(text)) {
    const [, key, value = piece] = keyed.exec(piece.trim()) ?? [];
    const before = found.at(-1);
    if (key === undefined && before?.key !== undefined) {
      found[found.length - 1] = { ...before, value: `${before.value}, ${piece.trim()}` };
    } else found.push({ ...(key !== undefined && { key }), value: value.trim() });
  }
  return found;
}

/** Returns the pieces of a text between the commas and line ends that stand in no quotes and no brackets. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let [start, depth] = [0, 0];
  for (let place = 0; place < text.length; place += 1) {
    const sign = text.charAt(place);
    if (/["']/.test(sign) && /[=:([{,\n]\s*$|^\s*$/.test(text.slice(Math.max(start, place - 20), place))) {
      quoted.lastIndex = place;
      if (quoted.test(text)) place = quoted.lastIndex - 1;
    } else if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign)) depth -= 1;
    else if (depth <= 0 && (sign === "," || sign === "\n")) {
      pieces.push(text.slice(start, place));
      start = place + 1;
    }
  }
  return [...pieces, text.slice(start)].filter((piece) => piece.trim() !== "");
}

/** Reads arguments of which some have names. The others come first, as in Python. */
function readNamed(parts: readonly Argument[], tool: ToolSpec | undefined): Fields | undefined {
  const schemas = schemasOf(tool);
  const names = parts.flatMap(({ key }) => key ?? []);
  if (names.length === 0) return undefined;
  const known = names.filter((name) => schemas !== undefined && Object.hasOwn(schemas, name));
  const values = parts.map(({ value }) => literal(value));
  // Without a schema, or with a name that it does not know, only the values of a program's text are arguments.
  if (known.length < names.length && values.includes(undefined)) return undefined;
  if (known.length === 0 && schemas !== undefined && takesOneText(tool)) return undefined;
  const others = Object.keys(schemas ?? {}).filter((name) => !names.includes(name));
  if (parts.length - names.length > others.length) return undefined;
  return typed(parts, tool, others);
}

/** Returns the values by their names. A value without one gets the next of `names`. */
function typed(parts: readonly Argument[], tool: ToolSpec | undefined, names: readonly string[]): Fields {
  const schemas = schemasOf(tool) ?? {};
  return Object.fromEntries(
    parts.map(({ key, value }, n) => {
      const name = key ?? names[n] ?? "";
      return [name, typedLiteral(value, schemas[name])];
    }),
  );
}

/** Returns the value of a literal by its schema. A text without quotes stays a text. */
function typedLiteral(written: string, schema: unknown): unknown {
  const value = literal(written);
  if (typeof value === "string") return typedText(value, schema);
  if (value === undefined || isOnlyText(schema)) return value === null ? null : typedText(written, schema);
  return value;
}

const constants: Readonly<Record<string, unknown>> = { true: true, false: false, null: null, none: null };

/** Returns the value of a literal of JSON, Python or JavaScript; undefined for any other text. */
export function literal(written: string): unknown {
  const text = written.trim();
  quoted.lastIndex = 0;
  if (quoted.test(text) && quoted.lastIndex === text.length) return unquoted(text);
  if (Object.hasOwn(constants, text.toLowerCase())) return constants[text.toLowerCase()];
  if (/^[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text)) return Number(text.replaceAll("_", ""));
  if (!/^(?:\[[\s\S]*\]|\{[\s\S]*\})$/.test(text)) return undefined;
  // A set of Python
  if (/^\{[^:{}]+\}$/.test(text)) return literal(`[${text.slice(1, -1)}]`);
  return parsedJson(text) ?? new JsonReader(text).read(text);
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" };

function unquoted(text: string): string {
  const length = /^(?:"""|''')/.test(text) && text.length >= 6 ? 3 : 1;
  const inside = text.slice(length, -length);
  return inside.replaceAll(/\\(u[\da-fA-F]{4}|[\s\S])/g, (whole, sign: string) => {
    if (sign.length > 1) return String.fromCharCode(Number.parseInt(sign.slice(1), 16));
    return escapes[sign] ?? (/[\\"'`/]/.test(sign) ? sign : whole);
  });
}

function typesOf(schema: unknown): readonly string[] {
  return listParameters({ type: "object", properties: { value: schema } })[0]?.types ?? [];
}

function isOnlyText(schema: unknown): boolean {
  const types = typesOf(schema);
  return types.length > 0 && types.every((type) => type === "string");
}

/**
 * Returns the value of a text by the schema of its argument. A text that the schema takes stays as it is.
 *
 * @param asJson Tells whether a text without a schema is JSON. Default: it is a text.
 */
export function typedText(text: string, schema: unknown, asJson = false): unknown {
  const types = typesOf(schema);
  if (types.includes("null") && /^\s*null\s*$/.test(text)) return null;
  const isOpen = types.length === 0 && !(isRecord(schema) && "$ref" in schema);
  if (isOpen ? !asJson : isOnlyText(schema)) return text;
  const value = literal(text);
  if (typeof value === "string" && types.includes("string")) return text;
  if (value === undefined || (types.length > 0 && !types.some((type) => isOfType(value, type))))
    return fromWord(text, types);
  return value;
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isRecord(value);
  return type === "null"
    ? value === null
    : typeof value === (type === "boolean" ? "boolean" : "number") && type !== "string";
}

/** Reads what a model wrote for a value of another type: `1` for true, a list that is damaged. */
function fromWord(text: string, types: readonly string[]): unknown {
  const word = text.trim();
  if (types.includes("boolean") && /^[01]$/.test(word)) return word === "1";
  if (types.some((type) => type === "array" || type === "object") && /^[[{]/.test(word)) {
    return parsedJson(mendedJson(word)) ?? text;
  }
  return text;
}
