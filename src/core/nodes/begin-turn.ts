import { randomUUID } from "node:crypto";
import type { BaseMessage } from "@langchain/core/messages";
import { type LangGraphRunnableConfig, Overwrite } from "@langchain/langgraph";
import { InvalidInputError } from "../../base/errors.js";
import { paragraphs } from "../../base/paragraphs.js";
import { drawMark } from "../../content/marks.js";
import { addMissingObservations } from "../../content/missing-observations.js";
import { isInOuterGraph } from "../../langgraph/node-path.js";
import type { AgentParts } from "../parts/agent-parts.js";
import { runOf } from "../run/run.js";
import { Draft } from "../seams/draft.js";
import * as seams from "../seams/seams.js";
import { seenMessage } from "../state/chat-history.js";
import { type AgentStateValues, noTurn, type Turn } from "../state/state.js";
import { questionIndex, questionText } from "../state/turn-input.js";
import { startTurnUsage } from "../state/usage.js";
import { outsideInNew } from "./find-outside.js";
import { placeOf, remember } from "./remember.js";

/**
 * Begins a turn. It takes the last human message as the question, empties the steps of the last turn, and makes the chat history.
 *
 * It also adds an observation to old tool calls that have none. It does not do so inside an outer graph: another node there may
 * still make these calls.
 *
 * @returns The update of the state, the state that follows from it, and whether a hook ended the turn.
 */
export async function beginTurn(agent: AgentParts, given: AgentStateValues, config: LangGraphRunnableConfig) {
  const isNode = isInOuterGraph(config);
  const state = isNode ? given : withoutOldAnswer(given);
  const message = state.messages[isNode ? questionIndex(state.messages) : state.messages.length - 1];
  if (message?.getType() !== "human") throw new InvalidInputError("The thread has no new human message.");
  const draft = new Draft(state, agent.plugins);
  // The first prompt of a turn may be the one that rephrases its question, so `beforeModel` comes before it.
  const first = await draft.run("beforeAgent", config);
  const isEnded = (first === "end" ? first : await draft.run("beforeModel", config)) === "end";
  const place = placeOf(message.id, draft.messages);
  const before = draft.messages.slice(0, Math.max(0, place));
  const turn = nextTurn(agent, state, before, draft.messages.slice(before.length), draft.messages[place] ?? message);
  const run = runOf(config);
  run.turn.begin(turn, startTurnUsage(state.usage));
  run.learn(outsideInNew(draft.state, turn, agent.tools.byName));
  const chatHistory = await remember(agent, draft.state, before, config);
  const messages = (isNode ? undefined : addMissingObservations(draft.messages)) ?? draft.messages;
  const begun = {
    ...seams.beginTurn(agent.plugins, { state, chatHistory }),
    ...(state.retrieval !== null && { retrieval: null }),
    ...(state.output !== null && { output: null }),
    turn,
    reply: null,
    decision: null,
    answer: null,
    stopReason: null,
    chatHistory,
  };
  const update = {
    ...draft.channels,
    ...begun,
    ...(messages !== given.messages && { messages: new Overwrite(messages) }),
    intermediateSteps: new Overwrite([]),
  };
  return { update, seen: { ...draft.state, ...begun, messages, intermediateSteps: [] }, turn, chatHistory, isEnded };
}

/** Returns the turn of a question. @param before The messages before the question. @param others The question, and what came with it. */
function nextTurn(
  { prompt }: AgentParts,
  { turn: { number } }: AgentStateValues,
  before: readonly BaseMessage[],
  others: readonly BaseMessage[],
  question: BaseMessage,
): Turn {
  const instructions = systemText(before, others, number === 0);
  return {
    number: number + 1,
    id: randomUUID(),
    asked: questionText(question),
    startedAt: new Date().toISOString(),
    message: seenMessage(question),
    ...(instructions && { instructions }),
    mark: prompt.fence ? drawMark() : "",
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
