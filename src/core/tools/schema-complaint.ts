import { Validator } from "@langchain/core/utils/json_schema";
import { interopSafeParseAsync, isInteropZodSchema } from "@langchain/core/utils/types";
import { z } from "zod";
import { parsedJson } from "../../base/attempted.js";
import { messageOf } from "../../base/message-of.js";
import { describeParameters } from "./parameters.js";
import { type DescribedTool, toolSpec } from "./tool-spec.js";

const issueSchema = z.object({
  path: z.array(z.unknown()),
  message: z.string(),
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
 * Reads an input by the schema of its tool. If the schema refuses it, values are read that a model put between quotes, as
 * small models do: numbers, booleans, lists and objects. Only texts that the schema refuses are read.
 */
export async function readInput(tool: DescribedTool, args: Arguments): Promise<ReadInput> {
  const { value, complaints } = await parseInput(tool, args);
  if (complaints.length === 0) return { args, value };
  const read = structuredClone(args);
  for (const { path } of complaints) readTextAt(read, path);
  const again = await parseInput(tool, read);
  if (again.complaints.length === 0) return { args: read, value: again.value };
  return { complaint: describeRefusal(tool, args, complaints) };
}

function readTextAt(value: unknown, [key = "", ...rest]: readonly string[]): void {
  if (typeof value !== "object" || value === null) return;
  const inside: unknown = Reflect.get(value, key);
  if (rest.length > 0) readTextAt(inside, rest);
  else if (typeof inside === "string") Reflect.set(value, key, jsonValue(inside));
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
    .map(({ instanceLocation, error }) => ({ path: instanceLocation.split("/").slice(1), message: error }));
  return { value: copy, complaints };
}

/** Lists the complaints in an error of zod 3 or 4. Of a union it lists those of the branch that the value is meant for. */
export function complaintsIn(error: unknown): readonly Complaint[] {
  const { data } = zodErrorSchema.safeParse(error);
  return data ? complaintsOf(data.issues, []) : [{ path: [], message: messageOf(error) }];
}

function complaintsOf(issues: readonly Issue[], before: readonly string[]): readonly Complaint[] {
  return issues.flatMap(({ path, message, errors = [] }) => {
    const place = [...before, ...path.map(String)];
    const [first = [], second] = [...errors].sort((one, other) => one.length - other.length);
    const isClear = first.length > 0 && first.length !== second?.length;
    return isClear ? complaintsOf(first, place) : [{ path: place, message }];
  });
}

function describeComplaint({ path, message }: Complaint, args: unknown): string {
  const text = message.replace(/\.$/, "");
  if (path.length === 0) return text;
  const name = `"${path.join(".")}"`;
  return isMissing(path, args) && /undefined|^required$/i.test(text) ? `${name} is missing` : `${name}: ${text}`;
}

function isMissing(path: readonly string[], args: unknown): boolean {
  return path.reduce<unknown>((parent, key) => Object(parent)[key], args) === undefined;
}
