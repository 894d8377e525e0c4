import { expect } from "vitest";
import type { Threads } from "../../../src/threads/open.js";
import { agentOn, answer, payerOn } from "../agents.js";
import { at } from "../open-kind.js";

/** A thread with a turn, and a second turn that was stopped in its middle. */
export async function halfway(threads: Threads): Promise<void> {
  const agent = agentOn(threads, answer("Hello!"), " Sum\nAction: calculator\nAction Input: 2+2");
  await agent.invoke({ messages: "Say hello" }, at("t"));
  await agent.invoke({ messages: "What is 2 + 2?" }, { ...at("t"), interruptBefore: ["act"] });
}

/** A reply that pays 5. */
export const payFive = " Pay\nAction: pay\nAction Input: 5";

/** A thread that was cut off while it paid; and what was paid. */
export async function cutOff(threads: Threads): Promise<string[]> {
  const paid: string[] = [];
  const controller = new AbortController();
  const pay = (amount: string) => {
    paid.push(amount);
    controller.abort(new Error("enough"));
    throw new Error("cut off");
  };
  const run = payerOn(threads, pay, [payFive]).invoke({ messages: "Pay" }, { ...at("t"), signal: controller.signal });
  await expect(run).rejects.toThrow("enough");
  await expect.poll(async () => (await threads.get("t"))?.status).not.toBe("running");
  return paid;
}

/** Resumes such a thread. Returns how its calls ended, and what was paid until then. */
export async function resumed(threads: Threads, paid: string[], thread = "t") {
  const agent = payerOn(threads, (amount) => paid.push(amount), [answer("Perhaps.")]);
  const { intermediateSteps } = await agent.invoke(null, at(thread));
  return { calls: intermediateSteps.flatMap(({ results }) => results.map(({ status }) => status)), paid };
}
