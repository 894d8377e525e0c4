import { tool } from "@langchain/core/tools";
import { Annotation, InMemoryStore, MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import {
  buffer,
  calculator,
  conversational,
  createAgent,
  documentSearch,
  InvalidOptionError,
  openThreads,
  react,
  selfAsk,
  structuredChat,
  summary,
  tokenBudget,
  toolCalling,
  webSearch,
  window,
} from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";

const named = (name: string) => tool(() => "", { name, description: "Does nothing." });

describe("createAgent", () => {
  const model = scriptedModel([]);

  it.each<[string, unknown, string]>([
    ["no options", undefined, "options: undefined is not possible; give an object. The options are: model, tools, "],
    ["a list of options", [], "options: an empty list is not possible"],
    ["options without a model", {}, 'model: it is missing; give a LangChain chat model, or "provider:name"'],
    [
      "a misspelt option",
      { tool: [] },
      'tool: there is no such option; did you mean "tools"? The options are: model, ',
    ],
    ["an option that is like none", { verbose: true }, "verbose: there is no such option. The options are: model, "],
    ["one of another library", { model, llm: "x" }, 'llm: there is no such option; did you mean "model"?'],
    ["one that is another now", { model, maxIterations: 3 }, 'no such option; did you mean "limits.maxSteps"?'],
    ["the hooks of before", { model, hooks: {} }, 'did you mean "middleware"?'],
    ["one of its limits", { model, earlyStoppingMethod: "force" }, 'did you mean "limits.earlyStopping"?'],
    ["an object that is no model", { model: {} }, "model: an empty object is not possible"],
    ["a tool for a model", { model: calculator() }, "model: an object of the class DynamicStructuredTool is not"],
    ["a model still to come", { model: Promise.resolve(model) }, "model: a promise is not possible; "],
    ["a model's class", { model: MemorySaver }, "Was new MemorySaver(…) meant?"],
    ["a text for tools", { model, tools: "x" }, 'tools: "x" is not possible; give a list of LangChain tools.'],
    ["a number among the tools", { model, tools: [calculator(), 5] }, "tools[1]: 5 is not possible; give a LangChain"],
    ["a tool's factory", { model, tools: [calculator] }, "the function calculator is not possible"],
    ["two tools of one name", { model, tools: [named("look"), named("look")] }, 'two tools are named "look"'],
    ["a tool without a name", { model, tools: [named("")] }, "is empty"],
    ["a tool name with a line break", { model, tools: [named("look\nup")] }, "line break"],
    ["a tool name that ends with a space", { model, tools: [named("look ")] }, "ends with a space"],
    ["a tool named like the end of a turn", { model, tools: [named("final_answer")] }, "word for ending a turn"],
    ["a tool named so in another language", { model, tools: [named("最终答案")] }, "word for ending a turn"],
    ["an unknown protocol", { model, protocol: "x" }, 'protocol: "x" is not possible; give one of "auto", "react"'],
    ["a protocol without parse", { model, protocol: { name: "x", render() {} } }, "with name, render is not possible"],
    ["a protocol's factory", { model, protocol: react }, "Was react(…) meant?"],
    ["a number for instructions", { model, instructions: 5 }, "instructions: 5 is not possible; give a text."],
    ["a text for a flag", { model, currentDate: "yes" }, 'currentDate: "yes" is not possible; give true or false.'],
    ["another text for one", { model, rephrase: "no" }, 'rephrase: "no" is not possible; give true, false or "auto".'],
    ["an object that is no memory", { model, memory: {} }, "memory: an empty object is not possible; give buffer(), "],
    ["a memory's factory", { model, memory: buffer }, "Was buffer(…) meant?"],
    ["a text for a count", { model, limits: { maxSteps: "many" } }, 'limits.maxSteps: "many" is not possible; give a'],
    ["no step at all", { model, limits: { maxSteps: 0 } }, "maxSteps: 0 is not possible"],
    ["half a step", { model, limits: { maxSteps: 1.5 } }, "maxSteps: 1.5 is not possible"],
    ["no checkpointer", { model, checkpointer: {} }, "checkpointer: an empty object is not possible; give (await"],
    [
      "threads still to open",
      { model, checkpointer: openThreads("memory:") },
      "checkpointer: a promise is not possible",
    ],
    ["an unknown durability", { model, durability: "never" }, 'give one of "sync", "async", "exit".'],
    ["an unknown strategy", { model, multitaskStrategy: "x" }, 'give one of "reject", "enqueue", "interrupt".'],
    ["an unknown server", { model, modelCalls: { constrainedDecoding: "x" } }, 'give one of "llama.cpp", "vllm", '],
    ["an object that is no store", { model, store: {} }, "store: an empty object is not possible; give a LangGraph"],
    ["a middleware's factory", { model, middleware: [buffer] }, "middleware[0]: the function buffer is not possible"],
    ["a middleware's slip", { model, middleware: [{ name: "m", afterModel: 5 }] }, "afterModel: it is no hook; give a"],
    [
      "two middleware of one name",
      { model, middleware: [{ name: "m" }, { name: "m" }] },
      'two middleware are named "m"',
    ],
    [
      "a middleware with a stream transformer",
      { model, middleware: [{ name: "m", streamTransformers: [buffer] }] },
      "middleware[0].streamTransformers: they are not supported",
    ],
    [
      "a middleware with channels of another kind",
      { model, middleware: [{ name: "m", stateSchema: Annotation.Root({}) }] },
      "middleware: the stateSchema of m is not possible; give a schema of zod",
    ],
    ["an empty name", { model, name: "" }, 'name: "" is not possible; give a text that is not empty.'],
  ])("refuses %s, and says what is possible", (_case, options, message) => {
    const make = () => Reflect.apply(createAgent, undefined, [options]);
    expect(make).toThrow(InvalidOptionError);
    expect(make).toThrow(message);
  });

  it("accepts a tool named like the end of a turn with native tool calls", () => {
    expect(() => createAgent({ model, tools: [named("final_answer")], protocol: "tool-calling" })).not.toThrow();
  });

  it("accepts a model with bound settings, and a model with fallbacks", () => {
    for (const wrapped of [model.withConfig({ tags: ["x"] }), model.withRetry(), model.withFallbacks([model])]) {
      expect(() => Reflect.apply(createAgent, undefined, [{ model: wrapped }])).not.toThrow();
    }
  });

  it("recognises a checkpointer and a store by their methods, as there may be two copies of their package", () => {
    const { getTuple, list, put, putWrites } = new MemorySaver();
    const { batch, get, search } = new InMemoryStore();
    const checkpointer = { getTuple, list, put, putWrites };
    const store = { batch, get, search, put };
    expect(() => Reflect.apply(createAgent, undefined, [{ model, checkpointer, store }])).not.toThrow();
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

  it("keeps a caller's lower recursion limit", async () => {
    const model = scriptedModel(Array(3).fill(" I look\nAction: look\nAction Input: up"));
    const agent = createAgent({ model, protocol: "react", tools: [named("look")] });
    await expect(agent.invoke({ messages: "Go" }, { recursionLimit: 5 })).rejects.toThrow(/Recursion limit of 5/);
  });

  it("loads a model again after a failed load", async () => {
    const agent = createAgent({ model: "nobody:nothing" });
    await expect(agent.invoke({ messages: "Go" })).rejects.toThrow(/nobody/);
    await expect(agent.invoke({ messages: "Go" })).rejects.toThrow(/nobody/);
  });
});

describe("the options of the parts of an agent", () => {
  it.each<[string, (...options: never[]) => unknown, unknown, string]>([
    ["a misspelt option", window, { turn: 3 }, 'window.turn: there is no such option; did you mean "turns"?'],
    ["no turns", window, { turns: 0 }, "window.turns: 0 is not possible; give a whole number of at least 1."],
    ["a count that counts nothing", tokenBudget, { tokens: 5, count: 4 }, "tokenBudget.count: 4 is not possible; "],
    ["a name for a model", summary, { model: "offline" }, 'summary.model: "offline" is not possible; give a LangChain'],
    ["no folder", documentSearch, {}, "documentSearch.folder: Give the path of a folder."],
    ["a folder by itself", documentSearch, "docs", 'documentSearch: "docs" is not possible; give an object.'],
    ["no search engine", webSearch, undefined, "webSearch: undefined is not possible; give an object."],
    [
      "another name",
      webSearch,
      { provider: "searxng", baseurl: "" },
      'baseurl: there is no such option; did you mean "',
    ],
    ["a misspelt wording", react, { wrding: "" }, 'react.wrding: there is no such option; did you mean "wording"?'],
    ["examples, which the agent takes", selfAsk, { examples: ["Q"] }, "selfAsk.examples: there is no such option."],
    ["a text for a function", structuredChat, { wording: "Do" }, 'structuredChat.wording: "Do" is not possible; '],
    ["an unknown format", conversational, { format: "xml" }, 'conversational.format: "xml" is not possible; give one'],
    ["a function for a text", toolCalling, { wording: () => "" }, "toolCalling.wording: the function wording is not"],
  ])("refuse %s, and say what is possible", (_case, make, options, message) => {
    const made = () => Reflect.apply(make, undefined, [options]);
    expect(made).toThrow(InvalidOptionError);
    expect(made).toThrow(message);
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, 'url: it is missing; give a text: "memory:", "sqlite:PATH" or "postgres://'],
    ["an URL object", new URL("postgres://h/d"), "url: an object of the class URL is not possible; give a text"],
  ])("openThreads refuses %s", async (_case, url, message) => {
    const opened = Reflect.apply(openThreads, undefined, [url]);
    await expect(opened).rejects.toThrow(InvalidOptionError);
    await expect(opened).rejects.toThrow(message);
  });
});
