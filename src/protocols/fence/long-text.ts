/** The name of the tool that reads the rest of an observation. */
export const restReader = "read_observation";

/** An observation that may be too long for a prompt. */
export interface LongText {
  readonly text: string;
  /** The id of its action. */
  readonly id: string;
  /** The largest number of characters to show. */
  readonly most: number;
  /** Tells whether the agent has the tool for the rest. */
  readonly canRead: boolean;
}

/**
 * Returns the parts of a text that a prompt shows: the text whole, or its head, a notice of what was left out, and its tail.
 *
 * @returns The parts of the text, and the notice between them if there are two.
 */
export function shownParts({ text, id, most, canRead }: LongText): {
  readonly parts: string[];
  readonly notice: string;
} {
  if (text.length <= most) return { parts: [text], notice: "" };
  const head = Math.ceil((most * 2) / 3);
  const tail = text.length - (most - head);
  const rest = canRead ? ` Read them with ${restReader}: ${JSON.stringify({ id, from: head })}.` : "";
  return {
    parts: [text.slice(0, head), text.slice(tail)],
    notice: `${tail - head} of ${text.length} characters are left out here.${rest}`,
  };
}
