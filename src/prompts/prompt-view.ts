import { paragraphs } from "../base/paragraphs.js";
import type { FencedProtocol, Passage, PromptView } from "../core/parts/protocol.js";
import type { IntermediateStep } from "../core/state/decision.js";
import type { PromptRecord, Shortened } from "../core/state/prompt-record.js";
import type { AgentStateValues } from "../core/state/state.js";
import { conversation, questionFiles } from "./conversation.js";
import { readableResults } from "./long-text.js";
import { shortenedView } from "./shortened-view.js";
import { shownTurn } from "./shown-turn.js";

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
