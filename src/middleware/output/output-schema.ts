import { z } from "zod";
import { InvalidOptionError } from "../../base/errors.js";
import { isRecord } from "../../base/is-record.js";
import { messageOf } from "../../base/message-of.js";

/** A schema of zod 4 for plain JSON. It may come from another copy of zod, or from zod/mini. */
export type OutputSchema = z.core.$ZodType;

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Returns the JSON schema of what a model has to write.
 *
 * @throws InvalidOptionError when the schema has a part that is no plain JSON, such as a transform or a date.
 */
export function jsonSchemaOf(schema: OutputSchema): JsonSchema {
  try {
    // Zod has no JSON schema for the result of a transform, and throws.
    z.toJSONSchema(schema, { io: "output" });
    const { $schema, ...json } = z.toJSONSchema(schema, { io: "input" });
    return json;
  } catch (error) {
    throw new InvalidOptionError(
      "output",
      `it must be plain JSON, and a part of this schema is not (${messageOf(error)}). Use texts, numbers, ` +
        "booleans, null, lists, objects, enums and unions. Write a date as z.iso.datetime(), and transform the output " +
        "after the run.",
    );
  }
}

/** The key under which an output that is no object is held. */
const outputKey = "value";

/**
 * Returns the JSON schema of an object for an output. Response formats and tools need an object. An output that is none
 * becomes the only field of one.
 */
export function objectSchemaOf(schema: OutputSchema, json: JsonSchema): JsonSchema {
  return json.type === "object" ? json : jsonSchemaOf(z.strictObject({ [outputKey]: schema }));
}

/** Returns what an object holds for an output that is none. Returns undefined if it is not such an object. */
export function heldValue(value: unknown): unknown {
  return isRecord(value) && Object.keys(value).join() === outputKey ? value[outputKey] : undefined;
}
