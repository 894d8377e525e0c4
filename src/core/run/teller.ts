import { setTimeout as sleep } from "node:timers/promises";
import type { RunnableConfig } from "@langchain/core/runnables";
import { isGraphInterrupt, type LangGraphRunnableConfig } from "@langchain/langgraph";
import type { AgentStateValues, Turn } from "../state/state.js";
import { noCounts, type Usage, type UsageCounts } from "../state/usage.js";
import { type EventDetails, failure, type PersonAsked, personAsked, type TurnEvent } from "./events.js";
import { callerIn, pathOfAgent } from "./path.js";

const TELLER_KEY = "__glassloop_teller";

/**
 * Tells an event of the run to which a config belongs. It goes to LangGraph's `custom` stream, with its origin. Nothing is
 * told of what runs without an agent.
 */
export function tell(config: RunnableConfig, event: EventDetails): void {
  tellerIn(config)?.tell(event);
}

/** Finds the teller of the run to which a config belongs. */
export function tellerIn({ configurable }: RunnableConfig): Teller | undefined {
  const teller: unknown = configurable?.[TELLER_KEY];
  return teller instanceof Teller ? teller : undefined;
}

/** Returns a configurable with the teller of a run. Default: the teller that was given for the run, or a new one. */
export function withTeller(
  configurable: Readonly<Record<string, unknown>> = {},
  teller = givenTeller(configurable),
): Record<string, unknown> {
  return { ...configurable, [TELLER_KEY]: teller };
}

/** An agent in a tool finds the teller of the agent around it, which is at work. That one is not for this run. */
function givenTeller(configurable: Readonly<Record<string, unknown>>): Teller {
  const given = tellerIn({ configurable });
  return given === undefined || given.isAtWork ? new Teller() : given;
}

const patienceMs = 50;

/** The reason why a turn, or a run of it, ended. */
type End = EventDetails<"turn-end">["stopReason"];

/** A turn as far as a run told it: its id, the reason for its end, its cost. */
export interface TurnSoFar {
  readonly turn?: string | undefined;
  readonly stopReason?: End | undefined;
  readonly usage?: Usage | undefined;
}

/**
 * A teller of what happens in one run of an agent. It knows where the run is: its thread, turn, step and path. The nodes
 * of an agent run one after the other, so it is in one place at a time.
 */
export class Teller {
  /** The number of nodes that have begun. */
  nodes = 0;
  #config: LangGraphRunnableConfig = {};
  #path: string[] = [];
  #turn: Pick<AgentStateValues, "turn" | "usage"> | undefined;
  #step = 0;
  #startedAt = 0;
  #work: Promise<unknown> = Promise.resolve();
  #shown = "";
  #unkept = noCounts;
  #isCounted = false;
  #waiting: PersonAsked[] = [];
  #end: End | undefined;
  #asked: Set<string> = new Set();

  /**
   * @param write The place for the events. Default: that of the agent around this one, or the `custom` stream.
   * @param prompts True if the reader wants whole prompts and replies, too.
   */
  constructor(
    private readonly write?: (event: TurnEvent) => void,
    private readonly prompts = false,
  ) {}

  /** True if the reader wants whole prompts and replies, also those of agents in the tools. */
  get wantsPrompts(): boolean {
    return callerIn(this.#config)?.teller.wantsPrompts ?? this.prompts;
  }

  /** True if a node of the run has begun. */
  get isAtWork(): boolean {
    return this.#config.configurable !== undefined;
  }

  /** The ids of the questions to a person that were told, also by agents in the tools. */
  get asked(): Set<string> {
    return callerIn(this.#config)?.teller.asked ?? this.#asked;
  }

  /** What the run has told of the turn. */
  get turnSoFar(): TurnSoFar {
    const { turn, usage } = this.#turn ?? {};
    return { turn: turn?.id, stopReason: this.#end, usage };
  }

  /** Takes note of the node that begins. */
  enter(config: LangGraphRunnableConfig): void {
    this.nodes += 1;
    if (!this.isAtWork) this.#path = pathOfAgent(config);
    this.#config = config;
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

  /** Tells that a turn begins. */
  begin(turn: Turn, usage: Usage): void {
    this.#start({ turn, usage }, 0, false);
  }

  /** Takes note of the state that a node finds. It tells if this is a turn that goes on after a stop. */
  goOn({ turn, usage, intermediateSteps }: AgentStateValues): void {
    const step = intermediateSteps.length + 1;
    if (this.#turn === undefined) this.#start({ turn, usage }, step, true);
    this.#turn = { turn, usage };
    this.#step = step;
  }

  #start(turn: Pick<AgentStateValues, "turn" | "usage">, step: number, resumed: boolean): void {
    this.#turn = turn;
    this.#step = step;
    this.#startedAt = performance.now();
    const { asked, number } = turn.turn;
    const action = callerIn(this.#config)?.action;
    this.tell({ type: "turn-start", asked, number, resumed, ...(action !== undefined && { action }) });
  }

  tell(event: EventDetails): void {
    if (event.type === "model-start" || event.type === "retry") this.#shown = "";
    const thread: unknown = this.#config.configurable?.thread_id;
    const whole: TurnEvent = {
      ...event,
      ...(typeof thread === "string" && { thread }),
      turn: this.#turn?.turn.id ?? "",
      step: this.#step,
      time: new Date().toISOString(),
      path: this.#path,
    };
    this.publish(whole);
  }

  /** Passes on an event. */
  publish(event: TurnEvent): void {
    const caller = callerIn(this.#config);
    if (this.write) this.write(event);
    else if (caller) caller.teller.publish(event);
    else this.#config.writer?.(event);
  }

  /** The text of the newest reply that readers took for the answer. */
  get shown(): string {
    return this.#shown;
  }

  /** The cost of the node that failed. No checkpoint has it. */
  get unkept(): UsageCounts {
    return this.#unkept;
  }

  /** Takes note of a piece that readers take for a part of the answer. */
  show(piece: string): void {
    this.#shown += piece;
  }

  /**
   * Tells of an error that ended the run: what a person is asked, or the failure.
   *
   * @param stopped The way in which the run was stopped, if the error is only that.
   * @param usage The usage, with the cost of the node that failed.
   * @param unkept The cost of that node.
   */
  fail(
    error: unknown,
    stopped: "cancelled" | "interrupted" | undefined,
    usage = this.#turn?.usage,
    unkept = this.#unkept,
  ): void {
    this.#unkept = unkept;
    if (isGraphInterrupt(error)) {
      this.#waiting = error.interrupts.map(personAsked);
      for (const question of this.#waiting) {
        if (!this.asked.has(question.interrupt)) this.tell(question);
        this.asked.add(question.interrupt);
      }
      this.end("waiting", usage);
    } else if (stopped) {
      this.end(stopped, usage);
    } else {
      this.tell(failure(error));
      this.end("failed", usage);
    }
  }

  /** Tells that the run has ended. */
  end(stopReason: End, usage = this.#turn?.usage): void {
    if (this.#turn === undefined || usage === undefined) return;
    this.#turn = { ...this.#turn, usage };
    this.#end = stopReason;
    // A turn that waits goes on, and is counted as a whole when it has ended.
    if (stopReason !== "waiting" && !this.#isCounted) {
      callerIn(this.#config)?.meter.add(usage.turn);
      this.#isCounted = true;
    }
    const waiting = this.#waiting;
    const milliseconds = Math.round(performance.now() - this.#startedAt);
    this.tell({ type: "turn-end", stopReason, ...(waiting.length > 0 && { waiting }), usage, milliseconds });
  }
}
