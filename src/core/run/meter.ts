import type { RunnableConfig } from "@langchain/core/runnables";
import type { QuietCall } from "../state/quiet-call.js";
import { addCounts, noCounts, type Tokens, type UsageCounts } from "../state/usage.js";

const METER_KEY = "__glassloop_meter";

/** Adds up what the calls of one run of a node cost, or those of one tool call. It notes the calls that are no steps. */
export class Meter {
  #spent: UsageCounts = noCounts;
  readonly #begun = performance.now();
  readonly quietCalls: QuietCall[] = [];

  get spent(): UsageCounts {
    return this.#spent;
  }

  /** The milliseconds since the node or the call began. */
  get elapsedMs(): number {
    return performance.now() - this.#begun;
  }

  add(spent: UsageCounts): void {
    this.#spent = addCounts(this.#spent, spent);
  }

  /** Adds one call of a model. */
  addModelCall(model: string, tokens: Tokens): void {
    const call = { modelCalls: 1, ...tokens };
    this.add({ ...noCounts, ...call, models: { [model]: call } });
  }

  /** Returns what was added, and begins anew. */
  take(): UsageCounts {
    const spent = this.#spent;
    this.#spent = noCounts;
    return spent;
  }

  addToolCalls(toolCalls: number): void {
    this.add({ ...noCounts, toolCalls });
  }
}

const CARRIED_KEY = "__glassloop_carried";

/** Returns the configurable for a run that goes on where another one stopped, with the cost that the state lacks. */
export function withCarried(configurable: Readonly<Record<string, unknown>>, spent: UsageCounts) {
  const carried = new Meter();
  carried.add(spent);
  return { ...configurable, [CARRIED_KEY]: carried };
}

/** Returns the cost that a run took over from the one before it, once. */
export function takeCarried({ configurable }: RunnableConfig): UsageCounts {
  const carried: unknown = configurable?.[CARRIED_KEY];
  return carried instanceof Meter ? carried.take() : noCounts;
}

/** Returns the config for a node whose costs the meter adds up. */
export function withMeter<Config extends RunnableConfig>(config: Config, meter: Meter): Config {
  return { ...config, configurable: { ...config.configurable, [METER_KEY]: meter } };
}

/** Finds the meter of the node to which a config belongs. What runs without an agent has none. */
export function meterIn({ configurable }: RunnableConfig): Meter | undefined {
  const meter: unknown = configurable?.[METER_KEY];
  return meter instanceof Meter ? meter : undefined;
}
