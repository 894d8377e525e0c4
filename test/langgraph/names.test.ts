import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, Command, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { ABORT_SIGNALS_KEY, CHECKPOINTER_KEY, INPUT_CHANNEL, READ_KEY, SEND_KEY } from "../../src/langgraph/names.js";

const State = Annotation.Root({ count: Annotation<number>() });

describe("LangGraph's own names are still", () => {
  it("those in a node's config", async () => {
    const checkpointer = new MemorySaver();
    const configs: RunnableConfig[] = [];
    const graph = new StateGraph(State)
      .addNode("one", (_state, config) => {
        configs.push(config);
        return new Command({ update: { count: 1 } });
      })
      .addEdge(START, "one")
      .compile({ checkpointer });
    await graph.invoke({ count: 0 }, { configurable: { thread_id: "t" } });
    expect(configs[0]?.configurable?.[READ_KEY]).toBeTypeOf("function");
    expect(configs[0]?.configurable?.[SEND_KEY]).toBeTypeOf("function");
    expect(configs[0]?.configurable?.[CHECKPOINTER_KEY]).toBe(checkpointer);
    expect(configs[0]?.configurable?.[ABORT_SIGNALS_KEY]).toHaveProperty("externalAbortSignal");
    expect(INPUT_CHANNEL).toBe(START);
  });
});
