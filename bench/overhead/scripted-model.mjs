import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";

/**
 * A chat model that takes no time. It gives its replies in order, and begins again after the last one. It cannot
 * stream.
 */
export class ScriptedModel extends BaseChatModel {
  #replies;
  #calls = 0;

  constructor(replies) {
    super({});
    this.#replies = replies;
  }

  _llmType() {
    return "bench-scripted";
  }

  /** Binds tools, as the models of providers do. */
  bindTools(tools, options) {
    return this.withConfig({ tools, ...options });
  }

  async _generate() {
    const reply = this.#replies[this.#calls++ % this.#replies.length];
    const message = new AIMessage({ ...reply });
    return { generations: [{ text: reply.content, message }] };
  }
}
