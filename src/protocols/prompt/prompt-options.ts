import { z } from "zod";
import { give } from "../../base/options.js";
import type { PromptOptions } from "./prompt-parts.js";

const examples = "a list of texts, each a whole transcript";

/** What can be given to a protocol that speaks in text: {@link PromptOptions}, checked. */
export const promptOptionsSchema = z.strictObject({
  examples: z.array(z.string(give("a text: a whole transcript")), give(examples)).optional(),
  wording: z
    .custom<NonNullable<PromptOptions["wording"]>>(
      (value) => typeof value === "function",
      give("a function that makes the text above the question out of its parts"),
    )
    .optional(),
});
