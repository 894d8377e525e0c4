import { shorten } from "../../../base/shorten.js";
import type { PromptView } from "../../parts/protocol.js";
import { imagesIn } from "../../state/content.js";
import type { IntermediateStep } from "../../state/decision.js";
import type { Shortened } from "../../state/prompt-record.js";
import { shorterCuts } from "./shorter-cuts.js";

/** The characters of an observation that stay when it is shortened. One of up to twice as many stays whole. */
const keptCharacters = 300;
const isLong = (observation: string) => observation.length > 2 * keptCharacters;

/**
 * Returns what a prompt shows of the steps and the earlier turns: the oldest observations in their first words and without
 * their images, and the newest turns.
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
    if (!isLong(result.observation)) return result;
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
 * last step stays as it is, unless it alone is too long.
 *
 * @param view The view with nothing shortened.
 * @param before What was shortened in the prompt of the step before. It stays so.
 * @param most The largest number of characters of an observation that a prompt shows. Undefined: all.
 * @param fits Tells whether the prompt fits, with this shortened.
 * @returns What to shorten. The prompt may be too long even so.
 */
export function shortenToFit(
  view: PromptView,
  before: Shortened,
  most: number | undefined,
  fits: (shortened: Shortened) => boolean,
): Shortened {
  let shortened = before;
  for (const more of further(view, before, most, fits)) {
    shortened = more;
    if (fits(shortened)) break;
  }
  return shortened;
}

/** Yields what can be shortened, a little more each time. */
function* further(
  { intermediateSteps, chatHistory, rephrased, images }: PromptView,
  before: Shortened,
  most: number | undefined,
  fits: (shortened: Shortened) => boolean,
): Generator<Shortened> {
  let shortened = before;
  for (const { results } of intermediateSteps.slice(0, -1)) {
    for (const { action, observation, content } of results) {
      const canBeShorter = isLong(observation.slice(0, most)) || (images && imagesIn(content).length > 0);
      if (shortened.observations.includes(action.id) || !canBeShorter) continue;
      shortened = { ...shortened, observations: [...shortened.observations, action.id] };
      yield shortened;
    }
  }
  const turns = rephrased ? shortened.turns : chatHistory.turns.length;
  if (!fits({ ...shortened, turns })) {
    for (const cut of shorterCuts(intermediateSteps.at(-1)?.results ?? [], shortened.cut)) {
      shortened = { ...shortened, cut };
      yield shortened;
    }
  }
  for (let more = shortened.turns + 1; more <= turns; more += 1) yield { ...shortened, turns: more };
}
