/** A graph of LangGraph that is no agent of Glassloop: it says what it heard. */
import { AIMessage } from "@langchain/core/messages";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";

export const echo = new StateGraph(MessagesAnnotation)
  .addNode("say", ({ messages }) => ({ messages: [new AIMessage(`I heard: ${messages.at(-1).text}`)] }))
  .addEdge("__start__", "say")
  .addEdge("say", "__end__")
  .compile();
