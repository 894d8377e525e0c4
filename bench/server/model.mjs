// A model in the process that takes its time: it calls its tool three times, and then answers word by word.
import { setTimeout as sleep } from "node:timers/promises";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";

export const STEPS = 3;
const done = "It is done, and nothing is left to do.";

export class PacedModel extends BaseChatModel {
  /**
   * @param fields.delayMs The time before a reply begins, in milliseconds.
   * @param fields.pauseMs The time before each word.
   * @param fields.args The arguments of its calls; the number of the step unless given.
   * @param fields.steps The number of calls before its answer.
   * @param fields.answer Its answer.
   */
  constructor({ delayMs, pauseMs, args, steps = STEPS, answer = done }) {
    super({});
    this.answer = answer;
    this.args = args;
    this.steps = steps;
    this.delayMs = delayMs;
    this.pauseMs = pauseMs;
  }

  _llmType() {
    return "bench-paced";
  }

  bindTools(tools, options) {
    return this.withConfig({ tools, ...options });
  }

  async _generate(messages) {
    await sleep(this.delayMs);
    const call = callAfter(messages, this);
    const message = call ? new AIMessage({ content: "I look", tool_calls: [call] }) : new AIMessage(this.answer);
    return { generations: [{ text: message.text, message }] };
  }

  async *_streamResponseChunks(messages, _options, runManager) {
    await sleep(this.delayMs);
    const call = callAfter(messages, this);
    const chunks = call
      ? [{ content: "I look", tool_call_chunks: [{ ...call, args: JSON.stringify(call.args), index: 0 }] }]
      : this.answer.split(/(?<= )/).map((content) => ({ content }));
    for (const fields of chunks) {
      if (this.pauseMs > 0) await sleep(this.pauseMs);
      const message = new AIMessageChunk(fields);
      const chunk = new ChatGenerationChunk({ text: message.text, message });
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

function callAfter(messages, { args, steps }) {
  const question = messages.findLastIndex((message) => message.getType() === "human");
  const step = messages.slice(question).filter((message) => message.getType() === "tool").length;
  return step < steps ? { id: `call-${step}`, name: "look", args: args ?? { step } } : undefined;
}
