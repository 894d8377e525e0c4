import { z } from "zod";
import { approvalDecisionSchema } from "../state/approval.js";

/** A question to a person. `by` is the id of the action whose tool asks; it is empty if the agent asks for decisions. */
const questionSchema = z.object({
  id: z.string(),
  by: z.string(),
  /** True if a graph in the tool asks. */
  isNested: z.boolean(),
  /** The requests that the person was shown, and the value of the interrupt. */
  shown: z.array(z.string()),
  value: z.unknown(),
});
export type Question = z.infer<typeof questionSchema>;

/**
 * What the node `act` keeps when it stops to ask a person. It finds it when it runs again.
 *
 * - `asked`: the question that waits.
 * - `answered`: the number of questions that have an answer.
 * - `tookBareAnswer`: true if one of the answers came without the id of its question.
 * - `answers`: the answers to the questions of a tool, by the id of its action.
 * - `decided`: the decisions, by the id of the action. Each has the digest of the call that the person was shown.
 * - `finished`: the other actions of the step, as the ledger names their calls. Their outcomes are on record.
 */
export const pauseSchema = z.object({
  asked: questionSchema,
  answered: z.number(),
  tookBareAnswer: z.boolean(),
  answers: z.record(z.string(), z.array(z.unknown())),
  decided: z.record(z.string(), z.object({ digest: z.string(), decision: approvalDecisionSchema })),
  finished: z.array(z.string()),
});
export type Pause = z.infer<typeof pauseSchema>;
