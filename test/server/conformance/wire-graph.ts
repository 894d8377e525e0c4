import { HumanMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import {
  END,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesValue,
  ReducedValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { z } from "zod";

const State = new StateSchema({
  messages: MessagesValue,
  do: z.string().optional(),
  log: new ReducedValue(
    z.array(z.string()).default(() => []),
    { reducer: (before: string[], added: string[]) => before.concat(added) },
  ),
});
type Values = typeof State.State;
type Config = LangGraphRunnableConfig;

const model = new FakeListChatModel({ responses: ["Hello."] });
const reply = async (config: Config) => ({ messages: [await model.invoke([new HumanMessage("Hi")], config)] });
const asks = (name: string, question: unknown) => () => ({ log: [`${name}: ${JSON.stringify(interrupt(question))}`] });

const child = new StateGraph(State)
  .addNode("inner", async ({ do: what }: Values, config: Config) => {
    config.writer?.({ inner: true });
    if (what === "child asks") return { log: [`inner: ${JSON.stringify(interrupt("Inner?"))}`] };
    return what === "child talks" ? reply(config) : { log: ["inner"] };
  })
  .addEdge(START, "inner")
  .addEdge("inner", END)
  .compile();

const between = ["ask", "ask one", "ask two", "fail", "slow", "child", "talk", "settings", "remember"] as const;

/** A graph of LangGraph alone. It does what the word in `do` says: each behaviour of the protocol. */
export const graph = new StateGraph(State, z.object({ colour: z.string().optional() }))
  .addNode("first", (_: Values, config: Config) => {
    config.writer?.({ step: "first" });
    return { log: ["first"] };
  })
  .addNode("ask", asks("answer", { question: "Which colour?" }))
  .addNode("ask one", asks("one", "One?"))
  .addNode("ask two", asks("two", "Two?"))
  .addNode("fail", () => {
    throw new TypeError("The node failed on purpose.");
  })
  .addNode("slow", async (_: Values, { signal, store, configurable }: Config) => {
    // A run that is held goes on when the store says so.
    while (!(await store?.get([configurable?.thread_id], "go on"))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (signal?.aborted) throw new Error("Aborted.");
    }
    return { log: ["slow"] };
  })
  .addNode("child", child)
  .addNode("talk", (_: Values, config: Config) => reply(config))
  .addNode("settings", (_: Values, config: Config) => ({
    log: [JSON.stringify({ context: config.context, mine: config.configurable?.mine, tags: config.tags })],
  }))
  .addNode("remember", async ({ log: [own = ""] }: Values, { store }: Config) => {
    const theirs = await store?.get([own], "theirs");
    await store?.put([own, "graph"], "mine", { from: "graph" });
    const found = (await store?.search([own], { filter: { from: { $ne: "nobody" } } })) ?? [];
    return { log: [JSON.stringify(theirs?.value), ...found.map(({ key }) => key)] };
  })
  .addNode("second", () => ({ log: ["second"] }))
  .addEdge(START, "first")
  .addConditionalEdges(
    "first",
    ({ do: what = "" }: Values) => {
      if (what === "ask twice") return ["ask one", "ask two"];
      if (what.startsWith("child")) return "child";
      if (what === "held") return "slow";
      return between.find((node) => node === what) ?? "second";
    },
    [...between, "second"],
  )
  .addEdge("ask", "second")
  .addEdge("ask one", "second")
  .addEdge("ask two", "second")
  .addEdge("fail", "second")
  .addEdge("slow", "second")
  .addEdge("child", "second")
  .addEdge("talk", "second")
  .addEdge("settings", "second")
  .addEdge("remember", "second")
  .addEdge("second", END)
  .compile();
