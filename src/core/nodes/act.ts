import { AIMessage } from "@langchain/core/messages";
import type { Command, LangGraphRunnableConfig } from "@langchain/langgraph";
import { messageText } from "../../content/content.js";
import { keepSecretsOfModels } from "../model/model-call.js";
import type { AgentParts } from "../parts/agent-parts.js";
import type { ShownResults } from "../parts/plugin.js";
import { type Run, runOf, usageOf } from "../run/run.js";
import { Draft } from "../seams/draft.js";
import * as seams from "../seams/seams.js";
import { type Acted, type ActionResult, type AgentAction, callIdOf, type Decision } from "../state/decision.js";
import { replyIdOf } from "../state/reply-id.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { addedMessages, answerOf, handOver, sayingOutside } from "./acting/commands.js";
import { runActions } from "./acting/run-actions.js";
import { callMessage, isCallOf, resultMessage, writtenBy } from "./action-messages.js";
import { endTurn } from "./end-turn.js";
import { outsideInNew } from "./find-outside.js";
import { givenResults } from "./parsing/hooked-reply.js";

/**
 * Makes the node that runs the tools of an action. Each result, even a failure, becomes an observation. The turn ends
 * here if a tool gave the answer, or handed over to the graph around the agent.
 */
export function act(agent: AgentParts) {
  return async (state: AgentStateValues, config: LangGraphRunnableConfig): Promise<AgentStateUpdate | Command> => {
    const { reply, decision } = state;
    if (reply === null || decision?.kind !== "action") throw new Error("act runs only after an action was decided");
    const run = runOf(config);
    // A run that goes on here has asked no model yet, and a tool may tell its key.
    if (run.nodes === 1) await keepSecretsOfModels(agent.models);
    // A message of others may have come in the middle of the turn, with `updateState`.
    run.learn(outsideInNew(state, state.turn, agent.tools.byName));
    const answered = givenByHooks(agent, state, decision.actions);
    for (const { action, observation: text, status } of answered)
      run.emit({ type: "observation", id: action.id, text, status });
    const open = decision.actions.filter((action) => !answered.some((result) => result.action === action));
    const acted = noted(await runActions(agent, { ...state, outside: run.outside }, open, config), config);
    const { results, update: added } = resultsOfStep(agent, state, acted, config);
    const anew = messageAnew(agent, state, decision, run);
    const messages = [...anew, ...results.map(resultMessage), ...addedMessages(acted)];
    const command = handOver(acted, [...state.messages, ...messages]);
    if (command) return command;
    const step = {
      reply: anew.length > 0 ? { ...reply, changed: true as const } : reply,
      decision,
      results: decision.actions.flatMap(
        ({ id }) => [...answered, ...results].find(({ action }) => action.id === id) ?? [],
      ),
    };
    const draft = new Draft(state, agent.plugins);
    for (const { command } of acted) if (command) draft.apply(command.update);
    const update = { ...draft.channels, intermediateSteps: step, messages, ...added };
    // A call that was ordered after the answer has no answer of its own.
    if (state.stopReason) return { ...update, stopReason: state.stopReason };
    const answer = answerOf(acted, results, agent.tools);
    if (answer === undefined) return update;
    const seen = {
      ...draft.state,
      messages: [...state.messages, ...messages],
      intermediateSteps: [...state.intermediateSteps, step],
      ...added,
    };
    const end = await endTurn(agent, seen, { answer: answer.text, stopReason: "returned" }, config);
    const others = messages.filter((message) => message !== answer.message);
    return { ...update, ...end, messages: [...others, ...end.messages] };
  };
}

/** Returns the results of actions that hooks gave. */
function givenByHooks(
  { plugins }: AgentParts,
  state: AgentStateValues,
  actions: readonly AgentAction[],
): ActionResult[] {
  if (!seams.hasHook(plugins, "afterModel")) return [];
  const given = givenResults(state.messages, replyIdOf(state));
  return actions.flatMap((action) => {
    const message = given.get(callIdOf(action));
    if (message === undefined) return [];
    return { action, observation: messageText(message), status: message.status === "error" ? "error" : "success" };
  });
}

/** Takes note of what tools read and spent. */
function noted(ran: readonly Acted[], config: LangGraphRunnableConfig): Acted[] {
  const [run, spent] = [runOf(config), usageOf(config)];
  run.learn(ran.flatMap(({ outside = [] }) => outside));
  for (const { usage } of ran) if (usage) spent.add(usage);
  spent.addToolCalls(ran.length);
  return ran.map((result) => sayingOutside(result, run.outside));
}

/** Returns the results of a step as plug-ins show them, with what they add. */
function resultsOfStep(
  { plugins, tools }: AgentParts,
  state: AgentStateValues,
  acted: readonly Acted[],
  config: LangGraphRunnableConfig,
): Pick<ShownResults, "results" | "update"> {
  const made = acted.map(({ command, ...result }) => result);
  const { results: shown, update } = seams.showResults(plugins, { state, results: made });
  return { results: seams.afterTools(plugins, { results: shown, state, config, tools }), update };
}

/** Returns the message of a step's calls, if it has other calls than the decision: a person may have changed the decision. */
function messageAnew(
  agent: AgentParts,
  state: AgentStateValues,
  decision: Extract<Decision, { kind: "action" }>,
  run: Run,
): AIMessage[] {
  const { specs } = agent.tools;
  const by = writtenBy(agent, state, run);
  const written = state.messages.findLast((message) => message.id === by.id);
  const calls = AIMessage.isInstance(written) ? (written.tool_calls ?? []) : [];
  const isSame = (action: AgentAction, n: number) => isCallOf(action, calls[n], specs);
  if (calls.length === decision.actions.length && decision.actions.every(isSame)) return [];
  const text = decision.thought ?? "";
  return [callMessage(decision, { text, toolCalls: [], invalidToolCalls: [] }, by, specs)];
}
