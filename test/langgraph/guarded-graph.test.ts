import { Annotation, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { z } from "zod";
import { type Guard, guarded, type InnerGraph } from "../../src/langgraph/guarded-graph.js";

const State = Annotation.Root({ count: Annotation<number>() });
const thread = { configurable: { thread_id: "t" } };

/** A graph whose guard notes what comes through it. */
function notedGraph() {
  const heard: string[] = [];
  const makeGuard = (inner: InnerGraph): Guard => ({
    streamOptions: (options = {}) => {
      heard.push("stream");
      return options;
    },
    invokeOptions: (options = {}) => {
      heard.push("invoke");
      return options;
    },
    toolFields: (fields) => ({ name: "counted", schema: z.object({ count: z.number() }), ...fields }),
    run: (...given) => {
      heard.push(`run ${inner.graph.config?.tags}`);
      return inner.run(...given);
    },
    update: (...given) => {
      heard.push("update");
      return inner.update(...given);
    },
    bind: (checkpointer) => checkpointer,
    snapshot: (snapshot, { pendingWrites = [] }) => ({ ...snapshot, values: pendingWrites.map(([, name]) => name) }),
  });
  const plain = new StateGraph(State)
    .addNode("one", ({ count }) => {
      if (count > 5) throw new Error("too many");
      return { count: count + 1 };
    })
    .addEdge(START, "one")
    .compile({ checkpointer: new MemorySaver() });
  return { graph: guarded(plain, makeGuard), heard };
}

it("a guard is called before the graph runs, and also for each copy that withConfig makes", async () => {
  const { graph, heard } = notedGraph();
  expect(await graph.invoke({ count: 0 }, thread)).toEqual({ count: 1 });
  expect(heard.splice(0)).toEqual(["invoke", "stream", "run undefined"]);
  const copy = graph.withConfig({ tags: ["a"] }).withConfig({ tags: ["b"] });
  for await (const _ of await copy.stream({ count: 0 }, thread));
  expect(heard).toContain("run a,b");
});

it("a guard is called when the state is updated, and when it is read", async () => {
  const { graph, heard } = notedGraph();
  await expect(graph.invoke({ count: 6 }, thread)).rejects.toThrow("too many");
  heard.length = 0;
  expect((await graph.getState(thread)).values).toEqual(["__error__"]);
  const history: unknown[] = [];
  for await (const { values } of graph.getStateHistory(thread)) history.push(values);
  expect(history).toContainEqual(["__error__"]);
  await graph.updateState(thread, { count: 5 });
  expect(heard).toEqual(["update"]);
});
