import { z } from "zod";
import { commandSchema } from "../engine/execute-run.js";

/** The name of a node. LangGraph looks a node up by its name, and would find a method of each object. */
export const nodeName = z.string().refine((name) => !(name in Object.prototype), "there is no such node.");

const update = z
  .object({ values: z.unknown().optional(), command: commandSchema.nullish(), as_node: nodeName })
  .transform(({ values = null, command, as_node }) => ({ values: command ?? values, asNode: as_node }));

/** The super-steps that a new thread begins with: for each the nodes that wrote, and what. */
export const superstepsSchema = z.array(z.object({ updates: z.array(update).min(1) })).max(1000);
