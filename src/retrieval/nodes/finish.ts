import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { shorten } from "../../base/shorten.js";
import { parse } from "../../core/nodes/parse.js";
import { decide } from "../../core/nodes/parsing/decide.js";
import type { Node } from "../../core/nodes/run-node.js";
import type { AgentParts } from "../../core/parts/agent-parts.js";
import type { Decision, Reply } from "../../core/state/decision.js";
import { drawReplyId } from "../../core/state/reply-id.js";
import type { Retrieval, Searched } from "../../core/state/retrieval.js";
import type { AgentStateUpdate, AgentStateValues } from "../../core/state/state.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { mostChecks } from "./check.js";
import { foundSources, retrievalOf } from "./read-state.js";

/** Makes the node that parses the reply and ends the turn, as in an agent. If nothing was found, the answer says so. */
export function finish({ agent }: RetrievalDependencies): Node<AgentStateUpdate> {
  const read = parse(agent, decideFromPassages);
  return (state, config) => {
    const reply = isNotFound(state) ? { ...noReply, id: drawReplyId() } : state.reply;
    return read({ ...state, reply }, config);
  };
}

const noReply: Reply = { text: "", toolCalls: [], invalidToolCalls: [] };

/** Tells whether a question that needs passages has none. */
export function isNotFound(state: Pick<AgentStateValues, "retrieval" | "sources">): boolean {
  return retrievalOf(state).retrievers.length > 0 && foundSources(state).length === 0;
}

function decideFromPassages(
  agent: AgentParts,
  state: AgentStateValues,
  reply: Reply,
  config: LangGraphRunnableConfig,
): Decision {
  const { checks, complaint, searched } = retrievalOf(state);
  if (isNotFound(state)) return { kind: "finish", output: notFoundAnswer({ searched }), stopReason: "not-found" };
  const decision = decide(agent, state, reply, config);
  if (decision.kind !== "finish" || checks < mostChecks || complaint === "") return decision;
  return { ...decision, stopReason: "ungrounded", why: complaint.replace(/[.\s]+$/, "") };
}

/** Writes the answer of a turn that found nothing that helps. It says what was searched. */
function notFoundAnswer({ searched }: Pick<Retrieval, "searched">): string {
  const places = [...new Set(searched.map(({ retriever }) => retriever))];
  const tried = places.map((place) => `${place} (${quoted(searched.filter(({ retriever }) => retriever === place))})`);
  const failed = searched.filter(({ error }) => error !== undefined);
  return [
    `I found nothing that answers this question. I searched: ${tried.join("; ")}.`,
    ...[...new Set(failed.map(({ retriever }) => retriever))].map((place) => `A search in ${place} failed.`),
  ].join(" ");
}

function quoted(searches: readonly Searched[]): string {
  return [...new Set(searches.map(({ query }) => `"${shorten(query, 200)}"`))].join(", ");
}
