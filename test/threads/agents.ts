import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { createAgent } from "../../src/agent/create-agent.js";
import { type ScriptedReply, type ScriptedReplyMaker, scriptedModel } from "../../src/testing/index.js";
import type { Threads } from "../../src/threads/open.js";
import { calculator } from "../../src/tools/calculator/calculator.js";

type Place = Pick<Threads, "checkpointer">;
type Reply = ScriptedReply | ScriptedReplyMaker;

/** A reply that gives the answer. */
export const answer = (text: string) => ` I know\nFinal Answer: ${text}`;

/** An agent that can add. */
export function agentOn({ checkpointer }: Place, ...replies: Reply[]) {
  const model = scriptedModel(replies);
  return createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false, checkpointer });
}

/** An agent with a tool that pays, which no one may do twice. */
export function payerOn(
  { checkpointer }: Place,
  pay: (amount: string) => unknown,
  replies: Reply[],
  approve: "always" | "never" = "never",
) {
  const payTool = tool(({ input }) => pay(input), {
    name: "pay",
    description: "Pays.",
    schema: z.object({ input: z.string() }),
    metadata: { effects: true },
  });
  const model = scriptedModel(replies);
  return createAgent({ model, tools: [payTool], protocol: "react", rephrase: false, checkpointer, approve });
}
