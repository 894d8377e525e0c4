import { AgentExecutor, createReactAgent as createClassicAgent } from "@langchain/classic/agents";
import { HumanMessage } from "@langchain/core/messages";
import { PromptTemplate } from "@langchain/core/prompts";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { createAgent as createLangChainAgent } from "langchain";
import { createAgent } from "../../dist/index.js";
import { bareGraph } from "./bare-graph.mjs";
import { ScriptedModel } from "./scripted-model.mjs";
import { countTool, nativeReplies, question, textReplies } from "./task.mjs";

/**
 * The contestants. `make(checkpointer)` returns a function that runs one turn on a thread and returns its answer. Only
 * graphs take a checkpointer. The times are compared with those of `isYardstick` and of `isFloor`.
 */
export const contestants = [
  { name: "a loop by hand", isGraph: false, make: handWrittenLoop },
  { name: "AgentExecutor (classic)", isGraph: false, make: agentExecutor },
  { name: "createReactAgent (prebuilt)", isGraph: true, isYardstick: true, make: prebuiltAgent },
  { name: "the nodes on bare LangGraph", isGraph: true, isFloor: true, make: bareNodes },
  { name: "createAgent (langchain)", isGraph: true, make: langChainAgent },
  { name: "Glassloop, react", isGraph: true, make: glassloop("react", textReplies) },
  { name: "Glassloop, tool-calling", isGraph: true, make: glassloop("tool-calling", nativeReplies) },
];

const prompt = `Answer the following questions as best you can. You have access to the following tools:

{tools}

Use the following format:

Question: the input question you must answer
Thought: you should always think about what to do
Action: the action to take, should be one of [{tool_names}]
Action Input: the input to the action
Observation: the result of the action
... (this Thought/Action/Action Input/Observation can repeat N times)
Thought: I now know the final answer
Final Answer: the final answer to the original input question

Begin!

Question: {input}
Thought:{agent_scratchpad}`;

/** Makes an agent without a library: a prompt that grows, two regular expressions, and a loop. */
function handWrittenLoop() {
  const model = new ScriptedModel(textReplies);
  const count = countTool();
  return async () => {
    let scratchpad = prompt
      .replace("{tools}", `${count.name}: ${count.description}`)
      .replace("{tool_names}", count.name)
      .replace("{input}", question)
      .replace("{agent_scratchpad}", "");
    for (;;) {
      const { text } = await model.invoke([new HumanMessage(scratchpad)], { stop: ["\nObservation"] });
      const final = /Final Answer:(.*)/s.exec(text);
      if (final) return final[1].trim();
      const [, , input] = /Action:(.*)\nAction Input:(.*)/.exec(text);
      scratchpad += `${text}\nObservation: ${await count.invoke(input.trim())}\nThought:`;
    }
  };
}

async function agentExecutor() {
  const tools = [countTool()];
  const llm = new ScriptedModel(textReplies);
  const agent = await createClassicAgent({ llm, tools, prompt: PromptTemplate.fromTemplate(prompt) });
  const executor = new AgentExecutor({ agent, tools });
  return async () => (await executor.invoke({ input: question })).output;
}

function prebuiltAgent(checkpointer) {
  const llm = new ScriptedModel(nativeReplies);
  return turns(createReactAgent({ llm, tools: [countTool()], checkpointer }));
}

/** Makes the four nodes of Glassloop without Glassloop: it shows what LangGraph takes for them. */
function bareNodes(checkpointer) {
  return turns(bareGraph({ model: new ScriptedModel(textReplies), count: countTool(), checkpointer }));
}

function langChainAgent(checkpointer) {
  const model = new ScriptedModel(nativeReplies);
  return turns(createLangChainAgent({ model, tools: [countTool()], checkpointer }));
}

function glassloop(protocol, replies) {
  return (checkpointer) =>
    turns(createAgent({ model: new ScriptedModel(replies), tools: [countTool()], protocol, checkpointer }));
}

/**
 * Returns a function that runs turns of a graph. Every graph gets the same input, the same durability, and the limit
 * that it needs.
 */
function turns(graph) {
  return async (thread) => {
    const { messages } = await graph.invoke(
      { messages: [{ role: "user", content: question }] },
      { configurable: { thread_id: thread }, durability: "sync", recursionLimit: 100 },
    );
    return messages.at(-1).text;
  };
}
