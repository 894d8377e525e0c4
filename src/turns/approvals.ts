import { Command, INTERRUPT } from "@langchain/langgraph";
import { z } from "zod";
import { checkedOption } from "../base/options.js";
import { DECIDED_BY } from "../core/run/keeper.js";
import {
  type ApprovalDecision,
  type ApprovalRequest,
  approvalDecisionSchema,
  readApproval,
} from "../core/state/approval.js";
import { inOurWords } from "./given-decision.js";

/** Decisions by the id of their action. The words `"approve"` and `"refuse"` stand for the decisions of that type. */
export type Decisions = Readonly<Record<string, ApprovalDecision | "approve" | "refuse">>;

const interruptSchema = z.looseObject({ id: z.string().optional(), value: z.unknown() });
const stoppedSchema = z.union([
  z.object({ [INTERRUPT]: z.array(interruptSchema) }).transform((state) => state[INTERRUPT]),
  z
    .object({ tasks: z.array(z.object({ interrupts: z.array(interruptSchema) })) })
    .transform(({ tasks }) => tasks.flatMap(({ interrupts }) => interrupts)),
]);

/**
 * Returns the actions that wait for a decision.
 *
 * @param stopped What `agent.invoke` or `agent.getState` returned.
 * @returns The requests; none if the thread does not wait for decisions.
 * @example
 * const state = await agent.invoke({ messages: "Refund the order 7." }, config);
 * for (const { id, tool, input } of approvalRequests(state)) console.log(id, tool, input);
 */
export function approvalRequests(stopped: unknown): ApprovalRequest[] {
  const interrupts = stoppedSchema.safeParse(stopped).data ?? [];
  return interrupts.flatMap(({ value }) => readApproval(value)?.requests ?? []);
}

const decisionsSchema = z.record(
  z.string(),
  z.preprocess((given) => inOurWords(given), approvalDecisionSchema),
);

/**
 * Returns the input of a run that brings decisions. Decisions that are still missing are asked for again.
 *
 * @param decisions A decision for each action, by its id.
 * @param by The person who decided, by a name of yours. It is kept beside each decision: `decided` of a result has it.
 * @throws InvalidOptionError when a decision has a wrong form.
 * @example
 * const [request] = approvalRequests(await agent.getState(config));
 * await agent.invoke(decide({ [request.id]: { type: "refuse", reason: "The order is too old." } }), config);
 */
export function decide(
  decisions: Decisions,
  { by }: { readonly by?: string } = {},
): Command<unknown, Record<string, never>, never> {
  const resume = checkedOption("decisions", decisionsSchema, decisions);
  const command = new Command<unknown, Record<string, never>, never>({ resume });
  return by === undefined ? command : Object.assign(command, { [DECIDED_BY]: checkedOption("by", z.string(), by) });
}
