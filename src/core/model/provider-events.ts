import type { AIMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { dataWithoutSecrets } from "../../base/secrets/without-secrets.js";
import { runOf, usageOf } from "../run/run.js";
import { type ProviderStep, providerSteps } from "../state/provider-steps.js";

/** Emits what tools of the provider do for one reply, without known secrets, and counts their calls. */
export class ProviderEvents {
  readonly steps: ProviderStep[] = [];

  constructor(private readonly config: RunnableConfig) {}

  /**
   * Takes a chunk of the reply, with the reply so far. A call is emitted with its result, when its input is complete. The
   * whole reply, passed like a chunk, brings the rest.
   *
   * @param id The id of the reply.
   */
  push(chunk: AIMessage, soFar: AIMessage, id: string): void {
    if (chunk !== soFar && !providerSteps(chunk, id).some(({ type }) => type === "observation")) return;
    for (const step of dataWithoutSecrets(providerSteps(soFar, id))) {
      if (this.steps.some((known) => known.type === step.type && known.id === step.id)) continue;
      this.steps.push(step);
      if (step.type === "action") usageOf(this.config).addToolCalls(1);
      runOf(this.config).emit(step);
    }
  }
}
