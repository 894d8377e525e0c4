// An agent in a graph: it is a node like any other. Its messages join those of the graph around it.
import { AIMessage } from "@langchain/core/messages";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { calculator, createAgent } from "glassloop";

const State = new StateSchema({ messages: MessagesValue });
const agent = createAgent({ model: "offline", tools: [calculator()], name: "reckoner" });

const graph = new StateGraph(State)
  .addNode("refuse", () => ({ messages: [new AIMessage("I only do sums.")] }))
  .addNode("reckon", agent)
  .addConditionalEdges(START, ({ messages }) => (/\d/.test(messages.at(-1)?.text ?? "") ? "reckon" : "refuse"), [
    "reckon",
    "refuse",
  ])
  .addEdge("reckon", END)
  .addEdge("refuse", END)
  .compile();

for (const question of ["What is 12 * 12?", "Who are you?"]) {
  const { messages } = await graph.invoke({ messages: question });
  for (const message of messages) console.log(`${message.name ?? message.getType()}: ${message.text || "(a call)"}`);
}
