import { getConfig, isGraphDrained, type LangGraphRunnableConfig } from "@langchain/langgraph";
import type { Agent } from "../agent.js";
import { LEAVING_KEY } from "../graph/run-to-end.js";
import type { TurnEvent } from "../run/events.js";
import { callerIn, pathOf } from "../run/path.js";
import { Teller, withTeller } from "../run/teller.js";
import { ThreadLogs, TurnLog } from "./turn-log.js";

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
export async function* streamTurn(
  agent: Agent,
  input: Parameters<Agent["stream"]>[0],
  config: LangGraphRunnableConfig = {},
  options: StreamTurnOptions = {},
): AsyncGenerator<TurnEvent> {
  const { thread_id, checkpoint_id } = { ...agent.config?.configurable, ...config.configurable };
  const logs = new ThreadLogs(agent, thread_id);
  const joined = input === null && !checkpoint_id ? logs.current : undefined;
  if (joined !== undefined) return yield* joined.read();
  const log = new TurnLog();
  logs.add(log);
  const leaving = new AbortController();
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

/** Runs a turn, and writes its events to a log. Never throws: the log has the error. */
async function runTurn(
  agent: Agent,
  input: Parameters<Agent["stream"]>[0],
  config: LangGraphRunnableConfig,
  { log, leaving, prompts }: StreamTurnOptions & { readonly log: TurnLog; readonly leaving: AbortSignal },
): Promise<void> {
  const { publish, write, depth } = around(config, log);
  let end: TurnEvent | undefined;
  let failure: { readonly error: unknown } | undefined;
  const take = (event: TurnEvent) => {
    // The run may still fail when its last node has ended. So its end is told at the end.
    const isEnd = event.path.length === depth && (event.type === "turn-end" || event.type === "error");
    if (!isEnd || (failure && event.type === "error")) publish(event);
    else if (event.type === "turn-end") end = event;
  };
  const teller = new Teller(take, prompts);
  const configurable = withTeller({ ...config.configurable, [LEAVING_KEY]: leaving }, teller);
  try {
    const options = { ...config, configurable, writer: write };
    for await (const _ of await agent.stream(input, { ...options, streamMode: "custom" }));
    if (end === undefined) teller.end("interrupted");
  } catch (error) {
    failure = { error };
    const isCancelled = leaving.aborted || config.signal?.aborted === true;
    teller.fail(error, isCancelled ? "cancelled" : isGraphDrained(error) ? "interrupted" : undefined);
  }
  if (end !== undefined) publish(end);
  log.end(failure);
}

/**
 * Returns the ways out of a run. A tool or a node may stream the turn of an agent. Its events then go to the run around
 * it, too. Their path in the log begins at the agent that is streamed.
 */
function around(config: LangGraphRunnableConfig, log: TurnLog) {
  const outer = getConfig() ?? {};
  const depth = pathOf(outer).length;
  const write = (chunk: unknown) => (config.writer ?? outer.writer)?.(chunk);
  const publish = (event: TurnEvent) => {
    const caller = callerIn(outer);
    if (caller) caller.teller.publish(event);
    else write(event);
    log.add({ ...event, path: event.path.slice(depth) });
  };
  return { publish, write, depth };
}
