import { AIMessage } from "@langchain/core/messages";
import { MemorySaver, type StateSnapshot } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { databaseKinds } from "./databases.js";
import { question, stepsGraph } from "./steps-graph.js";

type Graph = ReturnType<typeof stepsGraph>;
const config = { configurable: { thread_id: "forked" } };
const TURNS = 2;

/** What must be equal in two histories: everything but the ids and times that a run draws. */
function essence({ values, next, metadata, tasks }: StateSnapshot) {
  return {
    values: JSON.parse(JSON.stringify(values)),
    next,
    source: metadata?.source,
    step: metadata?.step,
    tasks: tasks.map(({ name, result, error }) => JSON.parse(JSON.stringify({ name, result, error }))),
  };
}

async function historyOf(graph: Graph): Promise<StateSnapshot[]> {
  const history: StateSnapshot[] = [];
  for await (const snapshot of graph.getStateHistory(config)) history.push(snapshot);
  return history;
}

async function expectSame(graph: Graph, oracle: Graph): Promise<void> {
  expect(essence(await graph.getState(config))).toEqual(essence(await oracle.getState(config)));
  expect((await historyOf(graph)).map(essence)).toEqual((await historyOf(oracle)).map(essence));
}

type Operation = (graph: Graph, at: StateSnapshot, name: string) => Promise<unknown>;

const operations: readonly { readonly name: string; readonly run: Operation }[] = [
  { name: "replay", run: (graph, at) => graph.invoke(null, at.config) },
  {
    name: "edit the state",
    run: (graph, at, name) =>
      graph.updateState(
        at.config,
        { messages: [new AIMessage({ id: name, content: `${name} ${"edited ".repeat(20)}` })], count: 100 },
        "act",
      ),
  },
  {
    name: "edit a message in the middle and go on",
    run: async (graph, at, name) => {
      const edited = await graph.updateState(
        at.config,
        { messages: [new AIMessage({ id: "q0", content: name })] },
        "act",
      );
      await graph.invoke(null, edited);
    },
  },
  { name: "ask again", run: (graph, at, name) => graph.invoke({ messages: [question(name)] }, at.config) },
];

describe.each(databaseKinds)("forks in $name", (kind) => {
  test.each(operations)("$name at every checkpoint gives what LangGraph's MemorySaver gives", async ({ run }) => {
    const database = await kind.create();
    const oracle = stepsGraph(new MemorySaver());
    let threads: Threads = await openThreads(database.url);
    let graph = stepsGraph(threads.checkpointer);
    for (let turn = 0; turn < TURNS; turn += 1) {
      await graph.invoke({ messages: [question(`q${turn}`)] }, config);
      await oracle.invoke({ messages: [question(`q${turn}`)] }, config);
    }
    await expectSame(graph, oracle);

    const checkpoints = await historyOf(graph);
    const expected = await historyOf(oracle);
    expect(checkpoints).toHaveLength(expected.length);
    for (const [index, checkpoint] of checkpoints.entries()) {
      // Every other time on a process that knows nothing of the thread.
      if (kind.lasting && index % 2 === 1) {
        await threads.close();
        threads = await openThreads(database.url);
        graph = stepsGraph(threads.checkpointer);
      }
      const counterpart = expected[index];
      if (counterpart === undefined) throw new Error("The histories differ in length.");
      await run(graph, checkpoint, `at-${index}`);
      await run(oracle, counterpart, `at-${index}`);
      expect(essence(await graph.getState(config))).toEqual(essence(await oracle.getState(config)));
    }
    await expectSame(graph, oracle);
    await threads.close();
    await database.remove();
  });
});
