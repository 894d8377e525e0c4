import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { z } from "zod";
import { attempted } from "../../base/attempted.js";
import { RequestError } from "./request-error.js";
import { wireJson } from "./wire-json.js";

/** Answers with JSON, in which messages have LangGraph's form. */
export function answer(
  context: Context,
  value: unknown,
  status: ContentfulStatusCode = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return context.body(wireJson(value), status, { ...headers, "Content-Type": "application/json" });
}

/**
 * Reads the body of a request. Fields that the schema does not have are left out.
 *
 * @throws RequestError 400
 */
export async function bodyOf<Schema extends z.ZodType>(context: Context, schema: Schema): Promise<z.output<Schema>> {
  const text = await context.req.text();
  const json: unknown = text === "" ? {} : attempted(() => JSON.parse(text));
  if (json === undefined) throw new RequestError(400, "The body of the request is no JSON.");
  checkSize(json);
  return checked(schema, json);
}

/** Deeper JSON would end in a stack overflow, here or in a database. */
const MOST_LEVELS = 500;
/** What looks at each value of more would keep the server from all other requests. */
const MOST_VALUES = 100_000;

/** @throws RequestError 400 */
function checkSize(json: unknown): void {
  let count = 0;
  let level = [json];
  for (let depth = 0; level.length > 0; depth += 1) {
    count += level.length;
    if (depth > MOST_LEVELS) throw new RequestError(400, `The body of a request may have ${MOST_LEVELS} levels.`);
    if (count > MOST_VALUES) throw new RequestError(400, `The body of a request may have ${MOST_VALUES} values.`);
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
}

/** Reads the parameters of a request's address. @throws RequestError 400 */
export function queryOf<Schema extends z.ZodType>(context: Context, schema: Schema): z.output<Schema> {
  return checked(schema, context.req.query());
}

/** Reads what a client sent. @throws RequestError 400 */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new RequestError(400, z.prettifyError(read.error).replaceAll(/\s+/g, " "));
}

/** A flag in the address of a request: `1`, `true`, `0` or `false`. */
export const flag = z.enum(["0", "1", "true", "false"]).transform((text) => text === "1" || text === "true");
