import type { AIMessage } from "@langchain/core/messages";
import { dataWithoutSecrets } from "../base/secrets/without-secrets.js";
import type { BegunReply, Plugin, ReplyListener } from "../core/parts/plugin.js";
import { runOf, usageOf } from "../core/run/run.js";
import type { Reply } from "../core/state/decision.js";
import { outsideText } from "../core/state/outside.js";
import { type ProviderStep, providerSteps } from "../provider-forms/provider-steps.js";

/** Tells what tools of the provider do for replies, and counts their calls. What they bring is text from outside. */
export const providerCalls: Plugin = {
  name: "provider-calls",
  listen: (reply) => new ProviderEvents(reply),
};

/** Emits what tools of the provider do for one reply, without known secrets. */
class ProviderEvents implements ReplyListener {
  readonly #steps: ProviderStep[] = [];

  constructor(private readonly reply: BegunReply) {}

  /** A call is emitted with its result, when its input is complete. */
  push(chunk: AIMessage, soFar: AIMessage): void {
    const isReturned = providerSteps(chunk, this.reply.id).some(({ type }) => type === "observation");
    if (chunk === soFar || isReturned) this.whole(soFar);
  }

  whole(message: AIMessage): void {
    const { id, config } = this.reply;
    for (const step of dataWithoutSecrets(providerSteps(message, id))) {
      if (this.#steps.some((known) => known.type === step.type && known.id === step.id)) continue;
      this.#steps.push(step);
      if (step.type === "action") usageOf(config).addToolCalls(1);
      runOf(config).emit(step);
    }
  }

  end(): Pick<Reply, "byProvider"> {
    const steps = this.#steps;
    const { config, state } = this.reply;
    const tools = steps.flatMap((step) => (step.type === "action" ? [step.tool] : []));
    runOf(config).learn(tools.map((tool) => outsideText(tool, state.turn)));
    return steps.length > 0 ? { byProvider: steps } : {};
  }
}
