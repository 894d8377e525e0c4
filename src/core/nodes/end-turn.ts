import { AIMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { tellEnd } from "../../langgraph/agent-callbacks.js";
import type { AgentParts } from "../parts/agent-parts.js";
import type { TurnEnd } from "../parts/plugin.js";
import { limitSentence } from "../parts/reached.js";
import { runOf } from "../run/run.js";
import { Draft } from "../seams/draft.js";
import * as seams from "../seams/seams.js";
import { textOf } from "../state/chat-history.js";
import { answerIdOf, replyIdOf } from "../state/reply-id.js";
import type { AgentStateValues } from "../state/state.js";
import { sendAnswer, type TurnAnswer } from "./reply-stream.js";
import { copiesAnew } from "./steps-in-messages.js";

/**
 * Returns the update that ends a turn: the answer with its message, and the stop reason. It sends out the rest of the answer.
 */
export async function endTurn(
  agent: AgentParts,
  state: AgentStateValues,
  given: TurnAnswer,
  config: LangGraphRunnableConfig,
) {
  const hooked = await afterAgent(agent, state, given, config);
  const { answer, stopReason, why } = hooked.given;
  const first: TurnEnd = { answer, stopReason, why, state, config, update: {}, before: [], told: {} };
  const { update, before, told } = seams.endTurn(agent.plugins, first);
  const message = sendAnswer(agent, state, hooked.given, config);
  const said = hooked.given === given ? (given.reply ?? state.reply)?.text : answer;
  await tellEnd(config, answer, said ?? "");
  const run = runOf(config);
  for (const event of before) run.emit(event);
  run.emit({ type: "answer", text: answer, ...told, stopReason, ...(why && { why }) });
  return { ...hooked.channels, ...update, answer, stopReason, messages: [...hooked.changes, message] };
}

/** Ends a turn that a hook ended. The answer is what an agent said last, or a sentence of our own. */
export async function endByHook(agent: AgentParts, state: AgentStateValues, config: LangGraphRunnableConfig) {
  const last = state.messages.at(-1);
  const isSaid = AIMessage.isInstance(last) && !last.tool_calls?.length && textOf(last).trim() !== "";
  const why = "a plug-in of the agent ended the turn";
  const said = isSaid ? { answer: textOf(last), id: last.id } : { answer: limitSentence(why), why };
  const end = await endTurn(agent, state, { ...said, stopReason: "stop-condition" }, config);
  return { ...end, decision: { kind: "finish", output: end.answer, stopReason: end.stopReason } as const };
}

/** Runs the hooks at the end of a turn. They find the answer as the last message, and may change its words. */
async function afterAgent(
  { plugins, tools }: AgentParts,
  state: AgentStateValues,
  given: TurnAnswer,
  config: LangGraphRunnableConfig,
): Promise<{ readonly given: TurnAnswer } & Pick<Draft, "channels" | "changes">> {
  if (!seams.hasHook(plugins, "afterAgent", "afterModel")) return { given, channels: {}, changes: [] };
  const id = given.id ?? answerIdOf(replyIdOf(state));
  const others = state.messages.filter((message) => message.id !== id);
  const draft = new Draft({ ...state, messages: [...others, new AIMessage({ id, content: given.answer })] }, plugins);
  await draft.run("afterAgent", config);
  const answer = draft.messages.find((message) => message.id === id);
  const words = answer === undefined ? given.answer : textOf(answer);
  const changes = draft.changes.filter((message) => message.id !== id);
  const { reply, ...own } = given;
  draft.copies = copiesAnew(draft.state, tools.specs);
  return { given: words === given.answer ? given : { ...own, answer: words }, channels: draft.channels, changes };
}
