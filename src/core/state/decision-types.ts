/** The kinds of decision that a person can make about an action. */
export const decisionTypes = ["approve", "edit", "refuse", "answer"] as const;
export type DecisionType = (typeof decisionTypes)[number];
