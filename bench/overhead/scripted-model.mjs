import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";

/** A chat model that takes no time: it gives its replies in order, and begins again after the last. It cannot stream. */
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

  /** As in the models of providers. */
  bindTools(tools, options) {
    return this.withConfig({ tools, ...options });
  }

  async _generate() {
    const reply = this.#replies[this.#calls++ % this.#replies.length];
    const message = new AIMessage({ ...reply });
    return { generations: [{ text: reply.content, message }] };
  }
}
