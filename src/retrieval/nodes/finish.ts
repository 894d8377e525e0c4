import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import { InvalidOptionError } from "../../base/errors.js";
import { checkedResult } from "../../base/options.js";
import { parse } from "../../core/nodes/parse.js";
import { decide } from "../../core/nodes/parsing/decide.js";
import type { Node } from "../../core/nodes/run-node.js";
import { limitSentence } from "../../core/parts/reached.js";
import type { Decision, Reply } from "../../core/state/decision.js";
import { drawReplyId } from "../../core/state/reply-id.js";
import type { AgentStateUpdate, AgentStateValues } from "../../core/state/state.js";
import { timeOver } from "../../middleware/limits/reached-limits.js";
import { runView } from "../../middleware/run-view.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { notFoundText, translatedText, translationOfText } from "../prompts/not-found.js";
import { ask } from "./ask.js";
import { mostChecks } from "./check.js";
import { foundSources, retrievalOf } from "./read-state.js";

/** Makes the node that parses the reply and ends the turn, as in an agent. If nothing was found, the answer says so. */
export function finish(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  const read = parse(parts.agent, decideFromPassages);
  const end: Node<AgentStateUpdate> = async (state, config) => {
    if (!isNotFound(state)) return read(state, config);
    const { searched } = retrievalOf(state);
    // Searches may all fail only if the time of the turn is over.
    const isTimeOver = searched.length > 0 && searched.every(({ error }) => error !== undefined);
    const { stopReason, why } = timeOver(parts.maxTurnMs);
    const ending: Decision = isTimeOver
      ? { kind: "finish", output: limitSentence(why), stopReason, why }
      : { kind: "finish", output: await notFoundAnswer(parts, state, config), stopReason: "not-found" };
    return parse(parts.agent, () => ending)({ ...state, reply: { ...noReply, id: drawReplyId() } }, config);
  };
  return async (state, config) => withoutCalls(await end(state, config));
}

/** @throws InvalidOptionError when a middleware made a call of a tool. Those of the model are refused when they are read. */
function withoutCalls(update: AgentStateUpdate): AgentStateUpdate {
  if (update.decision?.kind !== "action") return update;
  throw new InvalidOptionError(
    "middleware",
    "one called a tool, and a retrieval agent has none; give it to createAgent.",
  );
}

const noReply: Reply = { text: "", toolCalls: [], invalidToolCalls: [] };

/** Tells whether a question that needs passages has none. */
export function isNotFound(state: Pick<AgentStateValues, "retrieval" | "sources">): boolean {
  return retrievalOf(state).retrievers.length > 0 && foundSources(state).length === 0;
}

const decideFromPassages: typeof decide = (agent, state, reply, config) => {
  const { checks, complaint } = retrievalOf(state);
  const decision = decide(agent, state, reply, config);
  if (decision.kind !== "finish" || checks < mostChecks || complaint === "") return decision;
  return { ...decision, stopReason: "ungrounded", why: complaint.replace(/[.\s]+$/, "") };
};

/** Writes the answer of a turn that found nothing that helps: the user's text, or ours in the language of the question. */
async function notFoundAnswer(parts: RetrievalDependencies, state: AgentStateValues, config: LangGraphRunnableConfig) {
  const { question, turn } = state;
  const { notFound } = parts.prompts;
  if (notFound) {
    const text = await notFound({ ...runView(state, config), question });
    return checkedResult("prompts.notFound", "function", z.string().min(1), text);
  }
  const { text, missed } = notFoundText(retrievalOf(state).searched);
  const messages = translationOfText(text, question, turn.mark);
  const reply = await ask("not-found", parts, state, messages, config).catch((error: unknown) => {
    // Without a model that can be asked the answer is still true.
    if (config.signal?.aborted) throw error;
  });
  return [translatedText(reply ?? "", text), ...missed].join(" ");
}
