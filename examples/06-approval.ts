// Approval: a person decides about calls with effects. The turn waits on its thread, for a moment or for a week.
import { tool } from "@langchain/core/tools";
import { approvalRequests, createAgent, decide, openThreads } from "glassloop";
import { scriptedModel } from "glassloop/testing";
import { z } from "zod";

const refund = tool(({ order }) => `Order ${order} was refunded.`, {
  name: "refund",
  description: "Refunds an order.",
  schema: z.object({ order: z.number() }),
  metadata: { effects: true },
});
const model = scriptedModel([
  {
    tool_calls: [
      { name: "refund", args: { order: 7 } },
      { name: "refund", args: { order: 8 } },
    ],
  },
  "Order 7 was refunded. Order 8 is too old.",
]); // in place of a real one
const threads = await openThreads("memory:");
const agent = createAgent({ model, tools: [refund], approve: "effects", checkpointer: threads.checkpointer });
const config = { configurable: { thread_id: "refunds" } };

const waiting = await agent.invoke({ messages: "Refund the orders 7 and 8." }, config);
const [first, second] = approvalRequests(waiting);
if (!first || !second) throw new Error("Both calls wait for a decision.");
for (const { tool, input, why } of [first, second]) console.log(`${tool} ${JSON.stringify(input)}? ${why}`);

const decisions = { [first.id]: "approve", [second.id]: { type: "refuse", reason: "It is too old." } } as const;
const state = await agent.invoke(decide(decisions), config);
for (const { observation } of state.intermediateSteps[0]?.results ?? []) console.log(`→ ${observation}`);
console.log(state.answer);
await threads.close();
