import { DynamicTool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it, onTestFinished } from "vitest";
import { type AgentOptions, calculator, createAgent } from "../../src/index.js";
import { loadModel } from "../../src/model/models.js";
import { startOpenAIServer } from "../helpers/openai-server.js";

/** The conversations that the project's seeds tell of, replayed over HTTP: the model's words are theirs, the rest is ours. */

async function agentOver(replies: readonly string[], tools: AgentOptions["tools"]) {
  const server = await startOpenAIServer(replies);
  onTestFinished(() => server.close());
  const model = await loadModel("openai:test-model", { baseUrl: server.url, apiKey: "key" });
  const agent = createAgent({ model, protocol: "react", checkpointer: new MemorySaver(), tools });
  return { agent, prompts: () => server.prompts() };
}

function searchThatFinds(result: string) {
  const queries: string[] = [];
  const search = new DynamicTool({
    name: "search",
    description:
      "a search engine. useful for when you need to answer questions about current events. input should be a search query.",
    func: async (query) => {
      queries.push(query);
      return result;
    },
  });
  return { search, queries };
}

const thread = { configurable: { thread_id: "1" } };

describe("langchain-mini's transcripts", () => {
  it("searches and calculates for San Francisco, and answers a follow-up that only makes sense after it", async () => {
    const found = "San Francisco Weather History for the Previous 24 Hours: high 54 °F";
    const { search, queries } = searchThatFinds(found);
    const { agent, prompts } = await agentOver(
      [
        ' I need to find the temperature for yesterday\nAction: search\nAction Input: "High temperature in San Francisco yesterday"',
        " I now know the final answer\nFinal Answer: Yesterday, the high temperature in SF was 54°F",
        " What is 54°F in Celsius?",
        " I should convert to celsius\nAction: calculator\nAction Input: (54-32)*5/9",
        " I now know the final answer\nFinal Answer: 54°F is equal to 12.2°C",
      ],
      [search, calculator()],
    );
    await agent.invoke({ messages: "What was the high temperature in SF yesterday in Fahrenheit?" }, thread);
    expect(queries).toEqual(["High temperature in San Francisco yesterday"]);
    expect(prompts()[1]).toContain(`\nObservation: ${found}\nThought:`);
    const state = await agent.invoke({ messages: "what is that in celsius?" }, thread);
    expect(state).toMatchObject({ question: "What is 54°F in Celsius?", answer: "54°F is equal to 12.2°C" });
    expect(
      prompts()[2],
    ).toBe(`Given the following conversation and a follow up question, rephrase the follow up question to be a standalone question, in its original language.
Chat History:
Q: What was the high temperature in SF yesterday in Fahrenheit?
A: Yesterday, the high temperature in SF was 54°F
Follow Up Input: what is that in celsius?
Standalone question:`);
    expect(state.intermediateSteps[0]?.results[0]?.observation).toMatch(/^12\.22222222222/);
  });
});

describe("the weather and age example of the LangChain source study", () => {
  const question = "Query the weather of this week,And How old will I be in ten years? This year I am 28";
  const preamble = `Answer the following questions as best you can. You have access to the following tools:

Calculator: Useful for when you need to answer questions about math.
Weather: useful for When you want to know about the weather

Use the following format:

Question: the input question you must answer
Thought: you should always think about what to do
Action: the action to take, should be one of [Calculator, Weather]
Action Input: the input to the action
Observation: the result of the action
... (this Thought/Action/Action Input/Observation can repeat N times)
Thought: I now know the final answer
Final Answer: the final answer to the original input question

Begin!

Question: ${question}
Thought:`;

  it("makes three model calls with two tools, and shows the model exactly these prompts", async () => {
    const toolOf = (name: string, description: string, result: string) =>
      new DynamicTool({ name, description, func: async () => result });
    const weather = toolOf("Weather", "useful for When you want to know about the weather", "Sunny^_^");
    const threeAlways = toolOf("Calculator", "Useful for when you need to answer questions about math.", "3");
    const first =
      " I need to use the weather tool to answer the first part of the question, and the calculator to answer the second part.\nAction: Weather\nAction Input: This week";
    const second = "I need to calculate my age in ten years\nAction: Calculator\nAction Input: 28 + 10";
    const { agent, prompts } = await agentOver(
      [
        first,
        second,
        "I now know the final answer\nFinal Answer: I will be 38 in ten years and the weather this week is sunny.",
      ],
      [threeAlways, weather],
    );
    const state = await agent.invoke({ messages: question }, thread);
    expect(state.answer).toBe("I will be 38 in ten years and the weather this week is sunny.");
    expect(prompts()).toEqual([
      preamble,
      `${preamble}${first}\nObservation: Sunny^_^\nThought:`,
      `${preamble}${first}\nObservation: Sunny^_^\nThought:${second}\nObservation: 3\nThought:`,
    ]);
  });
});
