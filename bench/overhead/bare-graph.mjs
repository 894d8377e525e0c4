import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Annotation, END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

const names = ["rephrase-question", "plan", "parse", "act"];

/** As many channels as the state of Glassloop has beside `messages`. LangGraph's work grows with their number. */
const others = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`channel${index}`, Annotation()]));

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  ...others,
  reply: Annotation(),
  decision: Annotation(),
  steps: Annotation({ reducer: (steps, more) => [...steps, ...more], default: () => [] }),
});

/** Compiles a graph with the nodes and edges of Glassloop. Its nodes do only what the task needs. */
export function bareGraph({ model, count, checkpointer }) {
  const [rephraseQuestion, plan, parse, act] = names;
  return new StateGraph(State)
    .addNode(rephraseQuestion, () => ({ reply: null, decision: null }))
    .addNode(plan, async ({ steps }) => {
      const prompt = [new HumanMessage(steps.join("\n"))];
      return { reply: (await model.invoke(prompt, { stop: ["\nObservation"] })).text };
    })
    .addNode(parse, ({ reply }) => {
      const [, input] = /Action Input: (.*)/.exec(reply) ?? [];
      const [, answer] = /Final Answer: (.*)/s.exec(reply) ?? [];
      return { decision: { input, answer }, messages: [new AIMessage(answer ?? reply)] };
    })
    .addNode(act, async ({ reply, decision }) => {
      const observation = await count.invoke(decision.input);
      return { steps: [`${reply}\nObservation: ${observation}`], messages: [new HumanMessage(observation)] };
    })
    .addEdge(START, rephraseQuestion)
    .addEdge(rephraseQuestion, plan)
    .addEdge(plan, parse)
    .addConditionalEdges(parse, ({ decision }) => (decision.answer === undefined ? act : END))
    .addEdge(act, plan)
    .compile({ checkpointer });
}
