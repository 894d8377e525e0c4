import type { BaseMessage } from "@langchain/core/messages";
import { paragraphs } from "../../../base/paragraphs.js";
import { formFor } from "../../../provider-forms/form-for.js";
import type { AgentParts } from "../../parts/agent-parts.js";
import type { Addition } from "../../parts/plugin.js";
import type { FencedProtocol, Passage, PromptView } from "../../parts/protocol.js";
import type { IntermediateStep } from "../../state/decision.js";
import { readableResults } from "../../state/long-text.js";
import { type PromptRecord, promptDigest, type Shortened } from "../../state/prompt-record.js";
import type { AgentStateValues } from "../../state/state.js";
import { conversation, marksOf, questionFiles } from "./conversation.js";
import { shortenedView } from "./shortened-view.js";
import { shownTurn } from "./shown-turn.js";

/** Returns what a prompt is made of, beside the state. */
export async function promptRecord(
  { prompt, tools, answers }: AgentParts,
  protocol: FencedProtocol,
  asked: Pick<PromptRecord, "model" | "refuses" | "form" | "stop" | "files" | "fileForm">,
  added: Addition,
): Promise<PromptRecord> {
  const instructions = await prompt.instructions();
  const examples = await prompt.examples();
  return {
    ...asked,
    ...(answers.name && { name: answers.name }),
    protocol: protocol.name,
    ...(Object.keys(protocol.options ?? {}).length > 0 && { options: protocol.options }),
    instructions: instructions.trim(),
    outputInstructions: added.instructions,
    ...(examples && { examples: [...examples] }),
    tools: [...tools.specs, ...tools.ofProvider.map(({ name }) => ({ name, description: "" }))],
    outputSchema: added.definition,
    currentDate: prompt.currentDate,
    ...(prompt.observationCharacters !== undefined && { observationCharacters: prompt.observationCharacters }),
  };
}

/** Returns the messages of a prompt. See {@link promptView}. */
export function promptMessages(
  protocol: FencedProtocol,
  record: PromptRecord,
  state: AgentStateValues,
  shortened: Shortened,
  request?: string,
): BaseMessage[] {
  const fence = {
    mark: state.turn.mark,
    marks: marksOf(state),
    most: record.observationCharacters,
    cut: shortened.cut,
  };
  const rendered = protocol.render(promptView(protocol, record, state, shortened, request), fence);
  return formFor(record.form, rendered, record.tools).messages;
}

/** Returns the digest of a prompt. See {@link promptDigest}. */
export function digestOf(messages: readonly BaseMessage[], record: PromptRecord, isChanged = false): string {
  const { tools } = formFor(record.form, [], record.tools);
  return promptDigest(messages, { ...record, tools: [...tools] }, isChanged);
}

/**
 * Returns the data for a prompt. It depends on nothing else, so a prompt of the past can be shown again.
 *
 * @param request The text that asks for the last answer of the turn, if no step has it.
 */
export function promptView(
  { nativeTools }: Pick<FencedProtocol, "nativeTools">,
  record: PromptRecord,
  state: AgentStateValues,
  shortened: Shortened,
  request?: string,
): PromptView {
  const { turn } = state;
  const steps = request === undefined ? state.intermediateSteps : [...state.intermediateSteps, lastStep(request)];
  const given = nativeTools ? "" : (turn.instructions ?? "");
  const instructions = paragraphs(record.instructions, given, record.outputInstructions);
  const { observations, turns, cut } = shortened;
  const readable = readableResults(record.tools, steps);
  const limits = { mark: turn.mark, most: record.observationCharacters, cut, readable };
  const shown = { steps, prompt: record, shortened: new Set(observations), limits, turnsLeftOut: turns };
  const files = questionFiles(state, shown);
  const view = {
    ...(nativeTools
      ? { ...besideMessages(state, record), intermediateSteps: steps, messages: conversation(state, shown) }
      : shownTurn({ ...state, intermediateSteps: steps }, record.tools)),
    tools: record.tools,
    ...(files.length > 0 && { files }),
    ...shownPassages(state),
    ...(record.examples && { examples: record.examples }),
    ...(instructions && { instructions }),
    ...(record.currentDate ? { currentDate: turn.startedAt.slice(0, "YYYY-MM-DD".length) } : {}),
  };
  return shortenedView(view, shortened);
}

/** Returns the question and the earlier turns of a native prompt. One with passages shows them, and not the messages. */
function besideMessages(
  state: AgentStateValues,
  { tools }: PromptRecord,
): Pick<PromptView, "question" | "chatHistory"> {
  const { question, chatHistory, retrieval } = state;
  if (retrieval === null) return { question, chatHistory };
  const { standalone, ...shown } = shownTurn(state, tools);
  return { ...shown, ...(standalone && { question: standalone }) };
}

/** Returns the step that stands at the end of the prompt for a last answer. The state has no such step. */
function lastStep(request: string): IntermediateStep {
  return {
    reply: { text: "I have to give the answer now.", toolCalls: [], invalidToolCalls: [] },
    decision: { kind: "unparseable", why: "", correction: request },
    results: [],
  };
}

/** Returns the passages that a prompt for an answer shows. There are none if the question needs no documents. */
export function shownPassages({
  retrieval,
  sources,
}: Pick<AgentStateValues, "retrieval" | "sources">): Pick<PromptView, "passages" | "draft"> {
  if (retrieval === null || retrieval.retrievers.length === 0) return {};
  const { notes, draft, refined } = retrieval;
  const passages = retrieval.passages.map((at, n): Passage => {
    const { title = "", heading, passage = "" } = sources[at] ?? {};
    // The headings of a document often begin with its title.
    const place = heading?.startsWith(title) ? heading : [title, heading].filter(Boolean).join(" > ");
    return { number: at + 1, place, text: notes?.[n] ?? passage };
  });
  if (notes !== null) return { passages: passages.filter(({ text }) => text !== "") };
  return draft === "" ? { passages } : { passages: passages.slice(refined), draft };
}
