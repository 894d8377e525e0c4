import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { type AgentOptions, createAgent } from "../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";

/** A tool that says a text again. */
export const echo = tool(({ text }) => `echo of ${text}`, {
  name: "echo",
  description: "Says a text again.",
  schema: z.object({ text: z.string() }),
});

/** A reply that calls {@link echo}, after the prompt's word `Thought:`. */
export const act = (text: string) => ` I look\nAction: echo\nAction Input: {"text":"${text}"}`;

/** A reply that ends the turn. */
export const answer = (text: string) => ` I know\nFinal Answer: ${text}`;

/** Makes an agent with the tool {@link echo} and a model that gives these replies. */
export function agentWith(replies: readonly ScriptedReply[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(replies);
  return { model, agent: createAgent({ model, protocol: "react", tools: [echo], rephrase: false, ...options }) };
}
