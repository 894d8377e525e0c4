import { isDeepStrictEqual } from "node:util";
import { Validator } from "@langchain/core/utils/json_schema";
import { interopSafeParseAsync, isInteropZodSchema } from "@langchain/core/utils/types";
import { z } from "zod";
import { parsedJson } from "../base/attempted.js";
import { isLongInteger } from "../base/digits.js";
import { messageOf } from "../base/message-of.js";
import { describeParameters } from "./parameters.js";
import { type DescribedTool, toolSpec } from "./tool-spec.js";

const issueSchema = z.object({
  path: z.array(z.unknown()),
  message: z.string(),
  /** The type that was expected. */
  expected: z.unknown().optional(),
  /** The issues of each branch of a union. */
  get errors() {
    return z.array(z.array(issueSchema)).optional();
  },
});
type Issue = z.infer<typeof issueSchema>;

const zodErrorSchema = z.object({ issues: z.array(issueSchema) });

type Arguments = Readonly<Record<string, unknown>>;

const jsonSchema = z.record(z.string(), z.unknown());

/** A mistake in a value: its place, and what a schema says about it. */
export interface Complaint {
  readonly path: readonly string[];
  readonly message: string;
  readonly expected?: unknown;
  /** What the branches of a union say, if it is not clear for which of them the value is meant. */
  readonly branches?: readonly Complaint[];
}

/**
 * Tells the model in a short sentence why a tool's schema refuses an input. The sentence names each field, its mistake, and
 * the form that the tool takes. LangChain's own message has only a part of this, or nothing for a JSON schema. So the input
 * is validated again here.
 *
 * @param tool The tool whose `invoke` threw LangChain's `ToolInputParsingException`, or a zod error.
 * @param args The input that the tool was called with.
 * @returns The sentence; undefined if the schema accepts the input, because then the error is the tool's own. Example:
 *   `"days": Invalid input: expected number, received string. The tool takes {"city": string, "days": number}.`
 */
export async function describeSchemaComplaint(tool: DescribedTool, args: unknown): Promise<string | undefined> {
  // LangChain wraps the input of a string tool, so the tool's schema is an object although the tool takes a text.
  if (toolSpec(tool).parameters === undefined && typeof args === "string") return undefined;
  const { complaints } = await parseInput(tool, args);
  return complaints.length === 0 ? undefined : describeRefusal(tool, args, complaints);
}

function describeRefusal(tool: DescribedTool, args: unknown, complaints: readonly Complaint[]): string {
  const { parameters } = toolSpec(tool);
  const form = parameters ? `The tool takes ${describeParameters(parameters)}.` : "The tool takes one plain text.";
  return `${describeComplaints(complaints, args)}. ${form}`;
}

/** Writes complaints about a value in words for a model, at most five of them. */
export function describeComplaints(complaints: readonly Complaint[], value: unknown): string {
  const shown = complaints.slice(0, 5).map((complaint) => describeComplaint(complaint, value));
  const more = complaints.length > shown.length ? [`${complaints.length - shown.length} more like these`] : [];
  return [...shown, ...more].join("; ");
}

/** An input in a form that a schema takes, with what the schema makes of it, or what is wrong with it in a sentence. */
export type ReadInput = { readonly args: Arguments; readonly value: unknown } | { readonly complaint: string };

/**
 * Reads an input by the schema of its tool. What the schema refuses is read as the model meant it: see {@link mended}. The
 * arguments of the result are for the tool. They may have bigints, which no state holds.
 */
export async function readInput(tool: DescribedTool, args: Arguments): Promise<ReadInput> {
  const first = await parseInput(tool, args);
  let [read, parsed] = [args, first];
  for (let tries = 0; parsed.complaints.length > 0; tries += 1) {
    const more = mended(read, parsed.complaints);
    if (tries === 2 || isDeepStrictEqual(more, read))
      return { complaint: describeRefusal(tool, args, first.complaints) };
    [read, parsed] = [more, await parseInput(tool, more)];
  }
  return { args: read, value: parsed.value };
}

/**
 * Returns a copy of a value in which the places that a schema refuses are read as models mean them:
 *
 * - A number, a boolean, a list or an object between quotes is read, as small models write such values.
 * - `null` for a field is left out, as strict decoding makes models write it. A required field is then missing.
 * - Digits for a bigint become one.
 */
export function mended<Value>(value: Value, complaints: readonly Complaint[]): Value {
  const read = { value: structuredClone(value) };
  for (const complaint of complaints.flatMap(withBranches)) mendAt(read, ["value", ...complaint.path], complaint);
  return read.value;
}

function withBranches(complaint: Complaint): Complaint[] {
  return [complaint, ...(complaint.branches ?? []).flatMap(withBranches)];
}

function mendAt(parent: unknown, [key = "", ...rest]: readonly string[], complaint: Complaint): void {
  if (typeof parent !== "object" || parent === null) return;
  const value: unknown = Reflect.get(parent, key);
  if (rest.length > 0) mendAt(value, rest, complaint);
  else if (value === null && !Array.isArray(parent)) Reflect.deleteProperty(parent, key);
  else if (complaint.expected === "bigint" && /^-?\d+$/.test(String(value)))
    Reflect.set(parent, key, BigInt(String(value)));
  else if (typeof value === "string") Reflect.set(parent, key, jsonValue(value));
}

/**
 * Reads a text as JSON or as one of Python's constants. Any other text is returned as it is, and so is a number that
 * JavaScript would round.
 */
function jsonValue(text: string): unknown {
  const constant = /^\s*(true|false|null|none)\s*$/i.exec(text)?.[1]?.toLowerCase();
  const value = parsedJson(constant === "none" ? "null" : (constant ?? text));
  const isRounded = typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return value === undefined || isRounded ? text : value;
}

/** What a schema makes of an input: a value that the tool gets, or complaints. */
interface ParsedInput {
  readonly value: unknown;
  readonly complaints: readonly Complaint[];
}

/** Parses an input as the tool will. The input stays as it is, even if the schema changes what it is given. */
async function parseInput({ schema }: DescribedTool, args: unknown): Promise<ParsedInput> {
  const copy: unknown = structuredClone(args);
  if (isInteropZodSchema(schema)) {
    // A transform or a refinement may throw anything.
    const parsed = await interopSafeParseAsync(schema, copy).catch(
      (error: unknown) => ({ success: false, error }) as const,
    );
    return parsed.success
      ? { value: parsed.data, complaints: [] }
      : { value: undefined, complaints: complaintsIn(parsed.error) };
  }
  const { errors } = new Validator(jsonSchema.parse(schema), "2019-09", false).validate(copy);
  const complaints = errors
    .filter(({ keyword }) => keyword !== "properties" && keyword !== "items")
    .map(({ instanceLocation, error }) => ({
      path: instanceLocation.split("/").slice(1).map(nameInPointer),
      message: error,
    }));
  return { value: copy, complaints };
}

/** Returns the name of a field in a JSON pointer as the validator writes it. */
function nameInPointer(part: string): string {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Lists the complaints in an error of zod 3 or 4. Of a union it lists those of the branch that the value is meant for. */
export function complaintsIn(error: unknown): readonly Complaint[] {
  const { data } = zodErrorSchema.safeParse(error);
  return data ? complaintsOf(data.issues, []) : [{ path: [], message: messageOf(error) }];
}

function complaintsOf(issues: readonly Issue[], before: readonly string[]): readonly Complaint[] {
  return issues.flatMap(({ path, message, expected, errors = [] }) => {
    const place = [...before, ...path.map(String)];
    const branches = errors
      .map((branch) => complaintsOf(branch, place))
      .sort((one, other) => one.length - other.length);
    const [first = [], second] = branches;
    const isClear = first.length > 0 && first.length !== second?.length;
    return isClear ? first : [{ path: place, message, expected, branches: branches.flat() }];
  });
}

function describeComplaint({ path, message }: Complaint, args: unknown): string {
  const text = message.replace(/\.$/, "").replace("expected bigint", "expected the digits of an integer");
  if (path.length === 0) return text;
  const name = `"${path.join(".")}"`;
  const value = path.reduce<unknown>((parent, key) => Object(parent)[key], args);
  if (value === undefined && /undefined|^required$/i.test(text)) return `${name} is missing`;
  const isTooLong = typeof value === "string" && isLongInteger(value) && /\b(?:number|int|integer)\b/i.test(text);
  return `${name}: ${isTooLong ? `${value} would lose digits as a number; give one of at most 15 digits` : text}`;
}
