import { z } from "zod";
import { give } from "../base/options.js";

/** The option of all memories for the steps of earlier turns. */
export interface StepsOption {
  /**
   * The number of newest turns that prompts show with their steps: their calls and results. Default: all with native calls, none
   * in a text protocol.
   */
  readonly steps?: number;
}

export const stepsOption = z.int(give("a whole number from 0")).min(0, give("a whole number from 0")).optional();
