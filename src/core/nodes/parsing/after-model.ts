import { isDeepStrictEqual } from "node:util";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { AgentParts } from "../../parts/agent-parts.js";
import { runOf } from "../../run/run.js";
import { Draft } from "../../seams/draft.js";
import { callIdOf, type Decision, type Reply, withoutMessage } from "../../state/decision.js";
import type { AgentStateUpdate, AgentStateValues } from "../../state/state.js";
import { resultMessage, writtenBy } from "../action-messages.js";
import { endByHook } from "../end-turn.js";
import { decide } from "./decide.js";
import { givenResults, type ReadReply, readAnew, readMessage } from "./hooked-reply.js";

/** Follows what was read in a reply. `now` is the message of the reply, if hooks have seen it. */
export type Follow = (
  agent: AgentParts,
  state: AgentStateValues,
  read: ReadReply,
  config: LangGraphRunnableConfig,
  now?: AIMessage,
) => Promise<AgentStateUpdate & { readonly messages?: BaseMessage[] }>;

/** Lets the hooks see and change what was read, and then follows it. An unreadable reply stands in no message but theirs. */
export async function followThroughHooks(
  follow: Follow,
  agent: AgentParts,
  state: AgentStateValues,
  read: ReadReply,
  config: LangGraphRunnableConfig,
): Promise<AgentStateUpdate> {
  const { specs } = agent.tools;
  const before = readMessage(read, writtenBy(agent, state, runOf(config)), specs);
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
