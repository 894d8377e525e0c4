import { isDeepStrictEqual } from "node:util";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { sendRest } from "../../langgraph/messages-stream.js";
import { paused } from "../../provider-forms/finish-reason.js";
import type { AgentParts } from "../parts/agent-parts.js";
import { isLimitSentence } from "../parts/reached.js";
import { runOf } from "../run/run.js";
import { Draft, hasHook } from "../seams/draft.js";
import { callIdOf, type Decision, type Reply } from "../state/decision.js";
import { replyIdOf } from "../state/reply-id.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { answerMessage, callMessage, resultMessage } from "./action-messages.js";
import { tellActions } from "./agent-callbacks.js";
import { endByHook, endTurn } from "./end-turn.js";
import { decide } from "./parsing/decide.js";
import { givenResults, type ReadReply, readAnew, readMessage } from "./parsing/hooked-reply.js";

/**
 * Makes the node that turns the reply into a decision. A turn at one of its limits ends here too: with a `finish` and
 * its stop reason.
 *
 * @param decideOn Makes the decision.
 */
export function parse(agent: AgentParts, decideOn = decide) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate> => {
    const reply = state.reply ?? emptyReply;
    const read = { reply, decision: decideOn(agent, state, reply, config) };
    if (hasHook(agent.plugins, "afterModel")) return parseWithHooks(agent, state, read, config);
    return follow(agent, state, read, config);
  };
}

/** Lets the hooks see and change what was read, and then follows it. An unreadable reply stands in no message but theirs. */
async function parseWithHooks(
  agent: AgentParts,
  state: AgentStateValues,
  read: ReadReply,
  config: LangGraphRunnableConfig,
): Promise<AgentStateUpdate> {
  const { specs } = agent.tools;
  const before = readMessage(read, namedBy(agent, state, config), specs);
  const draft = new Draft(state, agent.plugins);
  draft.apply({ messages: [before] });
  const jumpTo = await draft.run("afterModel", config);
  const found = draft.messages.find(({ id }) => id === before.id);
  const now = AIMessage.isInstance(found) ? found : undefined;
  const readAgain = (reply: Reply) => decide(agent, { ...state, reply }, reply, config);
  const { reply, decision: anew } = readAnew(read, before, now, specs, readAgain);
  const decision = withPersonsWord(anew, callsIn(draft.decided, before.id), callsIn(draft.messages, before.id));
  if (decision.kind === "unparseable") draft.messages = draft.messages.filter((said) => said !== now);
  const isAgain = jumpTo === "model" && decision.kind === "finish";
  if (isAgain) return draft.update({ decision: askedAgain, reply: withoutMessage(reply) });
  if (jumpTo === "model" && decision.kind === "action") {
    const given = givenResults(draft.messages, String(before.id));
    const open = decision.actions.filter((action) => !given.has(callIdOf(action)));
    const results = open.map((action) => resultMessage({ action, observation: notMade, status: "error" }));
    draft.apply({ messages: results });
  }
  const end = jumpTo === "end" ? await endByHook(agent, draft.state, config) : undefined;
  const update = end ?? (await follow(agent, draft.state, { reply, decision }, config, now));
  return draft.update(update);
}

/** Notes which calls a person was asked about, and whether they are still the same. */
function withPersonsWord(decision: Decision, asked: Calls | undefined, calls: Calls = []): Decision {
  if (decision.kind !== "action" || asked === undefined) return decision;
  const isSame = (id: string) => {
    const [before, now] = [asked, calls].map((all) => all.find((call) => call.id === id));
    return isDeepStrictEqual([before?.name, before?.args], [now?.name, now?.args]);
  };
  return {
    ...decision,
    actions: decision.actions.map((action) => ({ ...action, approved: isSame(callIdOf(action)) })),
  };
}

type Calls = NonNullable<AIMessage["tool_calls"]>;

/** Returns the calls of a message; undefined if it is not there. */
function callsIn(messages: readonly BaseMessage[] | undefined, id: string | undefined): Calls | undefined {
  const said = messages?.find((message) => message.id === id);
  return AIMessage.isInstance(said) ? (said.tool_calls ?? []) : undefined;
}

const notMade = "This call was not made.";
const askedAgain = { kind: "unparseable", why: "A plug-in asked for another reply.", correction: "" } as const;

function namedBy({ answers: { name } }: AgentParts, state: AgentStateValues, config: LangGraphRunnableConfig) {
  return { id: replyIdOf(state), name, outside: runOf(config).outside };
}

/** @param now The message of the reply, if hooks have seen it. */
async function follow(
  agent: AgentParts,
  state: AgentStateValues,
  { reply, decision }: ReadReply,
  config: LangGraphRunnableConfig,
  now?: AIMessage,
) {
  const named = namedBy(agent, state, config);
  switch (decision.kind) {
    case "action": {
      const message = now ?? callMessage(decision, reply, named, agent.tools.specs);
      sendRest(config, message);
      await tellActions(config, decision.actions);
      return { decision, messages: [message], ...(state.reply && { reply: withoutMessage(reply) }) };
    }
    case "unparseable":
      if (reply.finishReason === paused) return pausedStep(reply, decision, named);
      return { decision, intermediateSteps: { reply, decision, results: [] } };
    case "finish": {
      const { output: answer, stopReason, why } = decision;
      // If the answer is our own sentence, the reply was not followed. When the turn is continued, the reply may be
      // followed.
      const isOurs = isLimitSentence(answer, why);
      const own = { ...(now && { id: now.id }), ...(!isOurs && { reply }) };
      const end = await endTurn(agent, state, { answer, stopReason, why, ...own }, config);
      const isSame = end.answer === answer;
      const kept = withoutMessage(isSame ? reply : { ...reply, text: end.answer, changed: true });
      const followed = isSame ? decision : { ...decision, output: end.answer };
      return { decision: followed, ...end, ...(state.reply && !isOurs && { reply: kept }) };
    }
  }
}

/** Keeps a reply that the provider paused. The model goes on from its message. */
function pausedStep(reply: Reply, decision: Decision, named: Parameters<typeof answerMessage>[2]) {
  const message = answerMessage(reply.text, reply, named);
  const kept = withoutMessage(reply);
  return { decision, messages: [message], reply: kept, intermediateSteps: { reply: kept, decision, results: [] } };
}

/** The message of a reply that was read stands in `messages`. */
function withoutMessage({ message, ...reply }: Reply): Reply {
  return reply;
}

const emptyReply: Reply = { text: "", toolCalls: [], invalidToolCalls: [] };
