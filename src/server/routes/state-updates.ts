import { z } from "zod";
import { GlassloopError, hasCode } from "../../base/errors.js";
import { codeOf, messageOf } from "../../base/message-of.js";
import { commandSchema } from "../engine/execute-run.js";
import { inUse } from "../wire/error-response.js";
import { RequestError } from "../wire/request-error.js";

/** The name of a node. LangGraph looks a node up by its name, and would find a method of each object. */
export const nodeName = z.string().refine((name) => !(name in Object.prototype), "there is no such node.");

const update = z
  .object({ values: z.unknown().optional(), command: commandSchema.nullish(), as_node: nodeName })
  .transform(({ values = null, command, as_node }) => ({ values: command ?? values, asNode: as_node }));

/** The super-steps that a new thread begins with: for each the nodes that wrote, and what. */
export const superstepsSchema = z.array(z.object({ updates: z.array(update).min(1) })).max(1000);

/**
 * Returns the error to answer with for an update that failed. LangGraph has no class of errors for values that a graph does not
 * take. Errors of systems, such as a database, have a code.
 */
export function refusalOf(error: unknown): unknown {
  if (hasCode(error, "thread-in-use")) return new RequestError(409, inUse);
  if (error instanceof GlassloopError || codeOf(error) !== "") return error;
  const [sentence] = messageOf(error).split("\n");
  return new RequestError(422, `The graph does not take these values: ${sentence}`, { cause: error });
}
