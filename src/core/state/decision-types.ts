/** The kinds of decision that a person can make about an action. */
export const decisionTypes = ["approve", "edit", "refuse", "answer"] as const;
export type DecisionType = (typeof decisionTypes)[number];

/** The words for a kind of decision: our own, and those of LangChain and its chat pages. */
export const decisionWords: ReadonlyMap<string, DecisionType> = new Map([
  ...decisionTypes.map((type) => [type, type] as const),
  ["accept", "approve"],
  ["reject", "refuse"],
  ["ignore", "refuse"],
  ["respond", "answer"],
  ["response", "answer"],
]);
