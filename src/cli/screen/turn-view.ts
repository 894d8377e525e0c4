import type { StopReason } from "../../turn/decision.js";
import type { PersonAsked, TurnEvent } from "../../turn/events.js";
import type { Usage } from "../../turn/usage.js";

/** An event that the command line shows. A turn has the agent's events, between a start and an end. */
export type ShownEvent =
  | { readonly type: "turn-start"; readonly asked: string }
  | TurnEvent
  | { readonly type: "error"; readonly name: string; readonly message: string }
  | TurnEnded;

/** The end of a turn, or of what runs of it now. A turn that waits for a person goes on with their answer. */
export interface TurnEnded {
  readonly type: "turn-end";
  readonly stopReason: StopReason | "waiting";
  /** The questions that wait; undefined if none do. */
  readonly waiting?: readonly PersonAsked[];
  readonly usage: Usage;
}

/** A way to show turns. */
export interface TurnView {
  show(event: ShownEvent): void;
}
