import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { SecretFilter } from "../../base/secrets/without-secrets.js";
import { runOf } from "../run/run.js";
import { ReasoningReader } from "./reasoning.js";

/** Emits the reasoning of one reply, without known secrets: each piece when it comes, and the whole at the end. */
export class ReasoningEvents {
  readonly #reader = new ReasoningReader();
  readonly #filter = new SecretFilter();
  /** The reasoning so far. */
  text = "";

  constructor(private readonly config: RunnableConfig) {}

  /** Takes the next chunk of the reply, or the whole reply. */
  push(message: BaseMessage): void {
    const reasoning = this.#reader.push(message);
    if (reasoning !== "") this.#emit(this.#filter.push(reasoning));
    // What was held back stands before the words that come now.
    else if (message.text !== "") this.#emit(this.#filter.end());
  }

  /** Ends the reasoning. Returns the whole text. */
  end(): string {
    this.#emit(this.#filter.end());
    if (this.text !== "") runOf(this.config).emit({ type: "reasoning", text: this.text });
    return this.text;
  }

  #emit(text: string): void {
    if (text === "") return;
    this.text += text;
    runOf(this.config).emit({ type: "reasoning-delta", text });
  }
}
