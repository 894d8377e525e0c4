import { randomUUID } from "node:crypto";
import { AIMessage } from "@langchain/core/messages";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { type EngineOptions, ProcessEngine } from "../../../src/server/engine/process-engine.js";
import type { Run, RunEngine, RunEvent, RunInput, RunOrder } from "../../../src/server/engine/run-engine.js";
import { boundGraph, type ServedGraph } from "../../../src/server/engine/served-graph.js";
import { scriptedModel } from "../../../src/testing/index.js";
import type { Threads } from "../../../src/threads/open.js";
import { calculator } from "../../../src/tools/calculator/calculator.js";
import type { TestDatabaseKind } from "../../matrix/databases.js";
import { allOf, checkpointerOf, openKind } from "../../threads/open-kind.js";

/** An agent that calculates once, and answers. */
export function agent(...replies: (string | Error | (() => Promise<string>))[]): ServedGraph {
  const model = scriptedModel(
    replies.length > 0
      ? replies
      : [" I calculate\nAction: calculator\nAction Input: 2 + 2", " I know\nFinal Answer: It is 4."],
  );
  return createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false });
}

const State = new StateSchema({ messages: MessagesValue, count: z.number().default(0) });

/** A graph of LangGraph alone: three steps, each of which waits until it may go on. */
export function steps(mayGoOn: (step: number, signal: AbortSignal | undefined) => Promise<void> = async () => {}) {
  return new StateGraph(State)
    .addNode("step", async ({ count }, { signal }) => {
      await mayGoOn(count, signal);
      return { count: count + 1, messages: [new AIMessage({ id: `step-${count}`, content: `step ${count}` })] };
    })
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ count }) => (count % 3 === 0 ? END : "step"), ["step", END])
    .compile();
}

/** Starts an engine for the test that runs, and closes it afterwards. */
export async function startEngine(
  threads: Threads,
  graphs: Readonly<Record<string, ServedGraph>>,
  options: EngineOptions = {},
): Promise<RunEngine> {
  const bound = Object.entries(graphs).map(([name, graph]) => [name, boundGraph(graph, threads.checkpointer)] as const);
  const engine = await ProcessEngine.start(checkpointerOf(threads), new Map(bound), { pollMs: 20, ...options });
  onTestFinished(async () => void (await engine.close(0)));
  return engine;
}

/** Opens a fresh database, and starts an engine on it, for the test that runs. */
export async function engineOn(
  kind: TestDatabaseKind,
  graphs: Readonly<Record<string, ServedGraph>>,
  options: EngineOptions = {},
) {
  const opened = await openKind(kind);
  return { ...opened, engine: await startEngine(opened.threads, graphs, options) };
}

/** The input of a run that says something. Its message has the words as its id. */
export const saying = (id: string) => ({ input: { messages: [{ role: "user", content: id, id }] } });

/** A run of the graph "steps" on the thread "t", unless it says otherwise. */
export function order(given: Partial<RunInput> = {}, rest: Partial<RunOrder> = {}): RunOrder {
  return {
    id: randomUUID(),
    thread: "t",
    graph: "steps",
    owner: undefined,
    strategy: "reject",
    metadata: {},
    temporary: false,
    ...rest,
    given: {
      ...saying("q"),
      streamMode: ["values"],
      subgraphs: false,
      ...given,
    },
  };
}

export function eventsOf(engine: RunEngine, id: string, afterSeq = 0): Promise<RunEvent[]> {
  return allOf(engine.stream(id, afterSeq));
}

/** Executes a run to its end. */
export async function ended(engine: RunEngine, given: RunOrder): Promise<Run> {
  const run = await engine.enqueue(given);
  await eventsOf(engine, run.id);
  return run;
}

/** The data of the last event of a run, when it has ended. */
export async function endOf(engine: RunEngine, id: string) {
  return JSON.parse((await eventsOf(engine, id)).at(-1)?.json ?? "");
}

/** A gate before each step of the graph "steps". A step that is stopped leaves it. */
export class Gate {
  readonly #waiting: { readonly step: number; readonly leave: () => void }[] = [];
  readonly #arrivals = new Map<number, () => void>();
  #isOpen = false;

  readonly pass = (step: number, signal: AbortSignal | undefined): Promise<void> => {
    this.#arrivals.get(step)?.();
    if (this.#isOpen) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ step, leave: resolve });
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  };

  /** Waits until a step is at the gate. */
  reached(step: number): Promise<void> {
    if (this.#waiting.some((one) => one.step === step)) return Promise.resolve();
    return new Promise((resolve) => this.#arrivals.set(step, resolve));
  }

  open(): void {
    this.#isOpen = true;
    for (const { leave } of this.#waiting.splice(0)) leave();
  }

  close(): void {
    this.#isOpen = false;
  }
}
