import type { RunnableToolLike } from "@langchain/core/runnables";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { interopSafeParse, isZodSchemaV3, isZodSchemaV4 } from "@langchain/core/utils/types";
import { z } from "zod";
import { InvalidOptionError } from "../base/errors.js";
import { isRecord } from "../base/is-record.js";
import { messageOf } from "../base/message-of.js";
import { perObject } from "../base/per-object.js";
import { typeOfSchema } from "../base/zod-schema.js";

/**
 * The description of a tool for a protocol. It is enough to show the tool to a model and to recognise it in a reply.
 */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** The JSON schema of the arguments. Left out for a tool that takes one plain string. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** True if others wrote the description, such as an MCP server. A prompt then shows it as text from outside. */
  readonly untrusted?: boolean;
  /** False if prompts show every byte of what the tool says. Default: it is fenced. */
  readonly fence?: boolean;
}

/** The part of a LangChain tool that describes it and its input. */
export type DescribedTool = Pick<StructuredToolInterface | RunnableToolLike, "name" | "description" | "schema">;

/**
 * Makes the description of a LangChain tool that a protocol needs.
 *
 * @param tool The tool. Its schema may be of zod 4, of zod 3 or a JSON schema.
 * @returns The description. `parameters` is the JSON schema of the input that a model has to write. A field with a
 *   default is optional in it. `parameters` is left out for a tool of one plain string (`DynamicTool`, `Tool`).
 *   A bigint is shown as a string of its digits.
 * @throws {InvalidOptionError} if the schema has no JSON form, such as `z.date()`, or is none of an object.
 */
// To describe a tool takes longer than a step without a model.
export const toolSpec = perObject((tool: DescribedTool): ToolSpec => {
  const { name, description = "" } = tool;
  const parameters = schemaParameters(tool);
  return takesPlainString(tool, parameters) ? { name, description } : { name, description, parameters };
});

/** How a bigint is shown. JSON has no number for it that keeps its digits. */
const digits = { type: "string", pattern: "^-?[0-9]+$" };

/** Zod's settings for what a model writes. A part that zod cannot show, and that is no bigint, still throws. */
const shown: z.core.ToJSONSchemaParams = {
  io: "input",
  unrepresentable: "any",
  override: ({ zodSchema, jsonSchema }) => {
    const type = typeOfSchema(zodSchema);
    if (type === "bigint") Object.assign(jsonSchema, digits);
    else if (Object.keys(jsonSchema).length === 0 || type === "literal") z.toJSONSchema(zodSchema);
  },
};

/** Shows bigints in the JSON schema of a schema of zod 3 as digits. Only bigints have this format there. */
function withDigitsForBigints(json: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(json), (_, part: unknown) =>
    isRecord(part) && part.format === "int64" ? { description: part.description, ...digits } : part,
  );
}

const jsonSchema = z.record(z.string(), z.unknown());

function schemaParameters({ name, schema }: DescribedTool): Record<string, unknown> {
  try {
    const json = isZodSchemaV4(schema) ? toJsonSchema(schema, shown) : toJsonSchema(schema);
    const { $schema, ...parameters } = jsonSchema.parse(json);
    if (![parameters.type ?? "object"].flat().includes("object"))
      throw new Error("the arguments of a tool are an object");
    return isZodSchemaV3(schema) ? withDigitsForBigints(parameters) : parameters;
  } catch (error) {
    throw new InvalidOptionError("tools", `the schema of "${name}" cannot be shown to a model: ${messageOf(error)}.`);
  }
}

/**
 * Tells whether a tool takes a plain string. LangChain gives it the schema `{input?: string}`, and takes the string
 * out.
 */
function takesPlainString({ schema }: DescribedTool, parameters: Record<string, unknown>): boolean {
  if (!isZodSchemaV3(schema)) return false;
  const fields = Object.keys(parameters.properties ?? {});
  if (fields.length !== 1 || fields[0] !== "input" || parameters.required !== undefined) return false;
  const parsed = interopSafeParse(schema, { input: "text" });
  return parsed.success && parsed.data === "text";
}
