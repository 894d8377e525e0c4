import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { isLimitSentence } from "../limits/limits.js";
import type { AgentParts } from "../parts/agent-parts.js";
import { runOf } from "../run/run.js";
import { textOf } from "../state/chat-history.js";
import { citedSources } from "../state/citation.js";
import { endOf } from "../state/decision.js";
import type { AgentStateValues } from "../state/state.js";
import { tellEnd } from "./agent-callbacks.js";
import { sendAnswer, type TurnAnswer } from "./reply-stream.js";

/**
 * Returns the update that ends a turn: the answer with its message and its citations, and the stop reason. It sends out the rest of
 * the answer.
 */
export async function endTurn(
  agent: AgentParts,
  state: AgentStateValues,
  given: TurnAnswer,
  config: LangGraphRunnableConfig,
) {
  const { answer, stopReason, why } = given;
  const data = outputOf(agent, given);
  const message = sendAnswer(agent, state, given, data !== undefined, config);
  await tellEnd(config, answer, state.reply?.text ?? "");
  const said = state.messages.filter((each) => each.getType() === "human").map(textOf);
  const isCited = data === undefined && state.sources.length > 0;
  const citations = isCited ? agent.answers.citations.check(answer, state.sources, said.join("\n")) : [];
  if (citations.length > 0) runOf(config).emit({ type: "citations", citations });
  const cited = citedSources(citations, state.sources);
  const sources = cited.length > 0 && { sources: cited };
  runOf(config).emit({ type: "answer", text: answer, ...data, ...sources, stopReason, ...(why && { why }) });
  const checked = citations.length > 0 && { citations };
  return { answer, ...data, ...checked, stopReason, messages: [message] };
}

/** Returns the answer as data, if it fits the output of the agent. A refusal or a sentence about a limit is no answer. */
function outputOf(
  { answers }: AgentParts,
  { answer, stopReason, why }: TurnAnswer,
): { readonly output: unknown } | undefined {
  if (endOf(stopReason) === "none" || stopReason === "refused" || isLimitSentence(answer, why)) return undefined;
  const read = answers.output?.read(answer);
  return read?.kind === "fits" ? { output: JSON.parse(read.json) } : undefined;
}
