import { randomUUID } from "node:crypto";
import type { BaseMessage } from "@langchain/core/messages";
import { type LangGraphRunnableConfig, messagesStateReducer, Overwrite } from "@langchain/langgraph";
import { InvalidInputError } from "../../base/errors.js";
import { paragraphs } from "../../base/paragraphs.js";
import { isInOuterGraph } from "../../langgraph/node-path.js";
import type { AgentParts } from "../parts/agent-parts.js";
import { runOf } from "../run/run.js";
import { Draft } from "../seams/draft.js";
import * as seams from "../seams/seams.js";
import { seenMessage } from "../state/chat-history.js";
import { drawMark } from "../state/mark.js";
import { type AgentStateUpdate, type AgentStateValues, noTurn } from "../state/state.js";
import { questionIndex, questionText } from "../state/turn-input.js";
import { startTurnUsage } from "../state/usage.js";
import { endByHook } from "./end-turn.js";
import { outsideInNew } from "./find-outside.js";
import { addMissingObservations } from "./missing-observations.js";
import { placeOf, remember } from "./remember.js";
import { standaloneQuestion } from "./standalone-question.js";

/**
 * Makes the node that starts a turn. It takes the last human message as the question and empties the steps of the last
 * turn. It makes the question stand on its own with the chat history (the conversation loop of langchain-mini).
 *
 * The node also adds an observation to old tool calls that have none. It does not do so inside an outer graph: another
 * node there may still make these calls.
 */
export function rephraseQuestion(agent: AgentParts) {
  return async (given: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const isNode = isInOuterGraph(config);
    const state = isNode ? given : withoutOldAnswer(given);
    const index = isNode ? questionIndex(state.messages) : state.messages.length - 1;
    const message = state.messages[index];
    if (message?.getType() !== "human") throw new InvalidInputError("The thread has no new human message.");
    const draft = new Draft(state, agent.plugins);
    // The first prompt of a turn may be the one that rephrases its question, so `beforeModel` comes before it.
    const first = await draft.run("beforeAgent", config);
    const jumpTo = first === "end" ? first : await draft.run("beforeModel", config);
    const place = placeOf(message.id, draft.messages);
    const question = draft.messages[place] ?? message;
    const asked = questionText(question);
    const firstTurn = state.turn.number === 0;
    const before = draft.messages.slice(0, Math.max(0, place));
    const instructions = systemText(before, draft.messages.slice(Math.max(0, place)), firstTurn);
    const turn = {
      number: state.turn.number + 1,
      id: randomUUID(),
      asked,
      startedAt: new Date().toISOString(),
      message: seenMessage(question),
      ...(instructions && { instructions }),
      mark: agent.prompt.fence ? drawMark() : "",
    };
    const run = runOf(config);
    run.turn.begin(turn, startTurnUsage(state.usage));
    run.learn(outsideInNew(draft.state, turn, agent.tools.byName));
    const chatHistory = await remember(agent, draft.state, before, config);
    const isEnded = jumpTo === "end";
    const standalone = isEnded ? asked : await standaloneQuestion(agent, turn, chatHistory, config);
    const messages = (isNode ? undefined : addMissingObservations(draft.messages)) ?? draft.messages;
    const begun = seams.beginTurn(agent.plugins, { state, chatHistory });
    const update = {
      ...draft.channels,
      ...(messages !== given.messages && { messages: new Overwrite(messages) }),
      turn,
      question: standalone,
      intermediateSteps: new Overwrite([]),
      ...begun,
      ...(state.retrieval !== null && { retrieval: null }),
      reply: null,
      decision: null,
      answer: null,
      ...(state.output !== null && { output: null }),
      stopReason: null,
      chatHistory,
    };
    if (!isEnded) return update;
    const seen = { ...draft.state, ...begun, messages, turn, reply: null, intermediateSteps: [] };
    const end = await endByHook(agent, seen, config);
    return { ...update, ...end, messages: new Overwrite(messagesStateReducer(messages, end.messages)) };
  };
}

/**
 * Removes what followed the question of the last turn, if a person edited that question and asked no other one since. The
 * edited question is then answered.
 */
function withoutOldAnswer(state: AgentStateValues): AgentStateValues {
  const { turn } = state;
  const messages = state.messages.slice(0, questionIndex(state.messages) + 1);
  const question = messages.at(-1);
  if (question === undefined || question.id !== turn.message.id) return state;
  if (seenMessage(question).digest === turn.message.digest) return state;
  return { ...state, messages, turn: { ...turn, message: noTurn.message } };
}

/**
 * Returns the text of the system messages that came with the question. In the first turn these are all system messages,
 * later those since the last answer before the question.
 */
function systemText(before: readonly BaseMessage[], others: readonly BaseMessage[], firstTurn: boolean): string {
  const start = firstTurn ? 0 : before.findLastIndex((message) => message.getType() === "ai") + 1;
  const systemMessages = [...before.slice(start), ...others].filter((message) => message.getType() === "system");
  return paragraphs(...systemMessages.map(({ text }) => text.trim()));
}
