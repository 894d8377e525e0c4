import { tool } from "@langchain/core/tools";
import { expect, vi } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { scriptedModel } from "../../../src/testing/index.js";
import type { Threads } from "../../../src/threads/open.js";
import { calculator } from "../../../src/tools/calculator/calculator.js";
import { at } from "../open-kind.js";

export function agentOn({ checkpointer }: Threads, ...replies: string[]) {
  const model = scriptedModel(replies);
  return createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false, checkpointer });
}

/** A thread with a turn, and a second turn that was stopped in its middle. */
export async function halfway(threads: Threads): Promise<void> {
  const agent = agentOn(threads, " I know\nFinal Answer: Hello!", " Sum\nAction: calculator\nAction Input: 2+2");
  await agent.invoke({ messages: "Say hello" }, at("t"));
  await agent.invoke({ messages: "What is 2 + 2?" }, { ...at("t"), interruptBefore: ["act"] });
}

/** An agent with a tool that pays, which no one may do twice. */
export function payerOn(
  { checkpointer }: Threads,
  pay: (amount: string) => unknown,
  replies: string[],
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

/** A thread that was cut off while it paid; and what was paid. */
export async function cutOff(threads: Threads): Promise<string[]> {
  const paid: string[] = [];
  const controller = new AbortController();
  const pay = (amount: string) => {
    paid.push(amount);
    controller.abort(new Error("enough"));
    throw new Error("cut off");
  };
  const agent = payerOn(threads, pay, [" Pay\nAction: pay\nAction Input: 5"]);
  const run = agent.invoke({ messages: "Pay" }, { ...at("t"), signal: controller.signal });
  await expect(run).rejects.toThrow("enough");
  await vi.waitFor(async () => expect((await threads.get("t"))?.status).not.toBe("running"));
  return paid;
}
