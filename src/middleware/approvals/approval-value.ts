import { withSeenSigns } from "../../base/unseen-signs.js";
import type { ApprovalRequest } from "../../core/state/approval.js";
import { langChainTypes } from "../../turns/decision-words.js";

/**
 * Returns the value of the interrupt that asks for decisions. The requests are there in Glassloop's form and in that of
 * LangChain's human-in-the-loop middleware, with the field names of both JavaScript and Python, as chat pages read either.
 *
 * @param complaints What was wrong with an answer, apart from the decisions about these actions.
 */
export function approvalValue(requests: readonly ApprovalRequest[], complaints: readonly string[]) {
  const actions = requests.map(({ tool, input, note, description, why, complaint }) => ({
    name: tool,
    args: input,
    description: withSeenSigns([complaint, note, description, why].filter(Boolean).join("\n\n")),
  }));
  const configs = requests.map((request) => {
    const { tool, allowed } = request;
    const decisions = [...allowed.map((type) => langChainTypes[type]), ...(isQuestion(request) ? ["edit"] : [])];
    return { actionName: tool, allowedDecisions: decisions, action_name: tool, allowed_decisions: decisions };
  });
  return {
    kind: "approval",
    requests,
    complaints,
    actionRequests: actions,
    reviewConfigs: configs,
    action_requests: actions,
    review_configs: configs,
  };
}

/**
 * Tells whether a call is a question to a person, such as one of `askHuman()`. Then only an answer is a decision. Chat pages
 * without a field for an answer show the input for an edit, and the person overwrites the question there.
 */
export function isQuestion({ allowed }: Pick<ApprovalRequest, "allowed">): boolean {
  return allowed.includes("answer") && !allowed.includes("approve") && !allowed.includes("edit");
}
