import { z } from "zod";
import { decisionTypes } from "./decision-types.js";

const digest = z.string().optional();
const toolInput = z.record(z.string(), z.unknown());

export const approvalDecisionSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("approve"), digest }),
  z.strictObject({ type: z.literal("edit"), input: toolInput, digest }),
  z.strictObject({ type: z.literal("refuse"), reason: z.string().optional(), digest }),
  z.strictObject({ type: z.literal("answer"), answer: z.string(), digest }),
]);

/**
 * A person's decision about one action:
 *
 * - `approve`: the tool runs.
 * - `edit`: the tool runs with another input.
 * - `refuse`: the tool does not run. The model reads the reason.
 * - `answer`: the tool does not run. The model reads the answer as its result.
 *
 * `digest` is the digest of the request. With it, a decision about another input is not taken.
 */
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/**
 * When a person was asked, when they decided, ISO 8601, and who it was. A server or the program knows that; it is no part of the
 * answer.
 */
export const decidedSchema = z.object({ askedAt: z.string().optional(), at: z.string(), by: z.string().optional() });
export type Decided = z.infer<typeof decidedSchema>;

export const approvalRequestSchema = z.object({
  id: z.string(),
  tool: z.string(),
  input: toolInput,
  note: z.string().optional(),
  description: z.string(),
  why: z.string(),
  allowed: z.array(z.enum(decisionTypes)),
  digest: z.string(),
  askedAt: z.string().optional(),
  complaint: z.string().optional(),
});

/**
 * An action that waits for a decision.
 *
 * - `id`: the id of the action, the key of its decision.
 * - `tool`, `input`, `description`: the tool, what it gets, and what it does. A tool may get what JSON cannot say, such as a
 *   date. Then `input` is what the model wrote.
 * - `note`: what a person has to know about the input: what it was made of, or that it has signs that nobody sees.
 * - `why`: the reason why a person is asked.
 * - `allowed`: the possible decisions.
 * - `digest`: the digest of the tool and what it gets.
 * - `askedAt`: the time at which the step first stopped with it (ISO 8601, UTC).
 * - `complaint`: the reason why an earlier decision was not taken.
 */
export interface ApprovalRequest extends z.infer<typeof approvalRequestSchema> {}

const askedSchema = z.object({
  kind: z.literal("approval"),
  requests: z.array(approvalRequestSchema),
  complaints: z.array(z.string()),
  by: z.string().optional(),
});

/**
 * The value of the interrupt with which an agent asks for decisions, as Glassloop's clients read it. `by` is the name of the
 * middleware that asks, and that reads the answer in LangChain's form.
 */
export type ApprovalValue = z.infer<typeof askedSchema>;

/**
 * Reads the value of an interrupt.
 *
 * @returns The requests, or undefined if a tool asks something of its own.
 */
export function readApproval(value: unknown): ApprovalValue | undefined {
  return askedSchema.safeParse(value).data;
}
