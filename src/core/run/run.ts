import { setTimeout as sleep } from "node:timers/promises";
import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { nodesIn } from "../../langgraph/node-path.js";
import { joinOutside, type OutsideText } from "../state/outside.js";
import type { EventDetails, TurnEvent } from "./events.js";
import { LeaseHolder, leaseIn, RUN_KEY } from "./keeper.js";
import { TurnProgress } from "./turn-progress.js";
import { type Left, nothingLeft, UsageCounter } from "./usage-counter.js";
import type { WrapWork } from "./work.js";

const patienceMs = 50;

/**
 * The events that say that the reply before them is not the answer. Those of `anotherTry` say so only if their purpose is
 * `reply`.
 */
const noAnswer = new Set<TurnEvent["type"]>(["protocol-fallback", "thought", "action", "correction"]);
const anotherTry = new Set<TurnEvent["type"]>(["model-start", "retry", "model-fallback"]);

/** What a run left at the node at which it stopped. The state does not have it: what the node asked and spent, the time of the turn. */
interface Resumed extends Left {
  readonly workedMs: number;
}

/** Who reads the events of a run, and those of the agents in its tools. */
export interface EventReader {
  readonly take: (event: TurnEvent) => void;
  /** True for a reader who wants whole prompts and replies, too. */
  readonly prompts: boolean;
}

/**
 * One run of an agent: from the call of `invoke` or `stream` to its end. It has what nodes, tools and the checkpointer need
 * to know beside the state. The nodes of an agent run one after the other, so one of them is at work. `docs/runs.md` tells
 * more.
 */
export class Run extends LeaseHolder {
  /** The turn in this run. */
  readonly turn: TurnProgress = new TurnProgress(this);
  /** The ids of the questions to a person that had their events, also those of agents in the tools. */
  readonly asked: Set<string>;
  /** True if the reader of the events wants whole prompts and replies. */
  readonly wantsPrompts: boolean;
  /** The names of the tools and nodes that lead to the agent. */
  path: string[];
  /** The number of nodes that have begun. */
  nodes = 0;
  /** The usage of the node at work. */
  usage = new UsageCounter();
  /** Stops the run, and the agents in its tools. */
  signal: AbortSignal | undefined;
  /** True if the run brings an answer without the id of its question. */
  resumesWithoutId = false;
  /** The questions for which the run brings an answer without an id; undefined if it did not wait for its thread. */
  askedBefore: readonly unknown[] | undefined;
  /** The answer that the run brings, as the one who asked reads it. */
  answer: unknown;
  /** The questions to a person that its question ended. */
  dropped: readonly { readonly interrupt: string; readonly value: unknown }[] = [];
  /** True if its thread has calls about which a person is asked again when the turn has ended. */
  keepsCalls = false;
  /** What plug-ins put around its work, if they do: a function that only hands on would cost a frame in each step. */
  wrapWork: WrapWork | undefined;
  #begunAt = performance.now();
  #resumed: Resumed = { ...nothingLeft, workedMs: 0 };
  #node: LangGraphRunnableConfig | undefined;
  #outside: readonly OutsideText[] = [];
  #work: Promise<unknown> = Promise.resolve();

  /**
   * @param reader Reads the events. Default: the reader of the run around this one, or of LangGraph's `custom` stream.
   * @param around The part of another run in which the agent runs.
   */
  constructor(
    private readonly reader?: EventReader,
    readonly around: RunPart | undefined = undefined,
  ) {
    super();
    if (around) around.ranAgent = true;
    this.asked = around?.run.asked ?? new Set();
    this.wantsPrompts = around?.run.wantsPrompts ?? reader?.prompts ?? false;
    this.path = around?.path ?? [];
  }

  /** True if a node of the run has begun. */
  get isAtWork(): boolean {
    return this.#node !== undefined;
  }

  /** Starts the clock of the run. A wait for its thread is not its time. */
  begin(): void {
    this.#begunAt = performance.now();
  }

  /** Takes over what the run before this one left at the node at which it stopped. */
  resume(stopped: Resumed | undefined): void {
    this.#resumed = stopped ?? this.#resumed;
  }

  /** The milliseconds that the turn had taken when the run before this one stopped, if it left a note. */
  get resumedMs(): number {
    return this.#resumed.workedMs;
  }

  /** The milliseconds since the run began. The time between its nodes counts, in which the checkpointer works. */
  get elapsedMs(): number {
    return performance.now() - this.#begunAt;
  }

  /** Takes note of the node that begins. Returns the usage of the node. */
  enter(node: LangGraphRunnableConfig): UsageCounter {
    if (!this.isAtWork) this.path = [...this.path, ...nodesIn(node).slice(this.around?.depth, -1)];
    this.#node = node;
    this.nodes += 1;
    this.usage = new UsageCounter();
    this.usage.takeOver(this.#resumed);
    this.#resumed = { ...this.#resumed, ...nothingLeft };
    return this.usage;
  }

  /** Takes note of the work of the node that begins. */
  follow(work: Promise<unknown>): void {
    this.#work = work.catch(() => undefined);
  }

  /** Waits for the node at work, which was told to stop. A tool may not hear that: it is not waited for for long. */
  async untilStopped(): Promise<void> {
    const waiting = new AbortController();
    const patience = sleep(patienceMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([this.#work, patience]);
    waiting.abort();
  }

  /** The text from outside of which the run knows: that in its thread, in the threads of its agents, and in those around it. */
  get outside(): OutsideText[] {
    return joinOutside(this.around?.run.outside ?? [], this.#outside);
  }

  /** Takes note of text from outside. The runs around this one learn of it, too. */
  learn(found: readonly OutsideText[]): void {
    this.#outside = joinOutside(this.#outside, found);
    this.around?.learn(found);
  }

  /** Adds a signal that stops the run. */
  stopOn(signal: AbortSignal): void {
    this.signal = this.signal ? AbortSignal.any([this.signal, signal]) : signal;
  }

  /** Tells how a signal stopped the run: its caller cancelled it, or another run that wants its thread interrupted it. */
  howStopped(signal: AbortSignal | undefined): "cancelled" | "interrupted" | undefined {
    if (!signal?.aborted) return undefined;
    if (signal.reason === this.lease?.signal.reason) return "interrupted";
    return this.around?.run.howStopped(signal) ?? "cancelled";
  }

  /**
   * Emits an event, with its origin. If the event says that the reply is not the answer, the pieces of the answer that were
   * sent are taken back first.
   */
  emit(event: EventDetails): void {
    const isReplyAsked = "purpose" in event && event.purpose === "reply";
    const isUndone = noAnswer.has(event.type) || (isReplyAsked && anotherTry.has(event.type));
    if (isUndone) this.resetAnswer();
    if (event.type === "answer-delta") this.turn.answered += event.text;
    const thread: unknown = this.#node?.configurable?.thread_id;
    this.pass({
      ...event,
      ...(typeof thread === "string" && { thread }),
      ...this.turn.place,
      time: new Date().toISOString(),
      path: this.path,
    });
  }

  /** Takes back what went out of an answer, if something did. */
  resetAnswer(): void {
    if (this.turn.answered === "" && !this.turn.hasParts) return;
    this.turn.answered = "";
    this.turn.hasParts = false;
    this.emit({ type: "answer-reset" });
  }

  /** Passes an event on: to the reader, to the run around this one, or to LangGraph's `custom` stream. */
  pass(event: TurnEvent): void {
    if (this.reader) this.reader.take(event);
    else if (this.around) this.around.run.pass(event);
    else this.#node?.writer?.(event);
  }

  /** Returns a part of the node at work. @param action The action, if the part is the call of its tool. */
  within(action?: { readonly id: string; readonly tool: string }): RunPart {
    const nodes = nodesIn(this.#node ?? {});
    return new RunPart(this, action?.id, [...this.path, ...(action ? [action.tool] : nodes.slice(-1))], nodes.length);
  }
}

/** A part of the node at work: the call of a tool, a task, or the work of a hook. Its usage is its own. */
export class RunPart extends LeaseHolder {
  readonly usage = new UsageCounter();
  /** True if an agent was run in the part. */
  ranAgent = false;
  /**
   * Called when an agent in the part begins a call with effects. `"kept"`: the inner agent finds its record if the same step
   * runs again.
   */
  beginEffect: (inside: "kept" | "lost") => Promise<void> = async () => {};
  /** The text from outside that the part brought. */
  outside: readonly OutsideText[] = [];

  constructor(
    readonly run: Run,
    /** The id of the action whose tool is called. */
    readonly action: string | undefined,
    /** The names of the tools and nodes that lead to the part. */
    readonly path: string[],
    /** The number of nodes above the part in LangGraph's path. */
    readonly depth: number,
  ) {
    super();
    this.lease = run.lease;
  }

  /** Takes note of text from outside that the part brings. */
  learn(found: readonly OutsideText[]): void {
    this.outside = joinOutside(this.outside, found);
    this.run.learn(found);
  }
}

/** Returns the run to which a config belongs. Without an agent that is a new run whose events reach nobody. */
export function runOf({ configurable }: RunnableConfig): Run {
  const held = heldIn(configurable);
  return (held instanceof RunPart ? held.run : held) ?? new Run();
}

/** Returns the usage of the node at work, or of the part of it to which a config belongs. */
export function usageOf(config: RunnableConfig): UsageCounter {
  return heldIn(config.configurable)?.usage ?? new UsageCounter();
}

/** Tells whether an agent was run in the part of a run to which a config belongs. */
export function ranAgent({ configurable }: RunnableConfig): boolean {
  const held = heldIn(configurable);
  return held instanceof RunPart && held.ranAgent;
}

/** Returns a config with its run, or with a part of it. */
export function withRun<Config extends RunnableConfig>(config: Config, run: Run | RunPart): Config {
  return { ...config, configurable: { ...config.configurable, [RUN_KEY]: run } };
}

/** Returns the run that was made for a config, if no node of it has begun. Otherwise it makes one. */
export function runFor(config: RunnableConfig): Run {
  const held = heldIn(config.configurable);
  return held instanceof Run && !held.isAtWork ? held : newRun(config);
}

/**
 * Makes a run for a config. An agent in a tool gets the tool's config, or finds it as LangGraph does. The config names the
 * call of the tool: the outer run gets the events and the usage of the inner run.
 */
export function newRun({ configurable }: RunnableConfig, reader?: EventReader): Run {
  const given = configurable?.[RUN_KEY]
    ? configurable
    : AsyncLocalStorageProviderSingleton.getRunnableConfig()?.configurable;
  const held = heldIn(given);
  const around = held instanceof Run ? held.within() : held;
  const run = new Run(reader, around);
  run.signal = around?.run.signal;
  run.lease = leaseIn(given);
  return run;
}

function heldIn(configurable: Readonly<Record<string, unknown>> | undefined): Run | RunPart | undefined {
  const held: unknown = configurable?.[RUN_KEY];
  return held instanceof Run || held instanceof RunPart ? held : undefined;
}
