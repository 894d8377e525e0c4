import { setMaxListeners } from "node:events";
import { isGraphInterrupt, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { timeLeft, turnSoFar } from "../../limits/limits.js";
import type { AgentParts } from "../../parts/agent-parts.js";
import type { AgentTool } from "../../parts/tools.js";
import { leaseOf } from "../../run/keeper.js";
import { openLedger } from "../../run/ledger.js";
import { runOf, usageOf } from "../../run/run.js";
import type { Acted, AgentAction, Outcome } from "../../state/decision.js";
import type { AgentStateValues } from "../../state/state.js";
import { timeoutOf } from "../../tools/tool-metadata.js";
import { approveActions } from "./approve-actions.js";
import { PendingQuestions } from "./pending-questions.js";
import { runAction } from "./run-action.js";

/**
 * Runs the tools of a step, in parallel. The results keep the order of the calls. A person decides first, where the
 * agent asks for that. Calls that had finished when the node was stopped are not run again.
 *
 * @throws GraphInterrupt when a person is asked, the reason of an abort, or what a tool throws to stop the run.
 */
export async function runActions(
  agent: AgentParts,
  state: AgentStateValues,
  actions: readonly AgentAction[],
  config: LangGraphRunnableConfig,
): Promise<Acted[]> {
  const { tools, hooks, limits } = agent;
  const { citations } = agent.answers;
  const ledger = await openLedger(config, tools.keepsSteps);
  const questions = new PendingQuestions(config, ledger);
  await approveActions(agent, state, actions, { questions, ledger, config });
  // Each tool listens to the signal. Node.js would warn of a leak if there are more than ten.
  if (config.signal) setMaxListeners(0, config.signal);
  const left = timeLeft(limits, turnSoFar(state, usageOf(config)), { isLast: false });
  const timeoutMs = (tool: AgentTool) =>
    Math.ceil(Math.max(1, Math.min(left, timeoutOf(tool) ?? limits.time.toolTimeoutMs)));
  const call = { ledger, isAlone: actions.length === 1, tools: tools.byName, hooks, timeoutMs, state };
  const run = async (action: AgentAction, n: number): Promise<Acted> => {
    const decision = questions.decided[action.id]?.decision;
    const toolConfig = questions.configFor(action, n, actions.length);
    const result = await runAction(action, { ...call, decision, config: toolConfig });
    // A finished action was told of when it had run.
    if (!questions.hadFinished(action))
      runOf(config).emit({ type: "observation", id: action.id, text: await shown(result, n), status: result.status });
    return { action, ...result, ...(decision && { decision }) };
  };
  // The numbers of sources depend on the results of the actions before.
  const shown = async (result: Outcome, n: number): Promise<string> => {
    if (!citations.namesSources(result)) return result.observation;
    const before = await Promise.allSettled(calls.slice(0, n));
    const known = before.flatMap((call) => (call.status === "fulfilled" ? [call.value] : []));
    return citations.numberSources(state.sources, [...known, result]).results.at(-1)?.observation ?? "";
  };
  // All are waited for, even if one fails. So no tool is still running when the node ends.
  const calls = actions.map(run);
  const running = Promise.allSettled(calls);
  leaseOf(config)?.keepUntil(running);
  return resultsOf(actions, await running, questions);
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
