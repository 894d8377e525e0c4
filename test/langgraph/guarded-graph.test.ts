import { Annotation, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { z } from "zod";
import { type Guard, guarded, type InnerGraph } from "../../src/langgraph/guarded-graph.js";
import { isNested } from "../../src/langgraph/node-path.js";

const State = Annotation.Root({ count: Annotation<number>() });
const thread = { configurable: { thread_id: "t" } };
const input = { count: 0 };

/** A graph whose guard notes what comes through it. */
function notedGraph() {
  const heard: string[] = [];
  const makeGuard = (inner: InnerGraph): Guard => ({
    toolFields: (fields) => ({ name: "counted", schema: z.object({ count: z.number() }), ...fields }),
    run: (given, options) => {
      const tags = inner.graph.config?.tags ?? [];
      heard.push([isNested(options.configurable ?? {}) ? "in a node" : "alone", ...tags].join());
      return inner.run(given, options);
    },
    update: (...given) => {
      heard.push("update");
      return inner.update(...given);
    },
    bind: (checkpointer) => checkpointer,
    snapshot: async (snapshot) => ({ ...snapshot, values: snapshot.next }),
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
type Graph = ReturnType<typeof notedGraph>["graph"];

function aroundNode(node: Parameters<StateGraph<typeof State.spec>["addNode"]>[1]): Promise<unknown> {
  return new StateGraph(State).addNode("sub", node).addEdge(START, "sub").compile().invoke(input, thread);
}

async function readAll(values: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const value of values) all.push(value);
  return all;
}

it.each<[string, (graph: Graph) => Promise<unknown>, string?]>([
  ["invoke", (graph) => graph.invoke(input, thread)],
  ["stream", async (graph) => readAll(await graph.stream(input, thread))],
  [
    "a stream of server-sent events",
    async (graph) => {
      const stream = await graph.stream(input, { ...thread, encoding: "text/event-stream" });
      expect(await new Response(stream).text()).toContain('event: updates\ndata: {"one":{"count":1}}');
    },
  ],
  ["streamEvents v2", async (graph) => readAll(graph.streamEvents(input, { ...thread, version: "v2" }))],
  ["streamEvents v3", async (graph) => readAll(await graph.streamEvents(input, { ...thread, version: "v3" }))],
  ["streamLog", async (graph) => readAll(graph.streamLog(input, thread))],
  ["batch", (graph) => graph.batch([input], [thread])],
  ["a sequence", (graph) => graph.pipe((state: unknown) => state).invoke(input, thread)],
  [
    "the stream of a sequence",
    async (graph) => {
      expect(await readAll(await graph.pipe((state: unknown) => state).stream(input, thread))).toEqual([
        { one: { count: 1 } },
      ]);
    },
  ],
  ["retries", (graph) => graph.withRetry().invoke(input, thread)],
  ["a tool", (graph) => graph.asTool().invoke(input, thread)],
  [
    "a copy of a copy",
    (graph) =>
      graph
        .withConfig({ tags: ["a"] })
        .withConfig({ tags: ["b"] })
        .invoke(input, thread),
    "alone,a,b",
  ],
  ["a node", (graph) => aroundNode(graph), "in a node"],
  ["a node that calls it without its config", (graph) => aroundNode(async () => graph.invoke(input)), "in a node"],
])("a guard is called once by %s", async (_, run, where = "alone") => {
  const { graph, heard } = notedGraph();
  await run(graph);
  expect(heard).toEqual([where]);
});

it("a guard is called when the state is updated, and when it is read", async () => {
  const { graph, heard } = notedGraph();
  await expect(graph.invoke({ count: 6 }, thread)).rejects.toThrow("too many");
  heard.length = 0;
  expect((await graph.getState(thread)).values).toEqual(["one"]);
  const history = await readAll(graph.getStateHistory(thread));
  expect(history).toMatchObject([{ values: ["one"] }, { values: ["__start__"] }]);
  await graph.updateState(thread, { count: 5 });
  expect(heard).toEqual(["update"]);
});
