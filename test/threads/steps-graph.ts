import { AIMessage, HumanMessage } from "@langchain/core/messages";
import {
  type BaseCheckpointSaver,
  END,
  MessagesValue,
  Overwrite,
  ReducedValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { z } from "zod";

const stepSchema = z.object({ thought: z.string(), observation: z.string() });

const State = new StateSchema({
  messages: MessagesValue,
  steps: new ReducedValue(
    z.array(stepSchema).default(() => []),
    { inputSchema: stepSchema, reducer: (steps, step) => [...steps, step] },
  ),
  history: z.object({ summary: z.string(), turns: z.array(z.string()) }).default({ summary: "", turns: [] }),
  count: z.number().default(0),
});

/** A graph in the shape of an agent: it loops over its steps, empties them each turn, and keeps a history. No model. */
export function stepsGraph(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(State)
    .addNode("begin", () => ({ steps: new Overwrite([]) }))
    .addNode("act", ({ steps, messages, count }) => ({
      steps: { thought: `step ${steps.length} of turn ${messages.length}`, observation: "seen ".repeat(40) + count },
      messages: [
        new AIMessage({ id: `act-${messages.length}-${steps.length}-${count}`, content: `acted on ${count}` }),
      ],
      count: count + 1,
    }))
    .addNode("finish", ({ history, steps, messages, count }) => ({
      messages: [new AIMessage({ id: `answer-${messages.length}-${count}`, content: "done ".repeat(30) })],
      history: {
        ...history,
        turns: [...history.turns, `${steps.length} steps, ${messages.length} messages, ${count}`],
      },
    }))
    .addEdge(START, "begin")
    .addEdge("begin", "act")
    .addConditionalEdges("act", ({ steps }) => (steps.length < 2 ? "act" : "finish"), ["act", "finish"])
    .addEdge("finish", END)
    .compile({ checkpointer })
    .withConfig({ durability: "sync" });
}

/** A question with an id, so that two runs of the graph hold equal messages. */
export function question(id: string): HumanMessage {
  return new HumanMessage({ id, content: `Question ${id}?` });
}
