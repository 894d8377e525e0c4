import type { TurnEvent } from "../../turn/events.js";
import type { Source } from "../../turn/source.js";

/** A source that an answer cites. */
export type CitedSource = Source & {
  /** Its number in the answer. */
  readonly number: number;
};

/** A way to show turns. */
export interface TurnView {
  /** True if whole prompts and replies are to be shown, too. */
  readonly wantsPrompts: boolean;
  show(event: TurnEvent): void;
  /** Shows the sources that the answer of a turn cites, before the end of the turn. */
  cite?(sources: readonly CitedSource[]): void;
}
