import type { TurnEvent } from "../../core/run/events.js";

/** A way to show turns. */
export interface TurnView {
  /** True if whole prompts and replies are to be shown, too. */
  readonly wantsPrompts: boolean;
  show(event: TurnEvent): void;
}
