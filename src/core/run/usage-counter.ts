import { z } from "zod";
import { type QuietCall, quietCallSchema } from "../state/quiet-call.js";
import { type Asked, askedSchema, joinAsked } from "../state/times.js";
import { addCounts, addModels, countsSchema, noCounts, type Tokens, type UsageCounts } from "../state/usage.js";

export const leftSchema = z.object({
  spent: countsSchema,
  quietCalls: z.array(quietCallSchema).default([]),
  asked: z.array(z.tuple([z.string(), askedSchema])).default([]),
});

/** What was spent, the calls that are no steps, and the asking that brought no reply yet, by its purpose. */
export type Left = z.infer<typeof leftSchema>;

export const nothingLeft: Left = { spent: noCounts, quietCalls: [], asked: [] };

/** Adds up what calls cost: those of a node, of a tool call, or the tries of a model call. It notes the calls that are no steps. */
export class UsageCounter {
  #spent: UsageCounts = noCounts;
  readonly quietCalls: QuietCall[] = [];
  readonly #asked = new Map<string, Asked>();

  get spent(): UsageCounts {
    return this.#spent;
  }

  /** What is left if the work ends here. */
  get left(): Left {
    return { spent: this.#spent, quietCalls: this.quietCalls, asked: [...this.#asked] };
  }

  takeOver({ spent, quietCalls, asked }: Left): void {
    this.add(spent);
    this.quietCalls.push(...quietCalls);
    for (const [purpose, one] of asked) this.addAsked(purpose, one);
  }

  add(spent: UsageCounts): void {
    this.#spent = addCounts(this.#spent, spent);
  }

  /** Adds one call of a model. */
  addModelCall(model: string, tokens: Tokens): void {
    // What is left out or 0 is not kept.
    const models = addModels({}, { [model]: { modelCalls: 1, ...tokens } });
    this.add({ ...noCounts, ...models[model], models });
  }

  /** Notes that models were asked for a reply. */
  addAsked(purpose: string, asked: Asked): void {
    this.#asked.set(purpose, joinAsked(this.#asked.get(purpose), asked));
  }

  /** Returns all the asking for a reply that has come. */
  takeAsked(purpose: string): Asked | undefined {
    const asked = this.#asked.get(purpose);
    this.#asked.delete(purpose);
    return asked;
  }

  addToolCalls(toolCalls: number): void {
    this.add({ ...noCounts, toolCalls });
  }
}
