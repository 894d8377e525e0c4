import { isDeepStrictEqual } from "node:util";
import type { Interrupt } from "@langchain/langgraph";
import type { AgentStateValues, Turn } from "../state/state.js";
import type { Usage } from "../state/usage.js";
import { type EventDetails, failure, type PersonAsked, personAsked, type TurnEvent } from "./events.js";
import { type Left, nothingLeft, type UsageCounter } from "./usage-counter.js";
import type { TurnOutcome } from "./work.js";

/** What a turn needs of its run. */
interface RunOfTurn {
  /** The ids of the questions to a person that had their events, also those of agents in the tools. */
  readonly asked: Set<string>;
  /** The tool call in which the agent runs. */
  readonly around: { readonly action: string | undefined; readonly usage: UsageCounter } | undefined;
  /** The questions to a person that the turn ended. */
  readonly dropped: EventDetails<"dropped">["questions"];
  readonly elapsedMs: number;
  readonly resumedMs: number;
  emit(event: EventDetails): void;
}

/**
 * The progress of the turn in a run: its step, the shown part of its answer, and its end. Emits `turn-start`, `turn-end` and
 * `error`.
 */
export class TurnProgress {
  #turn: Pick<AgentStateValues, "turn" | "usage"> | undefined;
  #step = 0;
  #workedBefore = 0;
  #isCounted = false;
  #waiting: PersonAsked[] = [];
  #stopReason: TurnOutcome["stopReason"];
  /** The pieces of the answer that went out, and still count. */
  answered = "";
  /** The id of the reply to which they belong. */
  answerId: string | undefined;
  /** True if a plug-in told a part of the answer, which still counts. */
  hasParts = false;
  /** The models that failed in the turn in this run, and were followed by another one. */
  readonly failed = new WeakSet<object>();
  /** What the node that failed has asked and spent. No checkpoint has it. */
  left: Left = nothingLeft;

  constructor(private readonly run: RunOfTurn) {}

  /** The id of the turn, and the number of the step: what an event says of its origin in the turn. */
  get place(): Pick<TurnEvent, "turn" | "step"> {
    return { turn: this.#turn?.turn.id ?? "", step: this.#step };
  }

  get outcome(): TurnOutcome {
    return { turn: this.#turn?.turn.id, stopReason: this.#stopReason, usage: this.#turn?.usage };
  }

  /** The milliseconds that the runs of the turn took, as far as they are on record. */
  get workedMs(): number {
    return Math.max(this.#workedBefore, this.run.resumedMs) + this.run.elapsedMs;
  }

  /** Begins a turn. */
  begin(turn: Turn, usage: Usage): void {
    this.#start({ turn, usage, workedMs: 0 }, 0, { resumed: false });
  }

  /** Takes note of the state that a node finds. A turn that goes on after a stop begins again in its run. */
  goOn({ turn, usage, workedMs, intermediateSteps, decision }: AgentStateValues): void {
    const step = intermediateSteps.length + 1;
    const isActing = decision?.kind === "action" && !isDeepStrictEqual(intermediateSteps.at(-1)?.decision, decision);
    const actions = isActing ? decision.actions.map(({ id, tool, toolInput }) => ({ id, tool, toolInput })) : [];
    if (this.#turn === undefined)
      this.#start({ turn, usage, workedMs }, step, { resumed: true, ...(isActing && { actions }) });
    this.#turn = { turn, usage };
    this.#step = step;
  }

  #start(
    turn: Pick<AgentStateValues, "turn" | "usage" | "workedMs">,
    step: number,
    how: Pick<EventDetails<"turn-start">, "resumed" | "actions">,
  ): void {
    this.#turn = turn;
    this.#step = step;
    this.#workedBefore = turn.workedMs;
    const { asked, number } = turn.turn;
    const action = this.run.around?.action;
    this.run.emit({ type: "turn-start", asked, number, ...how, ...(action !== undefined && { action }) });
    const { dropped: questions } = this.run;
    if (questions.length > 0) this.run.emit({ type: "dropped", questions });
  }

  /** Ends the turn in this run with questions to a person. */
  wait(interrupts: readonly Interrupt[], usage = this.#turn?.usage): void {
    this.#waiting = interrupts.map(personAsked);
    for (const question of this.#waiting) {
      // An outer agent asks again what an inner one asked.
      if (!this.run.asked.has(question.interrupt)) this.run.emit(question);
      this.run.asked.add(question.interrupt);
    }
    this.end("waiting", usage);
  }

  /**
   * Ends the turn in this run with an error.
   *
   * @param stopped The way in which the run was stopped, if the error is only that.
   * @param usage The usage, with that of the node that failed.
   */
  fail(error: unknown, stopped: "cancelled" | "interrupted" | undefined, usage = this.#turn?.usage): void {
    if (stopped === undefined) this.run.emit(failure(error));
    this.end(stopped ?? "failed", usage);
  }

  /** Ends the turn in this run. */
  end(stopReason: EventDetails<"turn-end">["stopReason"], usage = this.#turn?.usage): void {
    if (this.#turn === undefined || usage === undefined) return;
    this.#turn = { ...this.#turn, usage };
    this.#stopReason = stopReason;
    // A turn that waits goes on, and is counted as a whole when it has ended.
    if (stopReason !== "waiting" && !this.#isCounted) {
      this.run.around?.usage.add(usage.turn);
      this.#isCounted = true;
    }
    const waiting = this.#waiting;
    const milliseconds = Math.round(this.run.elapsedMs);
    this.run.emit({ type: "turn-end", stopReason, ...(waiting.length > 0 && { waiting }), usage, milliseconds });
  }
}
