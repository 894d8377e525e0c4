/** The nodes of an agent, and those of a retrieval agent. Both begin with the first and end with the second one. */
export const nodeNames = [
  "rephrase-question",
  "parse",
  "plan",
  "act",
  "route",
  "translate",
  "retrieve",
  "grade",
  "rewrite",
  "next-query",
  "map",
  "refine",
  "write-answer",
  "reduce",
  "rank",
  "check",
] as const;
export type NodeName = (typeof nodeNames)[number];

/** The nodes that leave a reply. */
export const replyNodes: ReadonlySet<string> = new Set<NodeName>(["plan", "write-answer", "reduce", "rank"]);

/** The nodes that look at a reply before the turn goes on. */
export const readingNodes: ReadonlySet<string> = new Set<NodeName>(["parse", "check"]);

/** The nodes that leave what the next reply is made of. */
export const findingNodes: ReadonlySet<string> = new Set<NodeName>(["act", "retrieve"]);
