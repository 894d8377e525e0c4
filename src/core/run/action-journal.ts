import type { Outcome } from "../state/decision.js";

/**
 * The record of the tool calls of one step. It survives the end of the process, so a finished call is never run again.
 */
export interface ActionJournal {
  /**
   * Returns the outcome of a call. Returns `begun` if the call has begun but has no outcome yet, and undefined if it
   * has not begun.
   */
  recall(actionId: string): Outcome | "begun" | undefined;
  /** Notes that a call begins. The note is safe on disk when the promise resolves. */
  begin(actionId: string): Promise<void>;
  /** Notes the outcome of a call. */
  finish(actionId: string, outcome: Outcome): Promise<void>;
  /** Removes the note that a call has begun. The call stopped to ask a human, and begins again with the answer. */
  undo(actionId: string): Promise<void>;
}

/** The journal that keeps nothing. It serves runs that keep nothing, and steps that need no record. */
export const noJournal: ActionJournal = {
  recall: () => undefined,
  begin: async () => undefined,
  finish: async () => undefined,
  undo: async () => undefined,
};
