import { AIMessage } from "@langchain/core/messages";
import { MemorySaver, type StateSnapshot } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { openThreads } from "../../../src/threads/open.js";
import { lastingDatabases } from "../../matrix/databases.js";
import { allOf, at, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

type Graph = ReturnType<typeof stepsGraph>;
const config = at("forked");
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

type Essence = ReturnType<typeof essence>;

const historyOf = (graph: Graph) => allOf(graph.getStateHistory(config));

type Operation = (graph: Graph, at: StateSnapshot, name: string) => Promise<unknown>;

const operations: readonly { readonly name: string; readonly run: Operation }[] = [
  { name: "replay", run: (graph, at) => graph.invoke(null, at.config) },
  {
    name: "edit the state, a message in its middle, and go on",
    run: async (graph, at, name) => {
      const messages = ["q0", name].map((id) => new AIMessage({ id, content: `${name} ${"edited ".repeat(20)}` }));
      await graph.invoke(null, await graph.updateState(at.config, { messages, count: 100 }, "act"));
    },
  },
  { name: "ask again", run: (graph, at, name) => graph.invoke({ messages: [question(name)] }, at.config) },
];

interface Outcome {
  readonly before: readonly Essence[];
  /** The newest state after the operation was done at each checkpoint, the newest first. */
  readonly states: readonly Essence[];
  readonly after: readonly Essence[];
}

/**
 * Runs a few turns, then does the operation at every checkpoint that they left.
 *
 * @param reopen Gives the graph to go on with: for every other checkpoint, one in a process that knows nothing.
 */
async function outcomeOf(first: Graph, run: Operation, reopen: () => Promise<Graph>): Promise<Outcome> {
  let graph = first;
  for (let turn = 0; turn < TURNS; turn += 1) await graph.invoke({ messages: [question(`q${turn}`)] }, config);
  const checkpoints = await historyOf(graph);
  const states: Essence[] = [];
  for (const [index, checkpoint] of checkpoints.entries()) {
    if (index % 2 === 1) graph = await reopen();
    await run(graph, checkpoint, `at-${index}`);
    states.push(essence(await graph.getState(config)));
  }
  return { before: checkpoints.map(essence), states, after: (await historyOf(graph)).map(essence) };
}

const expectedOutcomes = new Map<Operation, Promise<Outcome>>();

/** What LangGraph's own saver gives, which keeps every checkpoint whole. */
function expectedOf(run: Operation): Promise<Outcome> {
  const graph = stepsGraph(new MemorySaver());
  const outcome = expectedOutcomes.get(run) ?? outcomeOf(graph, run, async () => graph);
  expectedOutcomes.set(run, outcome);
  return outcome;
}

describe.each(lastingDatabases)("forks in $name", (kind) => {
  test.each(operations)("$name at every checkpoint gives what LangGraph's MemorySaver gives", async ({ run }) => {
    const { threads, url } = await openKind(kind);
    let opened = threads;
    const reopen = async () => {
      await opened.close();
      opened = await openThreads(url);
      return stepsGraph(opened.checkpointer);
    };
    const outcome = await outcomeOf(stepsGraph(threads.checkpointer), run, reopen);
    await opened.close();
    expect(outcome).toEqual(await expectedOf(run));
    expect(outcome.states.length).toBeGreaterThan(10);
  });

  test("are made when more forks are requested at once than there are connections", async () => {
    const { threads } = await openKind(kind);
    await stepsGraph(threads.checkpointer).invoke({ messages: [question("q")] }, config);
    const { turns } = await threads.history("forked");
    const newest = turns.at(-1)?.steps.at(-1)?.checkpoint ?? "";
    const ids = Array.from({ length: 40 }, (_, number) => `fork-${number}`);
    await Promise.all(ids.map((id) => threads.fork("forked", newest, id)));
    expect((await threads.list()).map(({ id }) => id).toSorted()).toEqual(["forked", ...ids].toSorted());
  });
});
