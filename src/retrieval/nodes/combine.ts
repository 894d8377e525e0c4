import type { BaseMessage } from "@langchain/core/messages";
import { type LangGraphRunnableConfig, task } from "@langchain/langgraph";
import { estimatePrompt } from "../../content/estimated-tokens.js";
import { asTokensOf } from "../../core/model/tokens.js";
import type { Node } from "../../core/nodes/run-node.js";
import type { Passage } from "../../core/parts/protocol.js";
import { runOf, usageOf, withRun } from "../../core/run/run.js";
import { leftSchema, UsageCounter } from "../../core/run/usage-counter.js";
import * as seams from "../../core/seams/seams.js";
import { drawReplyId } from "../../core/state/reply-id.js";
import type { AgentStateUpdate, AgentStateValues } from "../../core/state/state.js";
import { replyTokens } from "../../middleware/limits/reached-limits.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { answerProtocol } from "../prompts/answer.js";
import { fenced, onlyData, passagesPart, prompt, questionPart, spoken } from "../prompts/prompt-parts.js";
import { ask } from "./ask.js";
import { foundSources, retrievalOf, wholePassages, withFound } from "./read-state.js";

/** Writes the prompt of the "map" in LangChain's map-reduce chain: it asks what of one passage helps. */
function notePrompt(question: string, passage: Passage, mark: string): BaseMessage[] {
  return prompt(
    "Copy from a passage what helps to answer a question.",
    onlyData,
    passagesPart([passage], mark),
    questionPart(question, mark),
    "Reply with the sentences that help, in the words of the passage. If none helps, reply: NOTHING",
  );
}

/** Reads a note, or "" if the passage does not help. */
function readNote(reply: string): string {
  const said = spoken(reply);
  return /^\W*NOTHING\W*$/i.test(said) ? "" : said;
}

/** Writes the prompt of LangChain's map-rerank chain: an answer from one passage, with a score. */
function scoredAnswerPrompt(question: string, passage: Passage, mark: string): BaseMessage[] {
  return prompt(
    "Answer a question from one passage, and tell how well it answers the question.",
    `Use only what it says. After each statement write its number, such as [${passage.number}]. ${onlyData}`,
    passagesPart([passage], mark),
    questionPart(question, mark),
    "Reply with the answer, and with a last line such as: Score: 80\nThe score is 0 if the passage does not answer the question, and 100 if it answers it whole.",
  );
}

/** Reads an answer from one passage with its score, from 0 to 100. One without a score counts nothing. */
function readScoredAnswer(reply: string) {
  const said = spoken(reply);
  const last = [...said.matchAll(/^\W*Score\W*?(\d{1,3})\b.*$/gim)].at(-1);
  if (last === undefined) return { answer: said, score: 0 };
  return { answer: said.slice(0, last.index).trim(), score: Math.min(100, Number(last[1])) };
}

/**
 * Makes the node that asks about each passage alone, in parallel. Each call is a task of LangGraph, so a resumed run does not
 * repeat finished calls. Passages without a note are dropped. If the limits of the turn leave no call for a passage, the
 * passage itself is the note.
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
    const kept = foundSources(state).filter((_, n) => notes[n] !== "");
    return withFound(state, kept, { notes: notes.filter((note) => note !== "") });
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
    return { reply, ...part.usage.left };
  });
  const allowed = await withinLimits(prompts, parts, state, config);
  const made = await Promise.all(allowed.map((messages) => note(messages)));
  return made.map(({ reply, ...left }) => {
    usage.takeOver(leftSchema.parse(left));
    return reply;
  });
}

/** Returns the first prompts for which there is room. Each counts for those after it, as all are asked at once. */
async function withinLimits(
  prompts: readonly BaseMessage[][],
  { agent: { models, plugins } }: RetrievalDependencies,
  state: AgentStateValues,
  config: LangGraphRunnableConfig,
): Promise<readonly BaseMessage[][]> {
  const [{ name, model }] = await models.load();
  const reserved = new UsageCounter();
  reserved.add(usageOf(config).spent);
  for (const [n, messages] of prompts.entries()) {
    const tokens = asTokensOf(model, estimatePrompt(messages));
    const call = { state, config, model: name, inputTokens: () => tokens, spent: reserved.spent };
    if (await seams.beforeAsk(plugins, call)) return prompts.slice(0, n);
    reserved.addModelCall(name, { inputTokens: tokens, outputTokens: replyTokens });
  }
  return prompts;
}

/** Makes the node that takes the answer with the highest score of those from each passage, without asking a model. */
export function rank(): Node<AgentStateUpdate> {
  return async (state) => {
    const retrieval = retrievalOf(state);
    const answers = (retrieval.notes ?? []).map(readScoredAnswer);
    const best = answers.reduce((first, next) => (next.score > first.score ? next : first), { answer: "", score: 0 });
    const { name: protocol } = answerProtocol;
    // If a better answer is asked for, it is asked for from the passages.
    return {
      retrieval: { ...retrieval, notes: null },
      reply: { text: best.answer, toolCalls: [], invalidToolCalls: [], protocol, id: drawReplyId() },
    };
  };
}

/** Makes the node that improves a draft with the next passage. The node runs once for each passage but the last. */
export function refine(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  return async (state, config) => {
    const retrieval = retrievalOf(state);
    const { refined, draft } = retrieval;
    const passage = wholePassages(state)[refined];
    if (passage === undefined) return {};
    const messages = draftPrompt(state.question, passage, draft, state.turn.mark);
    const reply = await ask("draft", parts, state, messages, config);
    return { retrieval: { ...retrieval, refined: refined + 1, draft: spoken(reply ?? "") || draft } };
  };
}

/** Writes a prompt of LangChain's refine chain: an answer from one passage, or a better one with one more passage. */
function draftPrompt(question: string, passage: Passage, draft: string, mark: string): BaseMessage[] {
  const known = `Draft: ${fenced(draft, mark)}`;
  return prompt(
    "Write the draft of an answer, which is made better passage by passage.",
    `Use only what the passages say. After each statement write the number of its passage, such as [${passage.number}]. ${onlyData}`,
    passagesPart([passage], mark),
    draft === "" ? "" : known,
    questionPart(question, mark),
    draft === ""
      ? "Reply with the draft. If the passage does not help, reply: I do not know."
      : "Reply with the whole new draft. If the passage adds nothing, repeat the draft.",
  );
}
