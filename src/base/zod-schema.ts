import type { z } from "zod";

/** Tells whether a value is a schema of zod 4. It may come from another copy of zod, or from zod/mini. */
export function isZodSchema(value: unknown): value is z.core.$ZodType {
  return typeof value === "object" && value !== null && "_zod" in value;
}

/** Returns the type of a schema in zod's words, such as `bigint`. */
export function typeOfSchema(schema: z.core.$ZodType): string {
  return schema._zod.def.type;
}

/** Tells whether a value is a schema of zod 4 for an object. */
export function isZodObject(value: unknown): boolean {
  return isZodSchema(value) && typeOfSchema(value) === "object";
}

/** Tells whether a schema of an object refuses fields that it does not name. */
export function isStrictObject(schema: z.ZodObject): boolean {
  return schema.def.catchall?._zod.def.type === "never";
}
