import type { NodeName } from "../core/nodes/node-names.js";
import type { AgentStateValues } from "../core/state/state.js";
import { DirectRunnable } from "../langgraph/direct-runnable.js";
import type { RetrievalDependencies } from "./dependencies.js";
import { isNotFound } from "./nodes/finish.js";
import { foundSources, retrievalOf } from "./nodes/read-state.js";

type Seen = Pick<AgentStateValues, "retrieval" | "sources" | "decision" | "stopReason">;

/** The most searches of a question that needs several. */
const mostRounds = 4;

type Shape = Pick<RetrievalDependencies, "combine" | "grading">;

/** Returns the node that makes the reply from passages. */
export function replyNode({ combine }: Pick<Shape, "combine">): NodeName {
  return combine === "map-rerank" ? "rank" : retryNode({ combine });
}

/** Returns the node that asks for the reply again, and that answers without passages. */
export function retryNode({ combine }: Pick<Shape, "combine">): "reduce" | "write-answer" {
  return combine === "map-reduce" ? "reduce" : "write-answer";
}

/** The edge after the places to search are known. Without any the question is answered at once. A hook may have ended the turn. */
export const afterRoute = new DirectRunnable(
  "afterRoute",
  ({ retrieval, stopReason }: Seen): "search" | "talk" | "returned" => {
    if (stopReason) return "returned";
    return retrievalOf({ retrieval }).retrievers.length === 0 ? "talk" : "search";
  },
);

/** Returns the edge after a search, when it is known which passages help. */
export function afterSearch(shape: Shape) {
  return new DirectRunnable("afterSearch", (state: Seen): "try again" | "search on" | Way => {
    const { severalSearches, rounds } = retrievalOf(state);
    if (isNotFound(state)) return canSearchAgain(shape, state) ? "try again" : "not found";
    return severalSearches && rounds < mostRounds ? "search on" : fromPassages(shape, state);
  });
}

/** Returns the edge after another query was looked for: to a search with it, or on without one. */
export function afterQuery(shape: Shape) {
  return new DirectRunnable("afterQuery", (state: Seen): "query" | Way =>
    retrievalOf(state).queries.length > 0 ? "query" : fromPassages(shape, state),
  );
}

/** Returns the edge after a step from passages to the answer. */
export function afterPassages(shape: Shape) {
  return new DirectRunnable("afterPassages", (state: Seen) => fromPassages(shape, state));
}

/** The edge after an answer was held against its passages: to a search for what they lack, or to another answer, or on. */
export const afterCheck = new DirectRunnable("afterCheck", ({ decision, retrieval }: Seen) => {
  if (decision?.kind !== "unparseable") return "passed";
  return retrievalOf({ retrieval }).queries.length > 0 ? "search again" : "complaint";
});

/** The edge at the end: back to the node that asks for the reply, or on. */
export const afterReply = new DirectRunnable("afterReply", ({ decision }: Seen): "unparseable" | "finish" =>
  decision?.kind === "unparseable" ? "unparseable" : "finish",
);

function canSearchAgain({ grading }: Shape, state: Seen): boolean {
  const { rewrites, usedFallback } = retrievalOf(state);
  if (grading === undefined || usedFallback) return false;
  return rewrites < grading.rewrites || grading.fallback !== undefined;
}

/** The edges on the way from passages to the answer. */
type Way = "found" | "next passage" | "not found";

function fromPassages({ combine }: Shape, state: Seen): Way {
  if (isNotFound(state)) return "not found";
  const isNext = combine === "refine" && retrievalOf(state).refined < foundSources(state).length - 1;
  return isNext ? "next passage" : "found";
}
