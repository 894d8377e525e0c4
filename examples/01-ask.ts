// Ask: an agent answers a question with a tool, and its state says how it came to the answer.
import { calculator, createAgent } from "glassloop";

const agent = createAgent({
  model: "offline", // or "openai:gpt-4o-mini", or any LangChain chat model
  tools: [calculator()],
});
const state = await agent.invoke({ messages: "What is the square root of 25?" });

for (const { results } of state.intermediateSteps) {
  for (const { action, observation } of results)
    console.log(`${action.tool}: ${JSON.stringify(action.toolInput)} → ${observation}`);
}
console.log(state.answer);
console.log(`It is ${state.stopReason}, after ${state.usage.turn.modelCalls} model calls.`);
