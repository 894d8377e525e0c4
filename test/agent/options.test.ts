import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { type AgentOptions, createAgent, InvalidOptionError } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";

const named = (name: string) => tool(() => "", { name, description: "Does nothing." });

describe("createAgent", () => {
  it.each<[string, Partial<AgentOptions>, RegExp]>([
    ["two tools of one name", { tools: [named("look"), named("look")] }, /two tools are named "look"/],
    ["a tool without a name", { tools: [named("")] }, /is empty/],
    ["a tool name with a line break", { tools: [named("look\nup")] }, /line break/],
    ["a tool name that ends with a space", { tools: [named("look ")] }, /ends with a space/],
    ["a tool named like the end of a turn", { tools: [named("Final Answer")] }, /word for ending a turn/],
    ["no step at all", { maxSteps: 0 }, /maxSteps: 0 is not possible/],
    ["half a step", { maxSteps: 1.5 }, /maxSteps: 1.5 is not possible/],
    ["no reply that may be unreadable", { maxUnreadable: 0 }, /maxUnreadable: 0 is not possible/],
  ])("refuses %s", (_case, options, message) => {
    const make = () => createAgent({ model: scriptedModel([]), ...options });
    expect(make).toThrow(InvalidOptionError);
    expect(make).toThrow(message);
  });

  it("draws the graph of the architecture page", async () => {
    const graph = await createAgent({ model: scriptedModel([]) }).getGraphAsync();
    expect(graph.drawMermaid({ withStyles: false })).toMatchInlineSnapshot(`
      "graph TD;
      	__start__ --> rephrase-question;
      	plan --> parse;
      	rephrase-question --> plan;
      	parse -. &nbsp;action&nbsp; .-> act;
      	parse -. &nbsp;unparseable&nbsp; .-> plan;
      	parse -. &nbsp;finish&nbsp; .-> __end__;
      	act -. &nbsp;observed&nbsp; .-> plan;
      	act -. &nbsp;returned&nbsp; .-> __end__;
      "
    `);
  });

  it("lets a caller's lower recursion limit win, and the thread can go on", async () => {
    const act = " I look\nAction: look\nAction Input: up";
    const model = scriptedModel([act, act, act]);
    const agent = createAgent({ model, protocol: "react", tools: [named("look")] });
    await expect(agent.invoke({ messages: "Go" }, { recursionLimit: 5 })).rejects.toThrow(/Recursion limit of 5/);
  });

  it("tries a model again that could not be loaded", async () => {
    const agent = createAgent({ model: "nobody:nothing" });
    await expect(agent.invoke({ messages: "Go" })).rejects.toThrow(/nobody/);
    await expect(agent.invoke({ messages: "Go" })).rejects.toThrow(/nobody/);
  });
});
