// Own tool: a function with a name, a description and a schema. An error that it throws is told to the model.
import { tool } from "@langchain/core/tools";
import { createAgent } from "glassloop";
import { scriptedModel, transcript } from "glassloop/testing";
import { z } from "zod";

const stock = new Map([["tea", 12]]);

const inStock = tool(
  ({ product }) => {
    const count = stock.get(product);
    if (count === undefined) throw new Error(`There is no "${product}". Products: ${[...stock.keys()].join(", ")}.`);
    return `${count} packets`;
  },
  {
    name: "in_stock",
    description: "Says how much of a product is in stock.",
    schema: z.object({ product: z.string().describe("The product, in lower case.") }),
  },
);

const model = scriptedModel([
  { content: "I look it up.", tool_calls: [{ name: "in_stock", args: { product: "green tea" } }] },
  { content: "So it is called tea.", tool_calls: [{ name: "in_stock", args: { product: "tea" } }] },
  "There are 12 packets of tea.",
]); // in place of a real one
const agent = createAgent({ model, tools: [inStock] });
console.log(transcript(await agent.invoke({ messages: "How much green tea is there?" })));
