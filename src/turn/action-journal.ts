import type { ActionResult } from "./decision.js";

/** What became of a tool call. */
export type Outcome = Omit<ActionResult, "action">;

/** What is on record of the actions of one step. It outlives the process, so that no finished action is run again. */
export interface ActionJournal {
  /** What is known of an action: its outcome; `begun` when it was begun and no outcome arrived; undefined when it was not begun. */
  recall(actionId: string): Outcome | "begun" | undefined;
  /** Notes that an action begins. Safe on disk once this resolves. */
  begin(actionId: string): Promise<void>;
  /** Notes what became of an action. */
  finish(actionId: string, outcome: Outcome): Promise<void>;
  /** Takes back that an action began: it stopped to ask somebody, and begins again with the answer. */
  undo(actionId: string): Promise<void>;
}

/** A journal that keeps nothing: where nothing outlives the process, or the step needs no record. */
export const noJournal: ActionJournal = {
  recall: () => undefined,
  begin: async () => undefined,
  finish: async () => undefined,
  undo: async () => undefined,
};
