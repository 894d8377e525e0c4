import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { shorten } from "../base/shorten.js";
import { blocksOf } from "../content/content.js";
import { filesIn } from "../content/file-block.js";
import type { PromptView } from "../core/parts/protocol.js";
import { textOf } from "../core/state/chat-history.js";
import type { IntermediateStep } from "../core/state/decision.js";
import type { PromptRecord, Shortened } from "../core/state/prompt-record.js";
import { observationId } from "../core/state/reply-id.js";
import { longestCut } from "./longest-cut.js";

/** The characters of an observation that stay when it is shortened. One of up to twice as many stays whole. */
const keptCharacters = 300;

/** Tells whether an observation can be shortened. */
export function isLong(observation: string): boolean {
  return observation.length > 2 * keptCharacters;
}

/** Returns the first words of an observation that was shown before. */
export function shortenedText(text: string): string {
  return `${shorten(text, keptCharacters)} [${text.length - keptCharacters} more characters were shown before]`;
}

/**
 * Returns what a prompt shows of the steps and the earlier turns: the oldest observations in their first words and without
 * their files, and the newest turns.
 */
export function shortenedView(view: PromptView, { observations, turns }: Shortened): PromptView {
  if (observations.length === 0 && turns === 0) return view;
  const ids = new Set(observations);
  const { chatHistory, intermediateSteps } = view;
  return {
    ...view,
    intermediateSteps: intermediateSteps.map((step) => shortenedStep(step, ids)),
    chatHistory: { ...chatHistory, turns: chatHistory.turns.slice(turns) },
  };
}

function shortenedStep(step: IntermediateStep, ids: ReadonlySet<string>): IntermediateStep {
  if (!step.results.some(({ action }) => ids.has(action.id))) return step;
  const results = step.results.map(({ content, ...result }) => {
    if (!ids.has(result.action.id)) return { ...result, ...(content && { content }) };
    return isLong(result.observation) ? { ...result, observation: shortenedText(result.observation) } : result;
  });
  return { ...step, results };
}

/** How much of the results a prompt shows. */
type Shows = Pick<PromptRecord, "observationCharacters" | "files" | "fileForm">;

/**
 * Finds out what more to shorten so that a prompt fits: the oldest observations first, then the oldest turns as a whole. The
 * last step stays as it is, unless it alone is too long.
 *
 * @param view The view without the turns that were left out before, and with whole observations.
 * @param given The messages of the state, which have the files of results.
 * @param before What was shortened in the prompt of the last step. This stays shortened.
 * @param record What the prompt is made of: how many characters of an observation it shows, and the kinds of its files.
 * @param fits Tells whether the prompt fits, with this shortened.
 * @returns What to shorten. The prompt may be too long even so.
 */
export function shortenToFit(
  view: PromptView,
  given: readonly BaseMessage[],
  before: Shortened,
  record: Shows,
  fits: (shortened: Shortened) => boolean,
): Shortened {
  let shortened = before;
  for (const more of further(longObservations(view, given, record), view, before, fits)) {
    shortened = more;
    if (fits(shortened)) break;
  }
  return shortened;
}

/** Yields what can be shortened, a little more each time. */
function* further(
  long: readonly string[],
  view: PromptView,
  before: Shortened,
  fits: (shortened: Shortened) => boolean,
): Generator<Shortened> {
  let shortened = before;
  const known = new Set(before.observations);
  for (const id of long) {
    if (known.has(id)) continue;
    shortened = { ...shortened, observations: [...shortened.observations, id] };
    yield shortened;
  }
  const turns = before.turns + view.chatHistory.turns.length;
  if (!fits({ ...shortened, turns })) {
    const newest = view.intermediateSteps.findLast(({ results }) => results.length > 0)?.results ?? [];
    const cut = longestCut(newest, shortened.cut, (shorter) => fits({ ...shortened, cut: shorter }));
    if (Object.keys(cut).length > 0) shortened = { ...shortened, cut };
    yield shortened;
  }
  for (let more = shortened.turns + 1; more <= turns; more += 1) yield { ...shortened, turns: more };
}

/** Returns the ids of the observations that a prompt can show in their first words, the oldest first. */
function longObservations(
  { messages, intermediateSteps }: PromptView,
  given: readonly BaseMessage[],
  { observationCharacters: most, ...taken }: Shows,
): string[] {
  const isShorter = (text: string) => isLong(text.slice(0, most));
  if (messages !== undefined) {
    const last = messages.findLastIndex((message) => AIMessage.isInstance(message) && message.tool_calls?.length);
    const shown = new Set(messages.slice(0, Math.max(0, last)).map(({ id }) => id));
    return given
      .filter((message) => ToolMessage.isInstance(message))
      .filter(({ id }) => shown.has(id))
      .filter((message) => isShorter(textOf(message)) || filesIn(blocksOf(message), taken).length > 0)
      .map((message) => observationId(message));
  }
  return intermediateSteps
    .slice(0, -1)
    .flatMap(({ results }) => results)
    .filter(({ observation }) => isShorter(observation))
    .map(({ action }) => action.id);
}
