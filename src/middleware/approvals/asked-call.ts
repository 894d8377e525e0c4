import { z } from "zod";
import { approvalDecisionSchema, approvalRequestSchema, decidedSchema } from "../../core/state/approval.js";

/**
 * A call that a person decides about.
 *
 * - `call`: the call of the model, as the ledger names it.
 * - `request`: what the person is shown.
 * - `given`: the input that the tool's schema made the shown one of.
 * - `isEdit`: true if a person wrote that input.
 * - `isAgain`: true if the schema has made something else of it since, so that the person was asked again.
 * - `decision`, `decided`: what the person decided; who it was, and when.
 */
export const askedCallSchema = z.object({
  call: z.string(),
  request: approvalRequestSchema,
  given: z.record(z.string(), z.unknown()),
  isEdit: z.boolean(),
  isAgain: z.boolean(),
  decision: approvalDecisionSchema.optional(),
  decided: decidedSchema.optional(),
});
export type AskedCall = z.infer<typeof askedCallSchema>;
