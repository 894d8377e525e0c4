import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";

const instructions = "You are a helpful assistant.";

/**
 * Returns the contestants: this checkout, another one, and LangGraph's prebuilt agent. `make(url, look)` returns a function that
 * runs one turn of a conversation with a model at that address.
 *
 * @param before The folder of another checkout, built; may be left out.
 */
export async function contestantsOf(before) {
  const folders = [["now", new URL("../../", import.meta.url)]];
  if (before !== undefined) folders.push(["before", pathToFileURL(`${resolve(before)}/`)]);
  const agents = [];
  for (const protocol of ["tool-calling", "react"]) {
    for (const [name, folder] of folders) {
      const library = await import(new URL("dist/index.js", folder).href);
      agents.push({ name: `${name}, ${protocol}`, protocol, make: glassloop(library, protocol) });
    }
  }
  const library = await import("../../dist/index.js");
  const withSteps = glassloop(library, "react", { memory: library.buffer({ steps: 5 }) });
  return [
    ...agents,
    { name: "now, react, steps: 5", protocol: "react", make: withSteps },
    { name: "prebuilt, tool-calling", protocol: "tool-calling", make: prebuilt },
  ];
}

function glassloop({ createAgent, loadModel, openThreads }, protocol, options = {}) {
  return async (url, look) => {
    const model = await loadModel("openai:gpt-4o-mini", { baseUrl: url, apiKey: "key", maxRetries: 0 });
    const { checkpointer } = await openThreads("memory:");
    const agent = createAgent({ model, tools: [toolOf(look)], protocol, instructions, checkpointer, ...options });
    return async (messages) => (await agent.invoke({ messages }, thread)).answer;
  };
}

async function prebuilt(url, look) {
  const llm = new ChatOpenAI({ model: "gpt-4o-mini", apiKey: "key", maxRetries: 0, configuration: { baseURL: url } });
  const agent = createReactAgent({ llm, tools: [toolOf(look)], prompt: instructions, checkpointer: new MemorySaver() });
  return async (messages) => {
    const state = await agent.invoke({ messages: [{ role: "user", content: messages }] }, thread);
    return state.messages.at(-1).text;
  };
}

const thread = { configurable: { thread_id: "1" } };

function toolOf(look) {
  return tool(({ query }) => look(query), {
    name: "look_up",
    description: "Looks something up, or does it: weather, prices, trains, orders, payments, arithmetic.",
    schema: z.object({ query: z.string() }),
  });
}
