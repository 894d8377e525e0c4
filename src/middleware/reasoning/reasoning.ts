import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { SecretFilter } from "../../base/secrets/without-secrets.js";
import type { Plugin, ReplyListener } from "../../core/parts/plugin.js";
import { runOf } from "../../core/run/run.js";
import { ReasoningReader } from "./read-reasoning.js";

/** Tells what a model reasons before and between the words of its replies. */
export const reasoning: Plugin = {
  name: "reasoning",
  listen: ({ config }) => new ReasoningEvents(config),
};

/** Emits the reasoning of one reply, without known secrets: each piece when it comes, and the whole at the end. */
class ReasoningEvents implements ReplyListener {
  readonly #reader = new ReasoningReader();
  readonly #filter = new SecretFilter();
  /** The reasoning so far. */
  beside = "";

  constructor(private readonly config: RunnableConfig) {}

  push(message: BaseMessage): void {
    const reasoning = this.#reader.push(message);
    if (reasoning !== "") this.#emit(this.#filter.push(reasoning));
    // What was held back stands before the words that come now.
    else if (message.text !== "") this.#emit(this.#filter.end());
  }

  end(): undefined {
    this.#emit(this.#filter.end());
    if (this.beside !== "") runOf(this.config).emit({ type: "reasoning", text: this.beside });
  }

  #emit(text: string): void {
    if (text === "") return;
    this.beside += text;
    runOf(this.config).emit({ type: "reasoning-delta", text });
  }
}
