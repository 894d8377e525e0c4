import type { TurnEvent } from "../../turn/events.js";

/** A way to show turns. */
export interface TurnView {
  show(event: TurnEvent): void;
}
