import { z } from "zod";

/**
 * What a provider refuses in the schema of a tool.
 *
 * - `no-type`: a schema without a type. `choice-at-top`: one that begins with `anyOf`, `$ref` or the like.
 * - `no-properties`: an object without `properties`, if it is the schema itself or if it requires some.
 * - `no-items`: a list without `items`. `item-lists`: a list of schemas as `items`.
 */
const schemaRefusals = ["no-type", "choice-at-top", "no-properties", "no-items", "item-lists"] as const;

export const providerFormSchema = z.object({
  ids: z.string(),
  names: z.string(),
  fields: z.string(),
  blocks: z.boolean(),
  schemas: z.array(z.enum(schemaRefusals)),
});

/**
 * What a provider takes in a conversation with tool calls. The patterns tell the ids of calls, the names of tools, and the
 * names of their arguments that it takes. `blocks`: its package leaves out, or sends once, calls that stand in the content, too.
 */
export interface ProviderForm extends z.infer<typeof providerFormSchema> {}
