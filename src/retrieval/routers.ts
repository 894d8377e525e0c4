import type { NodeName } from "../core/graph/node-names.js";
import type { AgentStateValues } from "../core/state/state.js";
import { DirectRunnable } from "../langgraph/direct-runnable.js";
import type { RetrievalDependencies } from "./dependencies.js";
import { isNotFound } from "./nodes/finish.js";
import { foundSources, retrievalOf } from "./nodes/read-state.js";

type Seen = Pick<AgentStateValues, "retrieval" | "sources" | "decision">;

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

/** Returns the edge after the places to search are known. Without any the question is answered at once. */
export function afterRoute<Search extends string, Talk extends string>(search: Search, talk: Talk) {
  return new DirectRunnable("afterRoute", ({ retrieval }: Seen): Search | Talk =>
    retrievalOf({ retrieval }).retrievers.length === 0 ? talk : search,
  );
}

/** Returns the edge after a search, when it is known which passages help. */
export function afterSearch(shape: Shape): DirectRunnable<Seen, NodeName> {
  return new DirectRunnable("afterSearch", (state) => {
    const { severalSearches, rounds } = retrievalOf(state);
    if (isNotFound(state)) return canSearchAgain(shape, state) ? "rewrite" : "parse";
    return severalSearches && rounds < mostRounds ? "next-query" : fromPassages(shape, state);
  });
}

/** Returns the edge after another query was looked for: to a search with it, or on without one. */
export function afterQuery(shape: Shape): DirectRunnable<Seen, NodeName> {
  return new DirectRunnable("afterQuery", (state) => {
    if (retrievalOf(state).queries.length > 0) return "retrieve";
    return isNotFound(state) ? "parse" : fromPassages(shape, state);
  });
}

/** Returns the edge after a step from passages to the answer. */
export function afterPassages(shape: Shape): DirectRunnable<Seen, NodeName> {
  return new DirectRunnable("afterPassages", (state) => (isNotFound(state) ? "parse" : fromPassages(shape, state)));
}

function canSearchAgain({ grading }: Shape, state: Seen): boolean {
  const { rewrites, usedFallback } = retrievalOf(state);
  if (grading === undefined || usedFallback) return false;
  return rewrites < grading.rewrites || grading.fallback !== undefined;
}

/** Returns the next node on the way from passages to the answer. */
function fromPassages({ combine }: Shape, state: Seen): NodeName {
  const { notes, refined } = retrievalOf(state);
  if (combine === "refine" && refined < foundSources(state).length - 1) return "refine";
  if (combine.startsWith("map") && notes === null) return "map";
  return replyNode({ combine });
}

/** Returns the edge back to the node that asks for the reply, or on. */
export function unlessUnparseable<Again extends string, Next extends string>(again: Again, next: Next) {
  return new DirectRunnable("unlessUnparseable", ({ decision }: Seen): Again | Next =>
    decision?.kind === "unparseable" ? again : next,
  );
}
