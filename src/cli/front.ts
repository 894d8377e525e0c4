import type { Output } from "./io.js";

/** How the entry points differ: `glassloop ask`, `glassloop chat` and `npm start`. */
export interface Front {
  /** The command that goes on with a thread. */
  readonly resume: string;
  /** Where the steps of a turn go. */
  readonly steps: Output;
}
