import { getConfig, isGraphDrained, isGraphInterrupt } from "@langchain/langgraph";
import { sharedByCopies } from "../base/shared-by-copies.js";
import type { TurnEvent } from "../core/run/events.js";
import { keeperOf } from "../core/run/keeper.js";
import { newRun, withRun } from "../core/run/run.js";
import type { Agent, AgentInput, RunConfig } from "../graph/agent.js";

/** What a reader of a turn wants beside the usual events. */
export interface StreamTurnOptions {
  readonly prompts?: boolean;
}

/**
 * Runs a turn and yields its events, each when it happens. `docs/events.md` lists them. The last one is `turn-end`.
 *
 * A turn that another `streamTurn` of this process runs on the same thread can be joined: with the input null, and
 * without a checkpoint id. The events then come from the beginning, each once, and go on until the run ends. Leaving the
 * loop stops the run, if this call started it. A call that joined only leaves.
 *
 * @param input The `{ messages }` of a new turn, null to join a turn or to go on with one that stopped, or the decisions
 *   that it waits for (`decide`).
 * @param config The LangGraph config: thread, abort signal, callbacks, `control` to drain the run.
 * @param options.prompts True to get whole prompts and replies as well (`prompt` and `reply`), as they go. Default: false.
 * @throws The errors of `agent.invoke`: an invalid input, an error of the model, or an abort. A call that joined gets
 *   them, too. A `ThreadInUseError` comes if another process runs the thread, or `agent.invoke`: such a run cannot be
 *   joined.
 * @example
 * for await (const event of streamTurn(agent, { messages: "What is 2 + 2?" })) console.log(event);
 */
export function streamTurn<Context extends Record<string, unknown>>(
  agent: Agent<unknown, Context>,
  input: AgentInput | null,
  config: RunConfig<NoInfer<Context>> = {},
  options: StreamTurnOptions = {},
): AsyncGenerator<TurnEvent> {
  const leaving = new AbortController();
  const events = readTurn(agent, input, config, { leaving, ...options });
  const leave = events.return.bind(events);
  // A generator that waits for its next event would notice only then that its reader has left.
  return Object.assign(events, {
    return: (value: unknown) => {
      leaving.abort();
      return leave(value);
    },
  });
}

/** Runs or joins a turn, and yields its events. */
async function* readTurn<Context extends Record<string, unknown>>(
  agent: Agent<unknown, Context>,
  input: AgentInput | null,
  config: RunConfig<NoInfer<Context>>,
  { leaving, ...options }: StreamTurnOptions & { readonly leaving: AbortController },
): AsyncGenerator<TurnEvent> {
  const { thread_id, checkpoint_id } = { ...agent.config?.configurable, ...config.configurable };
  const logs = new ThreadLogs(agent, thread_id);
  const joined = input === null && !checkpoint_id ? logs.current : undefined;
  if (joined !== undefined) return yield* joined.read();
  const log = new TurnLog();
  logs.add(log);
  const running = runTurn(agent, input, config, { log, leaving: leaving.signal, ...options }).finally(() =>
    logs.delete(log),
  );
  try {
    yield* log.read();
  } finally {
    leaving.abort();
    // The run has ended when this generator returns.
    await running;
  }
}

/**
 * Runs a turn, and writes its events to a log. A tool or a node may stream the turn of an agent: its events then go to the
 * run around it, too. Never throws: the log has the error.
 */
async function runTurn(
  agent: Agent,
  input: AgentInput | null,
  config: RunConfig,
  { log, leaving, prompts = false }: StreamTurnOptions & { readonly log: TurnLog; readonly leaving: AbortSignal },
): Promise<void> {
  const outer = config.writer ?? getConfig()?.writer;
  const writer = (chunk: unknown) => outer?.(chunk);
  let end: TurnEvent | undefined;
  let failure: { readonly error: unknown } | undefined;
  const publish = (event: TurnEvent) => {
    if (run.around) run.around.run.pass(event);
    else writer(event);
    log.add({ ...event, path: event.path.slice(run.path.length) });
  };
  const take = (event: TurnEvent) => {
    // The run may still fail after its last node. So `turn-end` is yielded when the run has ended.
    const isEnd = event.path.length === run.path.length && (event.type === "turn-end" || event.type === "error");
    if (!isEnd || (failure && event.type === "error")) publish(event);
    else if (event.type === "turn-end") end = event;
  };
  const run = newRun(config, { take, prompts });
  run.stopOn(leaving);
  try {
    const options = { ...withRun(config, run), writer };
    for await (const _ of await agent.stream(input, { ...options, streamMode: "custom" }));
    if (end === undefined) run.turn.end("interrupted");
  } catch (error) {
    failure = { error };
    const isCancelled = leaving.aborted || config.signal?.aborted === true;
    if (isGraphInterrupt(error)) run.turn.wait(error.interrupts);
    else run.turn.fail(error, isCancelled ? "cancelled" : isGraphDrained(error) ? "interrupted" : undefined);
  }
  if (end !== undefined) publish(end);
  log.end(failure);
}

/** The events of a run. Each reader gets all of them, at its own speed. */
class TurnLog {
  readonly #events: TurnEvent[] = [];
  readonly #waiting: (() => void)[] = [];
  #end: { readonly error?: unknown } | undefined;

  /** Adds an event. A node that winds down after an abort may tell something later than the end: it is left out. */
  add(event: TurnEvent): void {
    if (this.#end !== undefined) return;
    this.#events.push(event);
    this.#wakeReaders();
  }

  /** Ends the log. @param failure The error of the run, which each reader gets after the events. */
  end(failure: { readonly error?: unknown } = {}): void {
    this.#end = failure;
    this.#wakeReaders();
  }

  /** Yields the events from the beginning, and then those to come. */
  async *read(): AsyncGenerator<TurnEvent> {
    for (let n = 0; ; ) {
      const event = this.#events[n];
      if (event !== undefined) {
        n += 1;
        yield event;
      } else if (this.#end === undefined) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      } else {
        if ("error" in this.#end) throw this.#end.error;
        return;
      }
    }
  }

  #wakeReaders(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

/** The logs of the runs of this process, by the place of their threads and the id of the thread. */
const logs = sharedByCopies("turn-logs.1", new WeakMap<object, Map<string, TurnLog[]>>());

/** The runs on one thread in this process. A run that waits for the thread comes after the one that has it. */
class ThreadLogs {
  readonly #byThread: Map<string, TurnLog[]>;

  constructor(
    { checkpointer }: Pick<Agent, "checkpointer">,
    private readonly thread: unknown,
  ) {
    // Several agents may use a database, each with a checkpointer of its own.
    const place = keeperOf(checkpointer)?.place ?? checkpointer;
    const isKept = typeof place === "object" && typeof thread === "string";
    this.#byThread = (isKept && logs.get(place)) || new Map();
    if (isKept) logs.set(place, this.#byThread);
  }

  /** The log of the run at work; undefined if there is none. */
  get current(): TurnLog | undefined {
    return this.#byThread.get(String(this.thread))?.[0];
  }

  add(log: TurnLog): void {
    this.#byThread.set(String(this.thread), [...(this.#byThread.get(String(this.thread)) ?? []), log]);
  }

  delete(log: TurnLog): void {
    const left = this.#byThread.get(String(this.thread))?.filter((other) => other !== log) ?? [];
    if (left.length > 0) this.#byThread.set(String(this.thread), left);
    else this.#byThread.delete(String(this.thread));
  }
}
