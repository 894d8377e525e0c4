import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { repliesOf } from "./thread.mjs";

/** A chat model that takes no time. It gives the replies of the thread's turns, one a call. */
export class ArchiveModel extends BaseChatModel {
  #left = [];
  #turn = 0;

  constructor() {
    super({});
  }

  _llmType() {
    return "bench-archive";
  }

  bindTools(tools, options) {
    return this.withConfig({ tools, ...options });
  }

  async _generate() {
    if (this.#left.length === 0) this.#left = repliesOf(++this.#turn);
    const reply = this.#left.shift();
    return { generations: [{ text: reply.content, message: new AIMessage({ ...reply }) }] };
  }
}
