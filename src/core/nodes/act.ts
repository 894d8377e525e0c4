import { AIMessage, type BaseMessage, isBaseMessage, ToolMessage } from "@langchain/core/messages";
import { Command, END, isGraphInterrupt, type LangGraphRunnableConfig, Send } from "@langchain/langgraph";
import { z } from "zod";
import { messageText } from "../../content/content.js";
import { keepSecretsOfModels } from "../model/model-call.js";
import type { AgentParts } from "../parts/agent-parts.js";
import type { Plugin, ShownResults } from "../parts/plugin.js";
import type { AgentTool } from "../parts/tools.js";
import { leaseOf } from "../run/keeper.js";
import { openLedger } from "../run/ledger.js";
import { type Run, runOf, usageOf } from "../run/run.js";
import { Draft, hasHook } from "../seams/draft.js";
import {
  type Acted,
  type ActionResult,
  type AgentAction,
  callIdOf,
  type Decision,
  type ToolCommand,
} from "../state/decision.js";
import { type OutsideText, withOutside } from "../state/outside.js";
import { replyIdOf } from "../state/reply-id.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { judgedCalls } from "./acting/judged-calls.js";
import { PendingQuestions } from "./acting/pending-questions.js";
import { runAction } from "./acting/run-action.js";
import { callMessage, isCallOf, resultMessage } from "./action-messages.js";
import { timeFor } from "./ask-within-limits.js";
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
    const spent = usageOf(config);
    const run = runOf(config);
    // A run that goes on here has asked no model yet, and a tool may tell its key.
    if (run.nodes === 1) await keepSecretsOfModels(agent.models);
    // A message of others may have come in the middle of the turn, with `updateState`.
    run.learn(outsideInNew(state, state.turn, agent.tools.byName));
    const isHooked = hasHook(agent.plugins, "afterModel");
    const given = givenResults(isHooked ? state.messages : [], replyIdOf(state));
    const open = decision.actions.filter((action) => !given.has(callIdOf(action)));
    const answered = decision.actions.flatMap((action) => givenResult(action, given.get(callIdOf(action))) ?? []);
    for (const { action, observation: text, status } of answered)
      run.emit({ type: "observation", id: action.id, text, status });
    const ran = await runActions(agent, { ...state, outside: run.outside }, open, config);
    run.learn(ran.flatMap(({ outside = [] }) => outside));
    const acted = ran.map((result) => sayingOutside(result, run.outside));
    const returnedResults = acted.map(({ command, ...result }) => {
      if (result.usage) spent.add(result.usage);
      return result;
    });
    const { results: shown, update: added } = shownResults(agent.plugins, state, returnedResults);
    const results = agent.plugins.reduceRight(
      (results, plugin) => plugin.afterTools?.({ results, state, config, tools: agent.tools }) ?? results,
      shown,
    );
    spent.addToolCalls(open.length);
    const anew = messageAnew(agent, state, decision, run);
    const messages = [...anew, ...results.map(resultMessage), ...addedMessages(acted)];
    const all = decision.actions.flatMap(
      ({ id }) => [...answered, ...results].find(({ action }) => action.id === id) ?? [],
    );
    const draft = new Draft(state, agent.plugins);
    for (const { command } of acted) if (command && !command.toParent) draft.apply(command.update);
    const command = handOver(acted, [...state.messages, ...messages]);
    if (command) return command;
    const step = { reply: anew.length > 0 ? { ...reply, changed: true as const } : reply, decision, results: all };
    const update = {
      ...draft.channels,
      intermediateSteps: step,
      messages,
      ...added,
    };
    // A call that was ordered after the answer has no answer of its own.
    if (state.stopReason) return { ...update, stopReason: state.stopReason };
    const answer = answerAtEnd(acted) ?? returnedAnswer(agent, results);
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

/** Returns the result of an action that a message has already. */
function givenResult(action: AgentAction, message: ToolMessage | undefined): ActionResult | undefined {
  if (message === undefined) return undefined;
  return { action, observation: messageText(message), status: message.status === "error" ? "error" : "success" };
}

/** Returns the message of a step's calls, if it has other calls than the decision: a person may have changed the decision. */
function messageAnew(
  { answers: { name }, tools: { specs } }: AgentParts,
  state: AgentStateValues,
  decision: Extract<Decision, { kind: "action" }>,
  { outside }: Run,
): AIMessage[] {
  const id = replyIdOf(state);
  const written = state.messages.findLast((message) => message.id === id);
  const calls = AIMessage.isInstance(written) ? (written.tool_calls ?? []) : [];
  const isSame = (action: AgentAction, n: number) => isCallOf(action, calls[n], specs);
  if (calls.length === decision.actions.length && decision.actions.every(isSame)) return [];
  const text = decision.thought ?? "";
  return [callMessage(decision, { text, toolCalls: [], invalidToolCalls: [] }, { id, name, outside }, specs)];
}

/**
 * Runs the tools of a step, in parallel. The results keep the order of the calls. A person decides first, where the
 * agent asks for that. Calls that had finished when the node was stopped are not run again.
 *
 * @throws GraphInterrupt when a person is asked, the reason of an abort, or what a tool throws to stop the run.
 */
async function runActions(
  agent: AgentParts,
  state: AgentStateValues,
  actions: readonly AgentAction[],
  config: LangGraphRunnableConfig,
): Promise<Acted[]> {
  const { tools, plugins } = agent;
  const ledger = await openLedger(config, tools.keepsSteps, state.intermediateSteps);
  const questions = new PendingQuestions(config, ledger);
  const isOnRecord = (action: AgentAction) => ledger.recall(action) !== undefined;
  const verdicts = await judgedCalls(agent, { state, config, actions, isOnRecord, question: questions });
  const timeoutMs = (tool: AgentTool) => Math.ceil(Math.max(1, timeFor(plugins, { state, config, tool })));
  const call = {
    ledger,
    isAlone: actions.length === 1,
    tools: tools.byName,
    plugins,
    timeoutMs,
    state,
  };
  const run = async (action: AgentAction, n: number): Promise<Acted> => {
    const verdict = verdicts.get(action.id);
    const toolConfig = questions.configFor(action, n, actions.length);
    const result = await runAction(action, { ...call, verdict, config: toolConfig });
    const acted = { action, ...result, ...verdict?.said };
    // A finished action was told of when it had run.
    if (!questions.hadFinished(action))
      runOf(config).emit({ type: "observation", id: action.id, text: await shown(acted, n), status: result.status });
    return acted;
  };
  // What is shown of a result may depend on the results of the actions before.
  const shown = async (result: ActionResult, n: number): Promise<string> => {
    const alone = shownResults(plugins, state, [result]);
    if (alone.results[0] === result && Object.keys(alone.update).length === 0) return result.observation;
    const before = await Promise.allSettled(calls.slice(0, n));
    const known = before.flatMap((call) => (call.status === "fulfilled" ? [call.value] : []));
    return shownResults(plugins, state, [...known, result]).results.at(-1)?.observation ?? "";
  };
  // The node waits for all calls, even if one fails, so that no tool still runs when the node ends.
  const calls = actions.map(run);
  const running = Promise.allSettled(calls);
  leaseOf(config)?.keepUntil(running);
  return resultsOf(actions, await running, questions);
}

/** Returns the results of a step as plug-ins show them. */
function shownResults(
  plugins: readonly Plugin[],
  state: AgentStateValues,
  results: readonly ActionResult[],
): ShownResults {
  const first: ShownResults = { state, results, update: {} };
  return plugins.reduce((step, plugin) => plugin.showResults?.(step) ?? step, first);
}

/** Returns the results. A failure comes before a question, as the run then ends with an error. */
async function resultsOf(
  actions: readonly AgentAction[],
  settled: readonly PromiseSettledResult<Acted>[],
  questions: PendingQuestions,
): Promise<Acted[]> {
  const failures = settled.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  const fatal = failures.find((reason) => !isGraphInterrupt(reason));
  if (fatal !== undefined) throw fatal;
  const results = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  for (const [n, action] of actions.entries()) {
    const result = settled[n];
    if (result?.status === "rejected") throw await questions.askFor(action, result.reason, results);
  }
  return results;
}

/** Returns a result whose messages for other nodes and agents say what text from outside the agent read. */
function sayingOutside({ command, ...result }: Acted, outside: readonly OutsideText[]): Acted {
  if (command === undefined) return result;
  const say = (message: BaseMessage) => withOutside(message, outside);
  const goto = command.goto.map((to) => {
    const sent = typeof to === "string" ? undefined : sentMessages.safeParse(to.args).data;
    return typeof to === "string" || sent === undefined
      ? to
      : { ...to, args: { ...sent, messages: sent.messages.map(say) } };
  });
  return { ...result, command: { ...command, messages: command.messages.map(say), goto } };
}

const sentMessages = z.looseObject({ messages: z.array(z.custom<BaseMessage>(isBaseMessage)) });

/** Returns the observation of a tool with `returnDirect`. */
function returnedAnswer({ tools }: AgentParts, results: readonly ActionResult[]): ToolAnswer | undefined {
  const returned = results.find(({ action, status }) => {
    const tool = tools.byName.get(action.tool);
    return status === "success" && tool !== undefined && "returnDirect" in tool && tool.returnDirect;
  });
  return returned && { text: returned.observation };
}

/** Returns the messages that the commands of a step add. Each call of the step has its tool message elsewhere. */
function addedMessages(acted: readonly Acted[]): BaseMessage[] {
  const calls = new Set(acted.map(({ action }) => callIdOf(action)));
  return acted
    .flatMap(({ command }) => command?.messages ?? [])
    .filter((message) => !ToolMessage.isInstance(message) || !calls.has(message.tool_call_id));
}

/** The answer that a tool gave. `message` is the message that says it, if a command added one. */
interface ToolAnswer {
  readonly text: string;
  readonly message?: BaseMessage;
}

/**
 * Returns the answer of a step whose command ends the turn: the last message that it adds, if the agent says it, or the
 * observation. Returns undefined if there is no such command.
 */
function answerAtEnd(acted: readonly Acted[]): ToolAnswer | undefined {
  const ending = acted.find(({ command }) => command?.goto.includes(END));
  if (ending === undefined) return undefined;
  const message = ending.command?.messages.at(-1);
  const isAnswer = AIMessage.isInstance(message) && !message.tool_calls?.length && message.text.trim() !== "";
  return isAnswer ? { text: message.text, message } : { text: ending.observation };
}

/**
 * Returns the command that hands over to the graph around the agent, if a tool of the step does so. The command takes along
 * all messages of the agent, as at the end of a turn. Several commands become one.
 */
function handOver(acted: readonly Acted[], messages: readonly BaseMessage[]): Command | undefined {
  const commands = acted.flatMap(({ command }) => (command?.toParent ? [command] : []));
  if (commands.length === 0) return undefined;
  return new Command({
    graph: Command.PARENT,
    goto: commands.flatMap(({ goto }) => goto.map(destination)),
    update: { ...Object.assign({}, ...commands.map(({ update }) => update)), messages: [...messages] },
  });
}

function destination(to: ToolCommand["goto"][number]): string | Send {
  return typeof to === "string" ? to : new Send(to.node, to.args);
}
