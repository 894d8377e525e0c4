// Kill and resume: end it with kill -9 while it pays, and start it again. What was done stays done, and it pays once.
import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { tool } from "@langchain/core/tools";
import { createAgent, openThreads, streamTurn } from "glassloop";
import { scriptedModel } from "glassloop/testing";
import { z } from "zod";

const schema = z.object({ order: z.number() });
const bank = join(tmpdir(), "glassloop-bank.txt");
const price = tool(() => "30 dollars", { name: "price", description: "The price of an order.", schema });
const payments = tool(() => readFileSync(bank, "utf8"), { name: "payments", description: "Lists payments.", schema });
async function payAtBank({ order }: z.infer<typeof schema>): Promise<string> {
  appendFileSync(bank, `order ${order}: 30 dollars`);
  console.log("  the bank has the money, and is slow to say so");
  await setTimeout(5_000);
  return "paid";
}
const pay = tool(payAtBank, { name: "pay", description: "Pays an order.", schema, metadata: { effects: true } });

const threads = await openThreads(`sqlite:${join(tmpdir(), "glassloop-kill.db")}`);
const config = { configurable: { thread_id: "order-7" } };
const isResumed = (await threads.get("order-7")) !== undefined;
const calls = ["price", "pay", "payments"].map((name) => ({ tool_calls: [{ name, args: { order: 7 } }] }));
// In place of a real model, which would go on by itself. It is asked again only for what is missing.
const model = scriptedModel([...calls, "Order 7 is paid, once."].slice(isResumed ? 2 : 0));
const agent = createAgent({ model, tools: [price, pay, payments], checkpointer: threads.checkpointer });

for await (const event of streamTurn(agent, isResumed ? null : { messages: "Pay order 7." }, config)) {
  if (event.type === "action") console.log(`→ ${event.tool}`);
  if (event.type === "observation") console.log(`← ${event.text}`);
  if (event.type === "answer") console.log(event.text);
}
await threads.delete("order-7");
await threads.close();
rmSync(bank);
