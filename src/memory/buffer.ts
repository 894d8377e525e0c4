import { z } from "zod";
import { checkedOptions } from "../base/options.js";
import type { Memory } from "../core/parts/memory.js";
import { type StepsOption, stepsOption } from "./steps-option.js";

const optionsSchema = z.strictObject({ steps: stepsOption });

/**
 * Makes a memory that keeps every turn (LangChain's ConversationBufferMemory). It is the default memory of an agent.
 *
 * @param steps The number of newest turns to show with their steps. Default: all with native calls, none in a text protocol.
 * @throws InvalidOptionError when `steps` is no whole number from 0.
 */
export function buffer(options: StepsOption = {}): Memory {
  const shown = checkedOptions("buffer", optionsSchema, options);
  return { name: "buffer", remember: (history) => ({ ...history, ...shown }) };
}
