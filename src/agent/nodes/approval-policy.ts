import type { StructuredToolInterface } from "@langchain/core/tools";
import { hasEffects, possibleDecisions } from "../../tools/calling/marks.js";
import type { ApprovalRequest } from "../../turn/approval.js";
import { decisionTypes } from "../../turn/decision-types.js";
import type { AgentStateValues } from "../../turn/state.js";
import type { PolicyName } from "../policy-names.js";

/** A call that a person may have to decide on. */
export interface ProposedCall {
  readonly tool: StructuredToolInterface;
  /** The arguments of the call. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The state of the thread. The action is not yet in its steps. */
  readonly state: AgentStateValues;
}

/**
 * The calls that a person decides on:
 *
 * - `"never"`: none.
 * - `"effects"`: those of tools with `metadata: { effects: true }`.
 * - `"always"`: all.
 * - A function: those for which it returns true, or a text that tells the person why.
 */
export type ApprovePolicy = PolicyName | ((call: ProposedCall) => boolean | string | Promise<boolean | string>);

/** Tells why a person is asked about a call, and what is possible; undefined if nobody is asked. */
export type Approve = (
  tool: StructuredToolInterface,
  input: Readonly<Record<string, unknown>>,
  state: AgentStateValues,
) => Promise<Pick<ApprovalRequest, "why" | "allowed"> | undefined>;

/** Makes the check for a policy. A tool may ask for approval itself, with `metadata: { approve: … }`. */
export function approval(policy: ApprovePolicy): Approve {
  return async (tool, input, state) => {
    const possible = possibleDecisions(tool);
    if (possible !== undefined) return { why: `${tool.name} always asks a person.`, allowed: [...possible] };
    const why = await reason(policy, { tool, input, state });
    return why === undefined ? undefined : { why, allowed: [...decisionTypes] };
  };
}

async function reason(policy: ApprovePolicy, call: ProposedCall): Promise<string | undefined> {
  if (policy === "never") return undefined;
  if (policy === "always") return "This agent asks a person before each call.";
  if (policy === "effects") {
    return hasEffects(call.tool) ? `${call.tool.name} has effects outside of this conversation.` : undefined;
  }
  const answer = await policy(call);
  return typeof answer === "string" ? answer : answer ? "This agent asks a person before such a call." : undefined;
}
