import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, InMemoryStore, MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import {
  type AgentOptions,
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
  it.each<[string, Partial<AgentOptions>, RegExp]>([
    ["two tools of one name", { tools: [named("look"), named("look")] }, /two tools are named "look"/],
    ["a tool without a name", { tools: [named("")] }, /is empty/],
    ["a tool name with a line break", { tools: [named("look\nup")] }, /line break/],
    ["a tool name that ends with a space", { tools: [named("look ")] }, /ends with a space/],
    ["a tool named like the end of a turn", { tools: [named("Final Answer")] }, /word for ending a turn/],
    ["a tool named so in another spelling", { tools: [named("final_answer")] }, /word for ending a turn/],
    ["a tool named so in another language", { tools: [named("最终答案")] }, /word for ending a turn/],
    ["no step at all", { limits: { maxSteps: 0 } }, /maxSteps: 0 is not possible/],
    ["half a step", { limits: { maxSteps: 1.5 } }, /maxSteps: 1.5 is not possible/],
    ["no reply that may be unreadable", { limits: { maxUnreadable: 0 } }, /maxUnreadable: 0 is not possible/],
  ])("refuses %s", (_case, options, message) => {
    const make = () => createAgent({ model: scriptedModel([]), ...options });
    expect(make).toThrow(InvalidOptionError);
    expect(make).toThrow(message);
  });

  it("accepts such a name with native tool calls", () => {
    expect(() =>
      createAgent({ model: scriptedModel([]), tools: [named("final_answer")], protocol: "tool-calling" }),
    ).not.toThrow();
  });

  it.each<[string, unknown, string]>([
    ["no options", undefined, "options: undefined is not possible; give an object. The options are: model, tools, "],
    ["a number for options", 5, "options: 5 is not possible"],
    ["a list of options", [], "options: an empty list is not possible"],
    ["options without a model", {}, 'model: it is missing; give a LangChain chat model, or "provider:name"'],
    [
      "a misspelt option",
      { tool: [] },
      'tool: there is no such option; did you mean "tools"? The options are: model, ',
    ],
    [
      "an option that is like none",
      { verbose: true },
      "verbose: there is no such option. The options are: model, tools, ",
    ],
    ...[
      ["llm", "model"],
      ["systemPrompt", "instructions"],
      ["prompt", "instructions"],
      ["responseFormat", "output"],
      ["contextSchema", "context"],
      ["middleware", "hooks"],
      ["maxIterations", "limits.maxSteps"],
      ["checkpointSaver", "checkpointer"],
    ].map(([theirs = "", ours]): [string, unknown, string] => [
      `${theirs}, an option of another library`,
      { model: "offline", [theirs]: "x" },
      `${theirs}: there is no such option; did you mean "${ours}"? The options are: model, tools, `,
    ]),
  ])("refuses %s, and says what is possible", (_case, options, message) => {
    const make = () => Reflect.apply(createAgent, undefined, [options]);
    expect(make).toThrow(InvalidOptionError);
    expect(make).toThrow(message);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["undefined for a model", { model: undefined }, "model: it is missing; give a LangChain chat model"],
    ["null for a model", { model: null }, "model: null is not possible; give a LangChain chat model"],
    ["an object that is no model", { model: {} }, "model: an empty object is not possible"],
    ["a tool for a model", { model: calculator() }, "model: an object of the class DynamicStructuredTool is not"],
    ["a model still to come", { model: Promise.resolve(scriptedModel([])) }, "model: a promise is not possible; "],
    ["a model's class", { model: MemorySaver }, "Was new MemorySaver(…) meant?"],
    ["a text for tools", { tools: "x" }, 'tools: "x" is not possible; give a list of LangChain tools.'],
    ["null for tools", { tools: null }, "tools: null is not possible"],
    ["a number among the tools", { tools: [calculator(), 5] }, "tools[1]: 5 is not possible; give a LangChain tool"],
    ["a tool's factory", { tools: [calculator] }, "the function calculator is not possible"],
    [
      "an unknown protocol",
      { protocol: "nonsense" },
      'protocol: "nonsense" is not possible; give one of "auto", "react"',
    ],
    [
      "a protocol without parse",
      { protocol: { name: "x", render() {} } },
      "an object with name, render is not possible",
    ],
    ["a protocol's factory", { protocol: react }, "Was react(…) meant?"],
    ["a number for instructions", { instructions: 5 }, "instructions: 5 is not possible; give a text."],
    ["a text for a flag", { currentDate: "yes" }, 'currentDate: "yes" is not possible; give true or false.'],
    ["another text for a flag", { rephrase: "no" }, 'rephrase: "no" is not possible; give true, false or "auto".'],
    ["an object that is no memory", { memory: {} }, "memory: an empty object is not possible; give buffer(), "],
    ["a memory's factory", { memory: buffer }, "Was buffer(…) meant?"],
    [
      "a text for a count",
      { limits: { maxSteps: "many" } },
      'limits.maxSteps: "many" is not possible; give a whole number',
    ],
    [
      "an object that is no checkpointer",
      { checkpointer: {} },
      "checkpointer: an empty object is not possible; give (await",
    ],
    ["threads still to open", { checkpointer: openThreads("memory:") }, "checkpointer: a promise is not possible"],
    ["an unknown durability", { durability: "never" }, 'give one of "sync", "async", "exit".'],
    ["an unknown strategy", { multitaskStrategy: "x" }, 'give one of "reject", "enqueue", "interrupt".'],
    ["an unknown server", { modelCalls: { constrainedDecoding: "x" } }, 'give one of "llama.cpp", "vllm", "openai".'],
    ["an object that is no store", { store: {} }, "store: an empty object is not possible; give a LangGraph store."],
    ["a number for a name", { name: 7 }, "name: 7 is not possible; give a text."],
    ["an empty name", { name: "" }, 'name: "" is not possible; give a text that is not empty.'],
  ])("refuses %s, and says what is possible", (_case, options, message) => {
    const make = () => Reflect.apply(createAgent, undefined, [{ model: scriptedModel([]), ...options }]);
    expect(make).toThrow(InvalidOptionError);
    expect(make).toThrow(message);
  });

  it("accepts a model with bound settings, and a model with fallbacks", () => {
    const model = scriptedModel([]);
    for (const wrapped of [model.withConfig({ tags: ["x"] }), model.withRetry(), model.withFallbacks([model])]) {
      expect(() => Reflect.apply(createAgent, undefined, [{ model: wrapped }])).not.toThrow();
    }
  });

  it("recognises a checkpointer and a store by their methods, as there may be two copies of their package", () => {
    const { getTuple, list, put, putWrites } = new MemorySaver();
    const { batch, get, search } = new InMemoryStore();
    const checkpointer = { getTuple, list, put, putWrites };
    const store = { batch, get, search, put };
    const options = { model: scriptedModel([]), checkpointer, store };
    expect(() => Reflect.apply(createAgent, undefined, [options])).not.toThrow();
  });

  it.each([
    { checkpointer: true, remembers: "has a memory of its own" },
    { checkpointer: false, remembers: "sees what the outer graph gives it" },
  ])("inside another graph $remembers with checkpointer: $checkpointer", async ({ checkpointer }) => {
    const model = scriptedModel([" I know\nFinal Answer: One.", " I know\nFinal Answer: Two."]);
    const agent = createAgent({ model, protocol: "react", rephrase: false, checkpointer });
    const outer = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("ask", async ({ messages }) => {
        const { turn } = await agent.invoke({ messages: messages.slice(-1) });
        return { messages: [new HumanMessage(`turn ${turn.number}`)] };
      })
      .addEdge(START, "ask")
      .addEdge("ask", END)
      .compile({ checkpointer: new MemorySaver() });
    const thread = { configurable: { thread_id: "outer" } };
    await outer.invoke({ messages: "First?" }, thread);
    const { messages } = await outer.invoke({ messages: "Second?" }, thread);
    expect(messages.at(-1)?.text).toBe(checkpointer ? "turn 2" : "turn 1");
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

  it("keeps a caller's lower recursion limit, and the thread can be resumed", async () => {
    const act = " I look\nAction: look\nAction Input: up";
    const model = scriptedModel([act, act, act]);
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
    [
      "a misspelt option",
      window,
      { turn: 3 },
      'window.turn: there is no such option; did you mean "turns"? The options',
    ],
    ["no turns", window, { turns: 0 }, "window.turns: 0 is not possible; give a whole number of at least 1."],
    ["no budget", tokenBudget, undefined, "tokenBudget: undefined is not possible; give an object."],
    [
      "a count that counts nothing",
      tokenBudget,
      { tokens: 5, count: 4 },
      "tokenBudget.count: 4 is not possible; give a",
    ],
    ["a name for a model", summary, { model: "offline" }, 'summary.model: "offline" is not possible; give a LangChain'],
    ["no folder", documentSearch, {}, "documentSearch.folder: Give the path of a folder."],
    [
      "a folder by itself",
      documentSearch,
      "docs",
      'documentSearch: "docs" is not possible; give an object. The options',
    ],
    [
      "a folder's other name",
      documentSearch,
      { dir: "docs" },
      "dir: there is no such option. The options are: folder, ",
    ],
    ["no search engine", webSearch, undefined, "webSearch: undefined is not possible; give an object."],
    [
      "an address's other name",
      webSearch,
      { provider: "searxng", baseurl: "" },
      'baseurl: there is no such option; did you mean "baseUrl"?',
    ],
    [
      "a misspelt wording",
      react,
      { wrding: "" },
      'react.wrding: there is no such option; did you mean "wording"? The options are: wording.',
    ],
    ["examples, which the agent takes", selfAsk, { examples: ["Q"] }, "selfAsk.examples: there is no such option."],
    [
      "a text for a function",
      structuredChat,
      { wording: "Do" },
      'structuredChat.wording: "Do" is not possible; give a',
    ],
    [
      "an unknown format",
      conversational,
      { format: "xml" },
      'conversational.format: "xml" is not possible; give one of',
    ],
    ["a function for a text", toolCalling, { wording: () => "" }, "toolCalling.wording: the function wording is not"],
    ["a text for options", react, "wording", 'react: "wording" is not possible; give an object. The options are'],
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
