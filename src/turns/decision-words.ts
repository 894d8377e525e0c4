import { type DecisionType, decisionTypes } from "../core/state/decision-types.js";

/** The decisions in LangChain's words. */
export const langChainTypes: Readonly<Record<DecisionType, string>> = {
  approve: "approve",
  edit: "edit",
  refuse: "reject",
  answer: "respond",
};

/** The words for a kind of decision: our own, and those of LangChain and its chat pages. */
export const decisionWords: ReadonlyMap<string, DecisionType> = new Map([
  ...decisionTypes.map((type) => [type, type] as const),
  ["accept", "approve"],
  ["reject", "refuse"],
  ["ignore", "refuse"],
  ["respond", "answer"],
  ["response", "answer"],
]);
