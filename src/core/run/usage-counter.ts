import type { QuietCall } from "../state/quiet-call.js";
import { addCounts, noCounts, type Tokens, type UsageCounts } from "../state/usage.js";

/** Adds up what calls cost: those of a node, of a tool call, or the tries of a model call. It notes the calls that are no steps. */
export class UsageCounter {
  #spent: UsageCounts = noCounts;
  readonly quietCalls: QuietCall[] = [];

  get spent(): UsageCounts {
    return this.#spent;
  }

  add(spent: UsageCounts): void {
    this.#spent = addCounts(this.#spent, spent);
  }

  /** Adds one call of a model. */
  addModelCall(model: string, tokens: Tokens): void {
    const call = { modelCalls: 1, ...tokens };
    this.add({ ...noCounts, ...call, models: { [model]: call } });
  }

  addToolCalls(toolCalls: number): void {
    this.add({ ...noCounts, toolCalls });
  }
}
