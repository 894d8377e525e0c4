import type { ActionResult } from "../core/state/decision.js";

/** The name of the tool that reads the rest of an observation. */
export const restReader = "read_observation";

/** How much of observations a prompt shows. */
export interface TextLimits {
  /** The mark of the turn. It tells a notice from words of the text. */
  readonly mark: string;
  /** The largest number of characters of an observation. Default: all. */
  readonly most?: number | undefined;
  /** The number of characters of some observations, by the ids of their actions. */
  readonly cut?: Readonly<Record<string, number>> | undefined;
  /** The ids of the actions of whose observations the agent can read the rest. */
  readonly readable: ReadonlySet<string>;
}

/** The parts of a text that a prompt shows: the text whole, or its head and its tail with a notice for between them. */
export interface ShownText {
  readonly parts: readonly string[];
  readonly notice: string;
}

/**
 * Returns the parts of an observation that a prompt shows.
 *
 * @param id The id of its action.
 */
export function shownParts(
  text: string,
  id: string,
  { mark, most = Infinity, cut = {}, readable }: TextLimits,
): ShownText {
  const shown = Math.min(most, cut[id] ?? Infinity);
  if (text.length <= shown) return { parts: [text], notice: "" };
  const head = wholeAt(text, Math.ceil((shown * 2) / 3));
  const tail = wholeAt(text, text.length - (shown - head));
  const rest = readable.has(id) ? ` Read them with ${restReader}: ${JSON.stringify({ id, from: head })}.` : "";
  return {
    parts: [text.slice(0, head), text.slice(tail)],
    notice: `${mark}[${tail - head} of ${text.length} characters are left out here.${rest}]${mark}`,
  };
}

/** Returns the ids of the actions of a turn of whose observations the agent can read the rest. */
export function readableResults(
  tools: readonly { readonly name: string }[],
  steps: readonly { readonly results: readonly Pick<ActionResult, "action">[] }[],
): ReadonlySet<string> {
  const canRead = tools.some(({ name }) => name === restReader);
  return new Set(canRead ? steps.flatMap(({ results }) => results.map(({ action }) => action.id)) : []);
}

/** Returns a place at which a text can be cut, so that no character is cut in half. */
function wholeAt(text: string, place: number): number {
  return /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(place - 1, place + 1)) ? place + 1 : place;
}
