import type { Turn } from "../turn/turn.js";
import type { ListedThread, TurnBranch } from "../wire.js";

/** A thread that is open: what is known of it, and what can be done with it. */
export interface OpenThread {
  /** Undefined for a new thread, and until it is loaded. */
  readonly listed?: ListedThread;
  readonly id?: string;
  /** The name of the agent that answers. */
  readonly agent: string;
  /** The turns that are loaded, the oldest first. The last one may be running. */
  readonly turns: readonly Turn[];
  readonly branches: readonly TurnBranch[];
  readonly hasOlder: boolean;
  /** The id of the run that is in hand; undefined if none is. */
  readonly run?: string;
  /** Why the last thing that was asked for was not done. */
  readonly problem?: string;

  /** Loads older turns. */
  loadOlder(): Promise<void>;
  /** Loads a turn with all of its texts, and puts it in the place of the one in `turns`. */
  loadWhole(number: number): Promise<void>;
  /**
   * Asks a question. On a new thread the page then shows its address. Returns whether it was sent; if not, `problem` says why.
   *
   * @param agent Who answers on a new thread.
   */
  ask(question: string, agent?: string): Promise<boolean>;
  /** Stops the run. What was written stays. */
  stop(): Promise<void>;
  /** Answers the last question again. */
  regenerate(): Promise<void>;
  /** Goes on with a turn that ended at a limit. */
  goOn(): Promise<void>;
  /**
   * Answers a question to a person: decisions by the ids of calls, each with the digest of what was shown, or any value for what a
   * tool asked. Returns whether it was sent.
   */
  answer(interrupt: string, value: unknown): Promise<boolean>;
}
