// The plain graph that both servers serve: a model and a tool, and no package of ours.
import { ToolMessage } from "@langchain/core/messages";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { PacedModel } from "./model.mjs";

const model = new PacedModel({ delayMs: 300, pauseMs: 10 });

export const plain = new StateGraph(new StateSchema({ messages: MessagesValue }))
  .addNode("plan", async ({ messages }, config) => ({ messages: [await model.invoke(messages, config)] }))
  .addNode("act", ({ messages }) => {
    const [{ id, name, args }] = messages.at(-1).tool_calls;
    return { messages: [new ToolMessage({ content: `${args.step} `.repeat(512), tool_call_id: id, name })] };
  })
  .addEdge(START, "plan")
  .addConditionalEdges("plan", ({ messages }) => (messages.at(-1).tool_calls?.length ? "act" : END), ["act", END])
  .addEdge("act", "plan")
  .compile();
