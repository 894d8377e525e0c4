import type { BaseMessage } from "@langchain/core/messages";
import { type LangGraphRunnableConfig, task } from "@langchain/langgraph";
import { turnSoFar } from "../../core/limits/limit.js";
import { limitOnCall, replyTokens } from "../../core/limits/on-calls.js";
import { asTokensOf, estimatePrompt } from "../../core/model/token-estimate.js";
import type { Node } from "../../core/nodes/run-node.js";
import { runOf, usageOf, withRun } from "../../core/run/run.js";
import { UsageCounter } from "../../core/run/usage-counter.js";
import type { AgentStateUpdate, AgentStateValues } from "../../core/state/state.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { notePrompt, readNote, scoredAnswerPrompt } from "../prompts/note.js";
import { ask } from "./ask.js";
import { retrievalOf, wholePassages } from "./read-state.js";

/**
 * Makes the node that asks about each passage alone, in parallel. Each call is a task of LangGraph. So a run that goes on after
 * a stop does not make the finished ones again. Passages without a note are dropped. A passage that the limits of the turn leave
 * no call for is its own note.
 */
export function map(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  return async (state, config) => {
    const isScored = parts.combine === "map-rerank";
    const write = isScored ? scoredAnswerPrompt : notePrompt;
    const passages = wholePassages(state);
    const prompts = passages.map((passage) => write(state.question, passage, state.turn.mark));
    const replies = await repliesTo(prompts, parts, state, config);
    const notes = passages.map(({ text }, n) => {
      const reply = replies[n];
      if (isScored) return reply ?? "";
      return reply === undefined ? text : readNote(reply);
    });
    return {
      sources: state.sources.filter((_, n) => notes[n] !== ""),
      retrieval: { ...retrievalOf(state), notes: notes.filter((note) => note !== "") },
    };
  };
}

/** Asks all prompts that the limits of the turn have room for. */
async function repliesTo(
  prompts: readonly BaseMessage[][],
  parts: RetrievalDependencies,
  state: AgentStateValues,
  config: LangGraphRunnableConfig,
): Promise<(string | undefined)[]> {
  const usage = usageOf(config);
  const note = task("note", async (messages: BaseMessage[]) => {
    const part = runOf(config).within();
    const reply = await ask("note", parts, state, messages, withRun(config, part));
    return { reply, spent: part.usage.spent, quietCalls: part.usage.quietCalls };
  });
  const allowed = await withinLimits(prompts, parts, state, config);
  const made = await Promise.all(allowed.map((messages) => note(messages)));
  return made.map(({ reply, spent, quietCalls }) => {
    usage.add(spent);
    usage.quietCalls.push(...quietCalls);
    return reply;
  });
}

/** Returns the first prompts for which there is room. Each counts for those after it, as all are asked at once. */
async function withinLimits(
  prompts: readonly BaseMessage[][],
  { agent: { models, turnLimits } }: RetrievalDependencies,
  state: AgentStateValues,
  config: LangGraphRunnableConfig,
): Promise<readonly BaseMessage[][]> {
  const [{ name, model }] = await models();
  const reserved = new UsageCounter();
  reserved.add(usageOf(config).spent);
  const end = prompts.findIndex((messages) => {
    const tokens = asTokensOf(model, estimatePrompt(messages));
    const turn = turnSoFar(state, reserved);
    const reached = limitOnCall(turnLimits, turn, { model: name, inputTokens: () => tokens, isLast: false });
    reserved.addModelCall(name, { inputTokens: tokens, outputTokens: replyTokens });
    return reached !== undefined;
  });
  return end < 0 ? prompts : prompts.slice(0, end);
}
