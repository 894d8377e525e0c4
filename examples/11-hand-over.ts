// Hand-over: an agent gives the conversation to another one. Its tool returns a command for the graph around both.
import { tool } from "@langchain/core/tools";
import { Command, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { calculator, createAgent } from "glassloop";
import { scriptedModel } from "glassloop/testing";
import { z } from "zod";

const toSales = tool(() => new Command({ graph: Command.PARENT, goto: "sales" }), {
  name: "to_sales",
  description: "Hands over to the colleague who knows the prices.",
  schema: z.object({}),
});

// Scripts in place of real models.
const welcome = createAgent({
  name: "welcome",
  model: scriptedModel([{ content: "That is for sales.", tool_calls: [{ name: "to_sales", args: {} }] }]),
  tools: [toSales],
});
const sales = createAgent({
  name: "sales",
  model: scriptedModel([
    { tool_calls: [{ name: "calculator", args: { expression: "3 * 4.50" } }] },
    "Three packets cost 13.50.",
  ]),
  tools: [calculator()],
});

const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
  .addNode("welcome", welcome, { ends: ["sales"] })
  .addNode("sales", sales)
  .addEdge(START, "welcome")
  .compile();
const { messages } = await graph.invoke({ messages: "What do three packets of tea cost?" });
for (const message of messages) console.log(`${message.name ?? message.getType()}: ${message.text || "(a call)"}`);
