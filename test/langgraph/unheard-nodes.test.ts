import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { RunnableLambda } from "@langchain/core/runnables";
import { END, ReducedValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/index.js";
import { DirectRunnable } from "../../src/langgraph/direct-runnable.js";
import { runUnheard } from "../../src/langgraph/unheard-nodes.js";
import { untraceWriters } from "../../src/langgraph/untraced-writers.js";

const State = new StateSchema({
  path: new ReducedValue(z.array(z.string()).default([]), { reducer: (path, places) => [...path, ...places] }),
});

/** A graph of two nodes. The first one waits for something before it ends. */
function graphOf({ wait = async () => {}, onRoute = () => {} } = {}) {
  const router = () => {
    onRoute();
    return "two";
  };
  return new StateGraph(State)
    .addNode("one", async () => {
      await wait();
      return { path: ["one"] };
    })
    .addNode("two", async () => ({ path: ["two"] }))
    .addEdge(START, "one")
    .addConditionalEdges("one", router, ["two"])
    .addEdge("two", END)
    .compile();
}

function unheard(graph: ReturnType<typeof graphOf>) {
  untraceWriters(graph, State);
  runUnheard(graph);
  return graph;
}

/** Notes the names of the runs that begin and end. */
class Listener extends BaseCallbackHandler {
  name = "listener";
  readonly heard: string[] = [];

  override handleChainStart(...[, , , , , , , runName]: unknown[]): void {
    this.heard.push(`start ${runName}`);
  }

  override handleChainEnd(): void {
    this.heard.push("end");
  }
}

describe("a graph that nobody listens to", () => {
  it("does the same as with its sequences", async () => {
    expect(await unheard(graphOf()).invoke({})).toEqual({ path: ["one", "two"] });
  });

  it("tells callbacks of its nodes if there are any", async () => {
    const [told, asLangGraph] = [new Listener(), new Listener()];
    await unheard(graphOf()).invoke({}, { callbacks: [told] });
    await graphOf().invoke({}, { callbacks: [asLangGraph] });
    expect(told.heard).toEqual(asLangGraph.heard);
    expect(told.heard).toContain("start one");
  });

  it("follows no edge of a node that ends after the run was aborted", async () => {
    const leaving = new AbortController();
    const routed: string[] = [];
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const wait = async () => {
      leaving.abort(new Error("enough"));
      await ended;
    };
    const run = unheard(graphOf({ wait, onRoute: () => routed.push("two") })).invoke({}, { signal: leaving.signal });
    await expect(run).rejects.toThrow();
    end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(routed).toEqual([]);
  });

  it("is one whose nodes run without a sequence, in an agent", () => {
    const { nodes } = createAgent({ model: "offline" });
    const runnables = Object.values(nodes).map((node) => node.getNode());
    expect(runnables.filter((runnable) => !(runnable instanceof DirectRunnable))).toEqual([]);
  });

  it("leaves nodes as they are that are no pair of a node and its writer", async () => {
    const graph = graphOf();
    const lambda = RunnableLambda.from(async () => ({}));
    const { one } = graph.nodes;
    one.getNode = () => lambda;
    runUnheard(graph);
    expect(one.getNode()).toBe(lambda);
  });
});
