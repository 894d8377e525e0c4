import { isGraphInterrupt, type LangGraphRunnableConfig } from "@langchain/langgraph";
import type { AgentParts } from "../../parts/agent-parts.js";
import type { AgentTool } from "../../parts/tools.js";
import { leaseOf } from "../../run/keeper.js";
import { openLedger } from "../../run/ledger.js";
import { runOf } from "../../run/run.js";
import * as seams from "../../seams/seams.js";
import type { Acted, ActionResult, AgentAction } from "../../state/decision.js";
import type { AgentStateValues } from "../../state/state.js";
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
  const { tools, plugins } = agent;
  const ledger = await openLedger(config, tools.keepsSteps, state.intermediateSteps);
  const questions = new PendingQuestions(config, ledger);
  const isOnRecord = (action: AgentAction) => ledger.recall(action) !== undefined;
  const verdicts = await seams.beforeTools(plugins, {
    state,
    config,
    actions,
    isOnRecord,
    tools: tools.byName,
    question: questions,
  });
  const timeoutMs = (tool: AgentTool) => Math.ceil(Math.max(1, seams.timeFor(plugins, { state, config, tool })));
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
    const alone = seams.showResults(plugins, { state, results: [result] });
    if (alone.results[0] === result && Object.keys(alone.update).length === 0) return result.observation;
    const before = await Promise.allSettled(calls.slice(0, n));
    const known = before.flatMap((call) => (call.status === "fulfilled" ? [call.value] : []));
    return seams.showResults(plugins, { state, results: [...known, result] }).results.at(-1)?.observation ?? "";
  };
  // The node waits for all calls, even if one fails, so that no tool still runs when the node ends.
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
