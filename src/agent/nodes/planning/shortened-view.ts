import { shorten } from "../../../base/shorten.js";
import type { PromptView } from "../../../protocols/protocol.js";
import type { IntermediateStep } from "../../../turn/decision.js";
import type { Shortened } from "../../../turn/prompt-record.js";

/** The characters of an observation that stay when it is shortened. */
const keptCharacters = 300;

/**
 * Returns what a prompt shows of the steps and the earlier turns: the oldest observations in their first words, and the
 * newest turns.
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
    const left = result.observation.length - keptCharacters;
    return {
      ...result,
      observation: `${shorten(result.observation, keptCharacters)} [${left} more characters were shown before]`,
    };
  });
  return { ...step, results };
}

/**
 * Finds out what more to shorten so that a prompt fits: the oldest observations first, then the oldest turns as a whole. The
 * last step stays as it is.
 *
 * @param before What was shortened in the prompt of the step before. It stays so.
 * @param view The view with nothing shortened.
 * @param fits Tells whether the prompt fits, with this shortened.
 * @returns What to shorten. The prompt may be too long even so.
 */
export function shortenToFit(view: PromptView, before: Shortened, fits: (shortened: Shortened) => boolean): Shortened {
  let shortened = before;
  for (const more of further(view, before)) {
    shortened = more;
    if (fits(shortened)) break;
  }
  return shortened;
}

/** Yields what can be shortened, a little more each time. */
function* further({ intermediateSteps, chatHistory, rephrased }: PromptView, before: Shortened): Generator<Shortened> {
  let { observations, turns } = before;
  for (const { results } of intermediateSteps.slice(0, -1)) {
    for (const { action, observation, content } of results) {
      if (observations.includes(action.id) || (observation.length <= 2 * keptCharacters && !content)) continue;
      observations = [...observations, action.id];
      yield { observations, turns };
    }
  }
  if (rephrased) return;
  for (turns += 1; turns <= chatHistory.turns.length; turns += 1) yield { observations, turns };
}
